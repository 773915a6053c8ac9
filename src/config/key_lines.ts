// Where a key stands in a TOML text: the line of every table, key and list item.

/** A way into a TOML document: keys of tables and, from 0, positions in lists. */
export type KeyPath = readonly (string | number)[];

/** The lines of a document, counted from 1. */
export interface KeyLines {
  /** The line on which the path begins; null when the document does not have it. */
  lineOf(path: KeyPath): number | null;
  /** The line of the path, or of the innermost table or list around it that the document has; null for none. */
  lineOrAround(path: KeyPath): number | null;
}

/** A table, a list, or a value that has neither keys nor items. */
interface Place {
  /** Where it begins, as an offset into the text. */
  at: number;
  /** False while a table is known only by the keys below it, as `a` is after `[a.b]`. */
  stated: boolean;
  /** Whether it is a list that grows by `[[headers]]`. */
  tableList: boolean;
  parts: Map<string | number, Place>;
}

const LINE_END = /[\r\n]/;
const ESCAPES: Readonly<Record<string, string>> = {
  b: "\b",
  t: "\t",
  n: "\n",
  f: "\f",
  r: "\r",
  e: "\x1b",
  '"': '"',
  "\\": "\\",
};
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/**
 * The lines of a text that a TOML parser has accepted. A table that has a header of its own has that header's line,
 * else the line of the first key below it. Of any other text it gives lines that mean nothing.
 */
export function scanKeyLines(text: string): KeyLines {
  const root = new KeyScanner(text).scan();
  const lineEnds = [...text.matchAll(/\n/g)].map((match) => match.index);
  const lineAt = (offset: number): number => {
    let low = 0;
    for (let high = lineEnds.length; low < high;) {
      const middle = (low + high) >> 1;
      if ((lineEnds[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
  const find = (path: KeyPath): Place | undefined => {
    let place: Place | undefined = root;
    for (const step of path) place = place?.parts.get(step);
    return place === root ? undefined : place;
  };
  const lineOf = (path: KeyPath): number | null => {
    const place = find(path);
    return place ? lineAt(place.at) : null;
  };
  return {
    lineOf,
    lineOrAround(path) {
      for (let length = path.length; length > 0; length--) {
        const line = lineOf(path.slice(0, length));
        if (line !== null) return line;
      }
      return null;
    },
  };
}

/** One walk over a text; `#at` only ever moves forwards. */
class KeyScanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): Place {
    const root = newPlace(0);
    let here = root;
    if (this.#text.startsWith("\uFEFF")) this.#at++;
    for (this.#skipVoid(); this.#at < this.#text.length; this.#skipVoid()) {
      if (this.#char() === "[") here = this.#header(root);
      else this.#pair(here);
    }
    return root;
  }

  #char(ahead = 0): string {
    return this.#text.charAt(this.#at + ahead);
  }

  /** Blanks, line ends and comments. */
  #skipVoid(): void {
    for (; this.#at < this.#text.length; this.#at++) {
      if (this.#char() === "#") this.#skipUntil(LINE_END);
      if (!/[ \t\r\n]/.test(this.#char())) return;
    }
  }

  #skipUntil(end: RegExp): void {
    while (this.#at < this.#text.length && !end.test(this.#char())) this.#at++;
  }

  /** `[a.b]` or `[[a.b]]`; gives the table that the following keys go into. */
  #header(root: Place): Place {
    const start = this.#at;
    const tableList = this.#char(1) === "[";
    this.#at += tableList ? 2 : 1;
    const keys = this.#key("]");
    this.#at += tableList ? 2 : 1;
    const last = keys.pop() ?? "";
    const around = descend(root, keys, start);
    const place = part(around, last, start, !tableList);
    if (!tableList) return place;
    place.tableList = true;
    return part(place, place.parts.size, start, true);
  }

  /** `a.b = value`. */
  #pair(table: Place): void {
    const start = this.#at;
    const keys = this.#key("=");
    this.#at++;
    const last = keys.pop() ?? "";
    const place = part(descend(table, keys, start), last, start, true);
    this.#skipVoid();
    this.#value(place);
  }

  /** The parts of a dotted key, up to its end, which is left to read. */
  #key(end: string): string[] {
    const keys: string[] = [];
    while (this.#at < this.#text.length && this.#char() !== end) {
      const char = this.#char();
      if (char === '"' || char === "'") keys.push(this.#quotedKey(char));
      else if (/[ \t.]/.test(char)) this.#at++;
      else {
        const start = this.#at;
        this.#skipUntil(/[ \t.=\]"'\r\n]/);
        if (this.#at === start) this.#at++;
        else keys.push(this.#text.slice(start, this.#at));
      }
    }
    return keys;
  }

  #quotedKey(quote: string): string {
    const start = this.#at;
    this.#skipString();
    const inner = this.#text.slice(start + 1, this.#at - 1);
    return quote === "'" ? inner : unescape(inner);
  }

  #value(place: Place): void {
    const char = this.#char();
    if (char === '"' || char === "'") this.#skipString();
    else if (char === "[") this.#items("]", () => this.#value(part(place, place.parts.size, this.#at, true)));
    else if (char === "{") this.#items("}", () => this.#pair(place));
    else this.#skipUntil(/[,\]}#\r\n]/);
  }

  /** What stands between brackets, with commas between and perhaps after. */
  #items(end: string, item: () => void): void {
    this.#at++;
    for (this.#skipVoid(); this.#at < this.#text.length && this.#char() !== end; this.#skipVoid()) {
      if (this.#char() === ",") this.#at++;
      else item();
    }
    this.#at++;
  }

  /** A string of any of the four kinds. */
  #skipString(): void {
    const quote = this.#char();
    const long = this.#char(1) === quote && this.#char(2) === quote;
    const end = long ? quote.repeat(3) : quote;
    this.#at += end.length;
    while (this.#at < this.#text.length && !this.#text.startsWith(end, this.#at)) {
      this.#at += quote === '"' && this.#char() === "\\" ? 2 : 1;
    }
    this.#at += end.length;
    // Up to two quotes more belong to the text of a long string: """She said "yes."""""
    for (let more = 0; long && more < 2 && this.#char() === quote; more++) this.#at++;
  }
}

function newPlace(at: number): Place {
  return { at, stated: false, tableList: false, parts: new Map() };
}

/** The part of a table or list under a key, made when it is new. */
function part(around: Place, key: string | number, at: number, stated: boolean): Place {
  const known = around.parts.get(key);
  if (known === undefined) {
    const made = { ...newPlace(at), stated };
    around.parts.set(key, made);
    return made;
  }
  if (stated && !known.stated) {
    known.at = at;
    known.stated = true;
  }
  return known;
}

/** The table that dotted keys lead to; through a list of tables the way leads into its last one. */
function descend(from: Place, keys: readonly string[], at: number): Place {
  let place = from;
  for (const key of keys) {
    place = part(place, key, at, false);
    if (place.tableList) place = part(place, place.parts.size - 1, at, false);
  }
  return place;
}

function unescape(text: string): string {
  return text.replace(
    /\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[^])/g,
    (escape) => {
      const kind = escape.charAt(1);
      if (HEX_DIGITS[kind] !== escape.length - 2) return ESCAPES[kind] ?? escape;
      const codePoint = parseInt(escape.slice(2), 16);
      return codePoint > 0x10ffff ? escape : String.fromCodePoint(codePoint);
    },
  );
}
