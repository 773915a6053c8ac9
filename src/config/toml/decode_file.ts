// Decodes a config file, which must be UTF-8.
import { ConfigError } from "./problems.ts";

const SAVE_AS_UTF8 = "save it as UTF-8 (see your editor's encoding menu)";

/** Throws a {@link ConfigError} if the file is not UTF-8, with the first invalid line unless the file is UTF-16. */
export function decodeConfig(bytes: Uint8Array, file: string): string {
  if (isUtf16(bytes)) {
    throw new ConfigError([
      {
        file,
        line: null,
        key: null,
        message: `is UTF-16 ("Unicode" in Notepad): ${SAVE_AS_UTF8}`,
        excerpt: "",
      },
    ]);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const message = `is not UTF-8, possibly Latin-1 or Windows-1252: ${SAVE_AS_UTF8}`;
    throw new ConfigError([{ file, line: firstBadLine(bytes), key: null, message, excerpt: "" }]);
  }
}

/** Recognises UTF-16 by its byte order mark, or by the fact that exactly one of the first two bytes is zero. */
function isUtf16(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  return bytes.length >= 2 && (first === 0) !== (second === 0);
}

function firstBadLine(bytes: Uint8Array): number | null {
  // In UTF-8, the byte of a line feed never occurs within another character, so each line can be decoded separately.
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
