// The bytes of a config file as text; a file that is no UTF-8 is told as such before anything else is said of it.
import { ConfigError } from "./problems.ts";

const SAVE_AS_UTF8 = "save it as UTF-8 (an editor's encoding menu has it)";

/** The text of a config file. Throws a {@link ConfigError} that names the first line that is no UTF-8. */
export function decodeConfig(bytes: Uint8Array, file: string): string {
  if (isUtf16(bytes)) {
    throw new ConfigError([
      { file, line: null, key: null, message: `is UTF-16, as Notepad's "Unicode" is: ${SAVE_AS_UTF8}` },
    ]);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const message = `is no UTF-8, perhaps Latin-1 or Windows-1252: ${SAVE_AS_UTF8}`;
    throw new ConfigError([{ file, line: firstBadLine(bytes), key: null, message }]);
  }
}

/** By its byte order mark, or by the zero that every second byte of such a text is. */
function isUtf16(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  return bytes.length >= 2 && (first === 0) !== (second === 0);
}

function firstBadLine(bytes: Uint8Array): number | null {
  // A line end is one byte of its own in UTF-8, so that each line can be read alone.
  for (let start = 0, line = 1; start < bytes.length; line++) {
    const end = bytes.indexOf(0x0a, start);
    const stop = end === -1 ? bytes.length : end;
    if (!isUtf8(bytes.subarray(start, stop))) return line;
    start = stop + 1;
  }
  return null;
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
