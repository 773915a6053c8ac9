// Decodes documents to text: detects the character encoding.

/** How much of a document is searched for its XML declaration, or for a page's meta element. */
const DECLARATION_BYTES = 1024;
const META_BYTES = 8192;

const XML_ENCODING = /^[\s\0]*<\?xml[^>]*?\sencoding\s*=\s*["']\s*([\w.:-]+)\s*["']/;
const META = /<meta\s[^<>]*/gi;
const META_CHARSET = /charset\s*=\s*(?:["']\s*)?([\w.:-]+)/i;
/** Encodings of one byte a character: every text is valid in most of them, so that they prove nothing. */
const SINGLE_BYTE = /^(?:windows-|iso-8859-|koi8-|ibm866|macintosh|x-mac-)/;

/** Text and the encoding it was in, by the name that the WHATWG Encoding Standard gives it in lower case. */
export interface DecodedText {
  text: string;
  charset: string;
}

/**
 * Decodes a document: by its byte order mark, else by the charset of the HTTP `Content-Type`, else by its XML
 * declaration or its `<meta>`, else as UTF-8, and as windows-1252 when it is not UTF-8 (see {@link decodeUtf8}). JSON
 * is always UTF-8 (RFC 8259), the other steps do not apply. Labels are those of the WHATWG Encoding Standard
 * ("iso-8859-1" is windows-1252). An unknown label and one that the bytes refute are ignored; a single-byte label is
 * refuted by bytes that are valid UTF-8 beyond ASCII. Wrong text that the publisher encoded twice is left alone. NUL
 * characters are removed.
 */
export function decodeText(bytes: Uint8Array, contentType: string | null): DecodedText {
  const decoded = decodeMarked(bytes) ?? decodeDeclared(bytes, contentType);
  const { text } = decoded;
  return text.includes("\0") ? { ...decoded, text: text.replaceAll("\0", "") } : decoded;
}

/** Decodes what says itself in its first bytes that it is UTF-8 or UTF-16; null for everything else. */
function decodeMarked(bytes: Uint8Array): DecodedText | null {
  const [first, second, third, fourth] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return decodeUtf8(bytes);
  if (first === 0xff && second === 0xfe) return decodeLossy(bytes, "utf-16le");
  if (first === 0xfe && second === 0xff) return decodeLossy(bytes, "utf-16be");
  // Without a mark: "<" or "{" or "[" and whatever ASCII follows, each in two bytes.
  if (second === 0 && fourth === 0 && (first === 0x3c || first === 0x7b || first === 0x5b)) {
    return decodeLossy(bytes, "utf-16le");
  }
  if (first === 0 && third === 0 && (second === 0x3c || second === 0x7b || second === 0x5b)) {
    return decodeLossy(bytes, "utf-16be");
  }
  return null;
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
    if (charset === null || charset.startsWith("utf-16")) continue; // its bytes would have shown it
    if (charset === "utf-8") {
      if (utf8 !== null) return utf8;
      continue;
    }
    // Fewer characters than bytes: it holds UTF-8 sequences.
    if (utf8 !== null && SINGLE_BYTE.test(charset)) {
      if (utf8.text.length < bytes.length) return utf8;
    }
    const decoded = decodeStrictly(bytes, charset);
    if (decoded !== null) return decoded;
  }
  return utf8 ?? decodeUtf8(bytes);
}

/** The charset that a `Content-Type` names. */
function charsetParameter(contentType: string): string | undefined {
  for (const parameter of contentType.split(";").slice(1)) {
    const [name = "", value] = parameter.split("=");
    if (value !== undefined && name.trim().toLowerCase() === "charset") {
      return value.replace(/["']/g, " ").trim().split(/\s/, 1)[0];
    }
  }
  return undefined;
}

/** The charset of `<meta charset="…">` or `<meta http-equiv="Content-Type" content="text/html; charset=…">`. */
function metaCharset(head: string): string | undefined {
  for (const [element] of head.matchAll(META)) {
    const charset = META_CHARSET.exec(element)?.[1];
    if (charset !== undefined) return charset;
  }
  return undefined;
}

/**
 * UTF-8 or, when most of what is beyond ASCII is not valid as such, windows-1252. A few wrong bytes among many right
 * ones, as from one badly pasted item, must not spoil the rest.
 */
function decodeUtf8(bytes: Uint8Array): DecodedText {
  const strict = decodeStrictly(bytes, "utf-8");
  if (strict !== null) return strict;
  const lossy = decodeLossy(bytes, "utf-8");
  const wrong = lossy.text.match(/\ufffd/g)?.length ?? 0;
  const right = lossy.text.match(/[^\0-\x7f\ufffd]/g)?.length ?? 0;
  return right > wrong ? lossy : decodeLossy(bytes, "windows-1252");
}

/** Null when the bytes are not valid in the encoding; that the last character breaks off does not count. */
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

/** The encoding that a label stands for; null when it stands for none. */
function encodingOf(label: string): string | null {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}
