// Finds tags and text in XML that may be broken. Builds no tree and expands no declared entities. `htmlparser2` in XML
// mode cannot replace this code: it loses all items after a missing quotation mark, and takes quadratic time for
// unclosed elements with end tags of other names (see "a missing quotation mark" and "hostile repetition" in
// tests/ingest/parse/document_test.ts).

/** A start tag. Positions are offsets in the text. */
export interface StartTag {
  kind: "start";
  /** The name as written, with its prefix. */
  name: string;
  /** The text between the name and the end of the tag. */
  attributes: string;
  empty: boolean;
  /** The offset of the "<". */
  start: number;
  /** The offset after the ">". */
  end: number;
}

export interface EndTag {
  kind: "end";
  name: string;
  start: number;
  end: number;
}

/** Maximum length of an attribute value. The quotation mark before a longer value counts as text. */
const MAX_ATTRIBUTE_CHARACTERS = 65_536;

const SLASH = 47;
const BANG = 33;
const QUESTION = 63;
const LESS = 60;
const GREATER = 62;
const EQUALS = 61;
const QUOTE = 34;
const APOSTROPHE = 39;

/**
 * Returns the first tag at or after an offset, or null if there is none. Skips text, comments, CDATA sections,
 * instructions and the DOCTYPE. A "<" that does not begin a tag is text.
 */
export function nextTag(text: string, from: number): StartTag | EndTag | null {
  let at = text.indexOf("<", from);
  while (at !== -1) {
    const code = text.charCodeAt(at + 1);
    if (code === BANG || code === QUESTION) {
      const end = skipSection(text, at);
      if (end === -1) return null;
      at = text.indexOf("<", end);
      continue;
    }
    const tag = code === SLASH ? readEndTag(text, at) : readStartTag(text, at);
    if (typeof tag !== "number") return tag;
    at = text.indexOf("<", tag);
  }
  return null;
}

/** Returns the offset of the closing `</name`, or -1 if a `container` ends or begins first or the text ends. */
export function findEnd(text: string, from: number, name: string, container: string): number {
  let at = text.indexOf("<", from);
  while (at !== -1) {
    const code = text.charCodeAt(at + 1);
    if (code === SLASH) {
      if (isName(text, at + 2, name)) return at;
      if (isName(text, at + 2, container)) return -1;
    } else if (code === BANG) {
      const end = skipSection(text, at);
      if (end === -1) return -1;
      at = text.indexOf("<", end);
      continue;
    } else if (isName(text, at + 1, container)) {
      return -1;
    }
    at = text.indexOf("<", at + 1);
  }
  return -1;
}

/** Whether the complete name is at the offset. */
export function isName(text: string, at: number, name: string): boolean {
  return text.startsWith(name, at) && isNameEnd(text.charCodeAt(at + name.length));
}

const NO_NAME = /[\s=<>"'/]*/y;
const NAME = /[^\s=<>"'/]*/y;
const EQUAL_SIGN = /\s*=\s*/y;
const BARE_VALUE = /[^\s"'<>]*/y;

/** Returns the attributes of a start tag by lower-case name, with decoded values. Later duplicates are ignored. */
export function readAttributes(attributes: string): Map<string, string> {
  const found = new Map<string, string>();
  if (!attributes.includes("=")) return found;
  for (let at = endOfMatch(NO_NAME, attributes, 0); at < attributes.length;) {
    const nameEnd = endOfMatch(NAME, attributes, at);
    const name = attributes.slice(at, nameEnd).toLowerCase();
    const valueAt = endOfMatch(EQUAL_SIGN, attributes, nameEnd);
    at = nameEnd;
    if (valueAt !== nameEnd) {
      const quote = attributes[valueAt];
      const isQuoted = quote === '"' || quote === "'";
      const start = isQuoted ? valueAt + 1 : valueAt;
      const end = isQuoted ? attributes.indexOf(quote, start) : endOfMatch(BARE_VALUE, attributes, start);
      if (isQuoted ? end !== -1 : end > start) {
        if (!found.has(name)) found.set(name, decodeReferences(attributes.slice(start, end)).trim());
        at = isQuoted ? end + 1 : end;
      }
    }
    at = endOfMatch(NO_NAME, attributes, at);
  }
  return found;
}

/** Returns the offset after the match of a sticky expression, or `at` if it does not match. */
function endOfMatch(expression: RegExp, text: string, at: number): number {
  expression.lastIndex = at;
  return expression.test(text) ? expression.lastIndex : at;
}

const REFERENCE = /&(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-f]{1,6});/gi;
const PREDEFINED = new Map([["&amp;", "&"], ["&lt;", "<"], ["&gt;", ">"], ["&quot;", '"'], ["&apos;", "'"]]);

/**
 * Decodes the predefined entities and the character references of XML. Entities that a DOCTYPE declares are never
 * expanded. HTML entities are left for the reader of markup, as are references to the characters 128 to 159, which HTML
 * reads as windows-1252.
 */
function decodeReferences(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(REFERENCE, (reference) => {
    const predefined = PREDEFINED.get(reference.toLowerCase());
    if (predefined !== undefined) return predefined;
    const hexadecimal = reference[2] === "x" || reference[2] === "X";
    const code = hexadecimal ? parseInt(reference.slice(3), 16) : parseInt(reference.slice(2), 10);
    if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return "";
    return code >= 128 && code <= 159 ? reference : String.fromCodePoint(code);
  });
}

export function escapeText(text: string): string {
  if (!text.includes("&") && !text.includes("<")) return text;
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

const SECTION = /<!\[CDATA\[([\s\S]*?)(?:\]\]>|$)|<!--[\s\S]*?(?:-->|$)/g;
const TAG = /<[a-z/]/i;

/** Maximum length of an element's content in characters. The rest is ignored. */
const MAX_CONTENT = 1_000_000;

/**
 * Returns the content of an element as HTML markup. Its text is markup (`html`, as in RSS and Atom's type="html") or
 * plain (`text`). Child elements are always markup: XHTML or unescaped HTML.
 */
export function contentMarkup(whole: string, kind: "html" | "text"): string {
  const content = whole.slice(0, MAX_CONTENT);
  if (!content.includes("<")) return (kind === "html" ? decodeReferences(content) : content).trim();
  let outside = "";
  const sections: { at: number; text: string }[] = [];
  let from = 0;
  for (const match of content.matchAll(SECTION)) {
    outside += content.slice(from, match.index);
    from = match.index + match[0].length;
    if (match[1] !== undefined) sections.push({ at: outside.length, text: match[1] });
  }
  outside += content.slice(from);
  const keep = kind === "text" || TAG.test(outside);
  let markup = "";
  from = 0;
  for (const section of sections) {
    const before = outside.slice(from, section.at);
    markup += (keep ? before : decodeReferences(before)) +
      (kind === "text" ? escapeText(section.text) : section.text);
    from = section.at;
  }
  const rest = outside.slice(from);
  return (markup + (keep ? rest : decodeReferences(rest))).trim();
}

/** Returns the content of an element with plain text, such as a URL, a date or a name. */
export function contentText(whole: string): string {
  const content = whole.slice(0, MAX_CONTENT);
  if (!content.includes("<")) return decodeReferences(content).trim();
  let text = "";
  let from = 0;
  for (const match of content.matchAll(SECTION)) {
    text += decodeReferences(content.slice(from, match.index)) + (match[1] ?? "");
    from = match.index + match[0].length;
  }
  return (text + decodeReferences(content.slice(from))).trim();
}

/** Returns the offset after a comment, CDATA section, instruction or declaration, or -1 if it has no end. */
function skipSection(text: string, at: number): number {
  if (text.startsWith("<!--", at)) return after(text.indexOf("-->", at + 4), 3);
  if (text.startsWith("<![CDATA[", at)) return after(text.indexOf("]]>", at + 9), 3);
  const end = text.indexOf(">", at);
  if (end === -1 || text.charCodeAt(at + 1) === QUESTION) return after(end, 1);
  const subset = text.slice(at, end).indexOf("[");
  if (subset === -1) return end + 1;
  const subsetEnd = /\]\s*>/g;
  subsetEnd.lastIndex = at + subset;
  return subsetEnd.test(text) ? subsetEnd.lastIndex : -1;
}

function after(found: number, length: number): number {
  return found === -1 ? -1 : found + length;
}

/** Returns the end tag at the offset, or if there is none, the offset from which to continue. */
function readEndTag(text: string, at: number): EndTag | number {
  const close = tagEnd(text, at + 2);
  if (close < 0) return -close;
  const name = text.slice(at + 2, close).trim();
  return name === "" ? close : { kind: "end", name, start: at, end: close + 1 };
}

/** Returns the start tag at the offset, or if there is none, the offset from which to continue. */
function readStartTag(text: string, at: number): StartTag | number {
  if (!isNameStart(text.charCodeAt(at + 1))) return at + 1;
  let nameEnd = at + 2;
  while (nameEnd < text.length && !isNameEnd(text.charCodeAt(nameEnd))) {
    if (text.charCodeAt(nameEnd) === LESS) return nameEnd;
    nameEnd++;
  }
  const close = tagEnd(text, nameEnd);
  if (close < 0) return -close;
  const empty = text.charCodeAt(close - 1) === SLASH;
  const attributes = text.slice(nameEnd, empty ? close - 1 : close);
  return { kind: "start", name: text.slice(at + 1, nameEnd), attributes, empty, start: at, end: close + 1 };
}

/**
 * Returns the offset of the ">" that ends a tag, outside quoted values. If a "<" or the end of the text comes first,
 * there is no tag, and the result is the negative of that offset. The caller continues there, so that a scan takes
 * linear time.
 */
function tagEnd(text: string, from: number): number {
  let before = 0; // the last character other than white space
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === GREATER) return at;
    if (code === LESS) return -at;
    if ((code === QUOTE || code === APOSTROPHE) && before === EQUALS) {
      const close = text.indexOf(code === QUOTE ? '"' : "'", at + 1);
      if (close !== -1 && close - at <= MAX_ATTRIBUTE_CHARACTERS) at = close;
    }
    if (code > 32) before = code;
  }
  return -text.length;
}

function isNameStart(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code === 58 ||
    code > 127;
}

function isNameEnd(code: number): boolean {
  return code <= 32 || code === GREATER || code === SLASH || Number.isNaN(code);
}
