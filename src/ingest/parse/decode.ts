// Detects the character encoding of documents and decodes them to text.

/** Numbers of bytes that are searched for an XML declaration and for a meta element. */
const DECLARATION_BYTES = 1024;
const META_BYTES = 8192;

const XML_ENCODING = /^[\s\0]*<\?xml[^>]*?\sencoding\s*=\s*["']\s*([\w.:-]+)\s*["']/;
const META = /<meta\s[^<>]*/gi;
const META_CHARSET = /charset\s*=\s*(?:["']\s*)?([\w.:-]+)/i;
/** Single-byte encodings, in which nearly all bytes are valid. */
const SINGLE_BYTE = /^(?:windows-|iso-8859-|koi8-|ibm866|macintosh|x-mac-)/;

/** A decoded string, and the lower-case name of its encoding in the WHATWG Encoding Standard. */
interface DecodedText {
  text: string;
  charset: string;
}

/**
 * Decodes a document by its byte order mark, or else by the charset in `Content-Type`, the XML declaration or `<meta>`,
 * or else as UTF-8 or windows-1252 (see {@link decodeUtf8}). JSON is always UTF-8 (RFC 8259). Labels are read as in the
 * WHATWG Encoding Standard ("iso-8859-1" is windows-1252). Unknown labels are ignored, as are labels that the bytes
 * contradict: non-ASCII text in valid UTF-8 contradicts a single-byte label. NUL characters are removed.
 */
export function decodeText(bytes: Uint8Array, contentType: string | null): DecodedText {
  const { text, charset } = decodeMarked(bytes) ?? decodeDeclared(bytes, contentType);
  return { text: text.replaceAll("\0", ""), charset };
}

/** Decodes text whose first bytes identify UTF-8 or UTF-16. Returns null for other text. */
function decodeMarked(bytes: Uint8Array): DecodedText | null {
  const [first, second, third, fourth] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return decodeUtf8(bytes);
  if (first === 0xff && second === 0xfe) return decodeLossy(bytes, "utf-16le");
  if (first === 0xfe && second === 0xff) return decodeLossy(bytes, "utf-16be");
  // Without a mark, UTF-16 starts with "<", "{" or "[" and another ASCII character, each in two bytes.
  if (second === 0 && fourth === 0 && isOpening(first)) return decodeLossy(bytes, "utf-16le");
  if (first === 0 && third === 0 && isOpening(second)) return decodeLossy(bytes, "utf-16be");
  return null;
}

function isOpening(byte: number | undefined): boolean {
  return byte === 0x3c || byte === 0x7b || byte === 0x5b;
}

function decodeDeclared(bytes: Uint8Array, contentType: string | null): DecodedText {
  const head = new TextDecoder("windows-1252").decode(bytes.subarray(0, DECLARATION_BYTES));
  if (/^\s*[{[]/.test(head)) return decodeUtf8(bytes);
  const meta = /^\s*</.test(head)
    ? metaCharset(new TextDecoder("windows-1252").decode(bytes.subarray(0, META_BYTES)))
    : undefined;
  const labels = [charsetParameter(contentType ?? ""), XML_ENCODING.exec(head)?.[1], meta];
  const utf8 = decodeStrictly(bytes, "utf-8");
  for (const label of labels) {
    if (label === undefined) continue;
    const charset = encodingOf(label);
    if (charset === null || charset.startsWith("utf-16")) continue; // decodeMarked() has excluded UTF-16
    // Valid UTF-8 with fewer characters than bytes contains non-ASCII characters.
    const isUtf8 = utf8 !== null && SINGLE_BYTE.test(charset) && utf8.text.length < bytes.length;
    const decoded = isUtf8 || charset === "utf-8" ? utf8 : decodeStrictly(bytes, charset);
    if (decoded !== null) return decoded;
  }
  return utf8 ?? decodeUtf8(bytes);
}

function charsetParameter(contentType: string): string | undefined {
  for (const parameter of contentType.split(";").slice(1)) {
    const [name = "", value] = parameter.split("=");
    if (value !== undefined && name.trim().toLowerCase() === "charset") {
      return value.replace(/["']/g, " ").trim().split(/\s/, 1)[0];
    }
  }
  return undefined;
}

/** Reads the charset of `<meta charset="…">` or `<meta http-equiv="Content-Type" content="text/html; charset=…">`. */
function metaCharset(head: string): string | undefined {
  for (const [element] of head.matchAll(META)) {
    const charset = META_CHARSET.exec(element)?.[1];
    if (charset !== undefined) return charset;
  }
  return undefined;
}

/** Decodes UTF-8, or windows-1252 if most non-ASCII text is not valid UTF-8. One bad item must not spoil the rest. */
function decodeUtf8(bytes: Uint8Array): DecodedText {
  const strict = decodeStrictly(bytes, "utf-8");
  if (strict !== null) return strict;
  const lossy = decodeLossy(bytes, "utf-8");
  const wrong = lossy.text.match(/\ufffd/g)?.length ?? 0;
  const right = lossy.text.match(/[^\0-\x7f\ufffd]/g)?.length ?? 0;
  return right > wrong ? lossy : decodeLossy(bytes, "windows-1252");
}

/** Decodes bytes. Returns null if they are not valid in the encoding, except for a truncated last character. */
function decodeStrictly(bytes: Uint8Array, charset: string): DecodedText | null {
  try {
    return { text: new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: true }), charset };
  } catch {
    return null;
  }
}

function decodeLossy(bytes: Uint8Array, charset: string): DecodedText {
  return { text: new TextDecoder(charset).decode(bytes), charset };
}

function encodingOf(label: string): string | null {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}
