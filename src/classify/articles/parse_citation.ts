// Parses one citation, from its head to its end: "Articles 5(1)(f), 6 and 8 to 15" becomes single references.
import {
  ADJACENT_LETTER,
  BEFORE_NUMBER,
  BRACKETED,
  DOTTED,
  DOTTED_LETTER,
  FIRST,
  type Head,
  LATIN_SUFFIX,
  LOOSE_LETTER,
  NUMBER,
  numberToRoman,
  PARAGRAPH_WORD,
  POINT_WORD,
  RANGE,
  readAt,
  type ReferenceKind,
  ROMAN,
  ROMAN_PARAGRAPH,
  romanToNumber,
  SECTION_WORD,
  SEPARATOR,
  SKIPPED,
  SPACED_LETTER,
  VALUE,
} from "./grammar.ts";
import { lettersBetween, numbersBetween, referencesBetween } from "./ranges.ts";

/** One cited reference, which the Act need not contain. */
export interface Reference {
  kind: ReferenceKind;
  /** The number in canonical form: "5", "75a", "III" or "60". */
  number: string;
  /** The parts after the number, outermost first: ["1", "f"] for Article 5(1)(f). */
  path: string[];
}

export interface Citation {
  references: Reference[];
  start: number;
  end: number;
}

/** The depth of a part: a section, a paragraph (or numbered point of an annex), a letter, a Roman sub-point. */
type Depth = 0 | 1 | 2 | 3;

interface Part {
  depth: Depth;
  value: string;
}

interface State {
  head: Head;
  at: number;
  number: string;
  parts: Part[];
  /** Whether the annex is numbered "3" rather than "III". */
  annexInDigits: boolean;
  /** The notation of the last part, which a bare number after "and" continues. */
  style: "number" | "bracket" | "word";
  wordPlural: boolean | null;
  done: { number: string; parts: Part[] }[];
}

/** Whether the number that ends at `end` is a count or a date ("and 12 other …", "2 August"). */
type IsCount = (text: string, end: number) => boolean;

/** Maximum number of references in one citation. The Act has 180 recitals. */
const MOST_REFERENCES = 400;

/** Parses the citation that starts with a head. Returns null if no number follows. */
export function parseCitation(text: string, head: Head, isCount: IsCount): Citation | null {
  const first = readBase(text, head.kind, head.end, true);
  if (first === null) return null;
  const state: State = {
    head,
    at: first.end,
    number: first.number,
    parts: [],
    annexInDigits: /\d/.test(text.slice(head.end, first.end)),
    style: "number",
    wordPlural: null,
    done: [],
  };
  while (
    state.done.length < MOST_REFERENCES && (readPart(text, state) || readNextItem(text, state, isCount))
  ) { /* each step advances */ }
  finish(state);
  const references = state.done.map((done) => ({
    kind: head.kind,
    number: done.number,
    path: done.parts.map((part) => part.value),
  }));
  return { references, start: head.start, end: state.at };
}

function readBase(
  text: string,
  kind: ReferenceKind,
  at: number,
  afterHead: boolean,
): { number: string; end: number } | null {
  let start = at;
  if (afterHead) {
    const first = kind === "article" ? readAt(FIRST, text, at) : null;
    if (first !== null) return { number: "1", end: at + first[0].length };
    start += readAt(BEFORE_NUMBER, text, at)?.[0].length ?? 0;
  }
  const bracket = afterHead && text[start - 1] === "(" ? 1 : 0;
  const roman = kind === "annex" ? readAt(ROMAN, text, start) : null;
  if (roman?.[1]) return { number: roman[1], end: start + roman[0].length };
  const match = readAt(NUMBER, text, start);
  if (match === null) return null;
  const end = start + match[0].length;
  if (bracket === 1 && text[end] !== ")") return null;
  if (/[/%\u20ac$]/.test(text[end] ?? "") || /^\.\d{3}/.test(text.slice(end, end + 4))) return null;
  const digits = match[1] ?? "";
  if (kind === "annex") {
    const number = Number(digits);
    return number >= 1 && number <= 19 ? { number: numberToRoman(number), end } : null;
  }
  return { number: digits + suffixOf(match[2], match[3]), end: end + bracket };
}

/** Returns the suffix of a number. In German, "f" and "ff" mean "and the following", so they are not suffixes. */
function suffixOf(latin: string | undefined, letters: string | undefined): string {
  if (latin !== undefined) return LATIN_SUFFIX[latin.toLowerCase()] ?? "";
  if (letters === undefined || /^ff?$/i.test(letters)) return "";
  return letters.toLowerCase();
}

/** Reads a part of the current reference that follows without a separator. */
function readPart(text: string, state: State): boolean {
  const skipped = readAt(SKIPPED, text, state.at);
  if (skipped !== null) return advance(state, skipped[0].length);
  const section = state.head.kind === "annex" ? readAt(SECTION_WORD, text, state.at) : null;
  if (section?.[1]) return addPart(state, 0, section[1].toUpperCase(), "word", section[0].length);
  if (state.style === "number" && state.parts.length === 0) {
    const dotted = readAt(DOTTED, text, state.at);
    if (dotted?.[1] && state.head.kind !== "recital") {
      addPart(state, 1, dotted[1], "bracket", dotted[0].length);
      const letter = readAt(DOTTED_LETTER, text, state.at);
      return letter?.[1] && text[state.at] === "."
        ? addPart(state, 2, letter[1], "bracket", letter[0].length)
        : true;
    }
    const roman = readAt(ROMAN_PARAGRAPH, text, state.at);
    if (
      roman?.[1] && state.head.kind === "article" && !state.head.plural && !isEnglishI(text, state, roman[1])
    ) {
      return addPart(state, 1, String(romanToNumber(roman[1])), "word", roman[0].length);
    }
  }
  const bracketed = state.head.kind === "recital" ? null : readAt(BRACKETED, text, state.at);
  if (bracketed?.[1]) {
    const value = withLatin(bracketed[1], bracketed[2]);
    return addPart(state, depthOf(value, state, false), value, "bracket", bracketed[0].length);
  }
  if (state.head.kind === "recital") return false;
  return readLooseLetter(text, state) || readWordPart(text, state);
}

/** Reads "5 b)" and "§ 1, f)" after a number, "h) iii)" after a letter, "5(1)f", and "5 b" in an annex. */
function readLooseLetter(text: string, state: State): boolean {
  const last = state.parts.at(-1);
  if (last === undefined) return false;
  const loose = readAt(LOOSE_LETTER, text, state.at);
  if (loose?.[2] && last.depth === 1) return addPart(state, 2, loose[2], "word", loose[0].length);
  if (loose?.[2] && last.depth === 2 && loose[1] === "" && /^[ivx]{2,}$/.test(loose[2])) {
    return addPart(state, 3, loose[2], "word", loose[0].length);
  }
  if (last.depth !== 1) return false;
  const adjacent = text[state.at - 1] === ")" ? readAt(ADJACENT_LETTER, text, state.at) : null;
  const bare = adjacent ?? (state.head.kind === "annex" ? readAt(SPACED_LETTER, text, state.at) : null);
  if (!bare?.[1] || !endsLetter(text, state.at + bare[0].length)) return false;
  return addPart(state, 2, bare[1], "word", bare[0].length);
}

/** Whether a Roman "I" is the English pronoun, as in "Article 5 I think …". */
function isEnglishI(text: string, state: State, roman: string): boolean {
  return roman === "I" && /^article/i.test(text.slice(state.head.start, state.head.end));
}

/** Reads ", paragraphe 1", "Abs. 1", "lit. f", "point (5)". */
function readWordPart(text: string, state: State): boolean {
  const paragraph = readAt(PARAGRAPH_WORD, text, state.at);
  const word = paragraph ?? readAt(POINT_WORD, text, state.at);
  if (word === null) return false;
  const value = readValue(text, state.at + word[0].length);
  if (value === null) return false;
  const subparagraph = /^,?\s?\(?al/i.test(word[0]) && state.parts.some((part) => part.depth === 1);
  if (subparagraph) return advance(state, word[0].length + value.length);
  const numeric = /^\d/.test(value.value);
  if (!numeric && (paragraph !== null || NUMBERS_ONLY.test(word[0]))) return false;
  const end = state.at + word[0].length + value.length;
  if (!numeric && /point/i.test(word[0]) && !endsLetter(text, end)) return false;
  if (BELONGS_TO_NEXT.test(text.slice(end, end + 60))) return false;
  const deepest = state.parts.at(-1)?.depth ?? 0;
  let depth: Depth = numeric ? 1 : 2;
  if (paragraph === null && numeric && deepest >= 1 && state.head.kind === "article") depth = 2;
  if (/^[ivx]{2,}$/.test(value.value) && deepest === 2) depth = 3;
  const plural = word[1] !== undefined ? true : SINGULAR_OR_PLURAL.test(word[0]) ? null : false;
  addPart(state, depth, value.value, "word", word[0].length + value.length);
  state.wordPlural = plural;
  return true;
}

/** "… and point (f) of Article 6": the part belongs to the citation that follows. */
const BELONGS_TO_NEXT =
  /^(?:[\s,]{0,2}(?:and|or|und|et|ou|to|bis)?\s?[([]?\w{1,3}[)\]]?){0,4}\s(?:of|des|der|von|du|de|in)\s(?:the |l'|dem )?(?:art|annex|anhang)/i;

/** Words for parts with the same form in singular and plural. */
const SINGULAR_OR_PLURAL = /^,?\s?\(?(?:abs|lit|nr|al|par|para|buchst|ziff|no|pt|art|§)\.?\s?$/i;

const NUMBERS_ONLY = /(?:nos?|n°|nr|number|numero|nummern?|nrn)\.?\s?$/i;

function readValue(text: string, at: number): { value: string; length: number } | null {
  const match = readAt(VALUE, text, at);
  if (match === null) return null;
  const [whole, digits, suffix, letters, roman, latin] = match;
  const value = withLatin((digits ?? letters ?? roman ?? "") + (suffix ?? ""), latin);
  const opened = /^[([]/.test(whole);
  // In "(Article 5, point 1)", the closing parenthesis matches the opening one. In "point f)", it is part of the value.
  const length = opened || !/^\d/.test(value) ? whole.length : whole.replace(/\s?[)\]]$/, "").length;
  if (length < whole.length && CLOSED_LIST.test(text.slice(at + whole.length, at + whole.length + 12))) {
    return { value, length: whole.length };
  }
  return { value, length: whole.endsWith(" ") ? length - 1 : length };
}

/** "points 1) et 63)": after the parenthesis, the list continues with another number and parenthesis. */
const CLOSED_LIST = /^(?:, ?| (?:et|and|und|ou|or|oder|to|bis|\u00e0) )\d{1,2}\)/i;

function withLatin(value: string, latin: string | undefined): string {
  return value + (latin === undefined ? "" : LATIN_SUFFIX[latin] ?? "");
}

/** Returns the depth of a value in parentheses, by its form and the last part. `continues`: after a separator. */
function depthOf(value: string, state: State, continues: boolean): Depth {
  const last = state.parts.at(-1);
  if (/^\d/.test(value)) return 1;
  if (/^[ivx]+$/.test(value)) {
    if (last?.depth === 3) return 3;
    if (last?.depth === 2 && !continues) return 3;
    if (value.length > 1 && last?.depth === 2) return 3;
  }
  return 2;
}

/** Adds a part. If the reference has a part of this depth or deeper, finishes the reference and starts a sibling. */
function addPart(state: State, depth: Depth, value: string, style: "bracket" | "word", length: number): true {
  if (state.parts.some((part) => part.depth >= depth)) finish(state);
  state.parts = [...state.parts.filter((part) => part.depth < depth), { depth, value }];
  state.style = style;
  return advance(state, length);
}

function finish(state: State): void {
  state.done.push({ number: state.number, parts: state.parts });
}

function advance(state: State, length: number): true {
  state.at += length;
  return true;
}

/** Reads the next element of a list or the end of a range. Returns false if the citation ends. */
function readNextItem(text: string, state: State, isCount: IsCount): boolean {
  const range = readAt(RANGE, text, state.at);
  const separator = range ?? readAt(SEPARATOR, text, state.at);
  if (separator === null) return false;
  const before = state.at;
  state.at += separator[0].length;
  if (readSibling(text, state, range !== null, isCount)) return true;
  state.at = before;
  return false;
}

function readSibling(text: string, state: State, range: boolean, isCount: IsCount): boolean {
  const from = { number: state.number, parts: state.parts };
  const last = state.parts.at(-1);
  if (!range && state.parts.length > 0 && state.head.kind !== "recital" && readWordPart(text, state)) {
    return true;
  }
  const bracketed = readAt(BRACKETED, text, state.at);
  if (bracketed?.[1] && state.head.kind !== "recital" && last !== undefined) {
    const value = withLatin(bracketed[1], bracketed[2]);
    const depth = range ? last.depth : depthOf(value, state, true);
    if (range) fillParts(state, from, depth, value);
    return addPart(state, depth, value, "bracket", bracketed[0].length);
  }
  if (last !== undefined && (state.style === "word" || range) && !nextIsBase(text, state, last, range)) {
    const value = readValue(text, state.at);
    const alike = value !== null && /^\d/.test(value.value) === /^\d/.test(last.value);
    if (value !== null && alike && !isCount(text, state.at + value.length)) {
      if (!/^\d/.test(value.value) && !endsLetter(text, state.at + value.length)) return false;
      if (range) fillParts(state, from, last.depth, value.value);
      addPart(state, last.depth, value.value, "word", value.length);
      return true;
    }
  }
  if (state.head.kind === "annex" && !state.annexInDigits) {
    const point = readAt(NUMBER, text, state.at);
    if (point?.[1] && !isCount(text, state.at + point[0].length)) {
      return addPart(state, 1, String(Number(point[1])), "bracket", point[0].length);
    }
  }
  return readNextBase(text, state, range, isCount);
}

/**
 * Whether a bare letter can be an element of a list. It cannot if a word follows: in "point a, a new duty", the second
 * "a" is an article.
 */
function endsLetter(text: string, end: number): boolean {
  return /[)\]]/.test(text[end - 1] ?? "") ||
    /^(?:[),.;:]|$|\s[([A-Z])/.test(text.slice(end, end + 2)) ||
    /^\s(?:and|or|und|oder|et|ou|to|bis|of|der|des|du|de|sowie|as|\u00e0)(?![a-z])/i.test(
      text.slice(end, end + 8),
    );
}

/** Whether a bare number after a separator is another article rather than another paragraph. */
function nextIsBase(text: string, state: State, last: Part, range: boolean): boolean {
  const number = readAt(NUMBER, text, state.at);
  if (number === null) return false;
  const after = state.at + number[0].length;
  const bracket = readAt(BRACKETED, text, after);
  if (bracket?.[1] && /^\d/.test(bracket[1])) return true;
  const paragraph = readAt(PARAGRAPH_WORD, text, after);
  if (paragraph !== null && readValue(text, after + paragraph[0].length) !== null) return true;
  if (state.style === "bracket") return true;
  if (!/^\d/.test(last.value)) return true;
  return state.wordPlural === false && state.head.plural && !range;
}

/** Reads the next number of a list, or the last number of a range ("Articles 8 to 15", "Art. 8 bis Art. 15"). */
function readNextBase(text: string, state: State, range: boolean, isCount: IsCount): boolean {
  const { head } = state;
  let at = state.at;
  if (range) at += readAt(SAME_HEAD[head.kind], text, at)?.[0].length ?? 0;
  const next = readBase(text, head.kind, at, head.kind === "recital");
  if (next === null || isCount(text, next.end)) return false;
  const between = range ? referencesBetween(head.kind, state.number, next.number) : [];
  if (between === null) return false;
  finish(state);
  state.done.push(...between.map((number) => ({ number, parts: [] })));
  state.number = next.number;
  state.parts = [];
  state.style = "number";
  state.wordPlural = null;
  state.at = next.end;
  return true;
}

const SAME_HEAD: Record<ReferenceKind, RegExp> = {
  article: /(?:articles?|artikel|art\.?)\s/iy,
  annex: /(?:annexe?|anhang)\s/iy,
  recital: /(?:recital|erwagungsgrund|considerant)\s/iy,
};

/** Adds the references strictly between the current one and the end of a range of paragraphs or letters. */
function fillParts(state: State, from: { number: string; parts: Part[] }, depth: Depth, to: string): void {
  const start = from.parts.find((part) => part.depth === depth)?.value ?? "";
  const numeric = /^\d+$/.test(start) && /^\d+$/.test(to);
  const values = numeric ? numbersBetween(Number(start), Number(to)).map(String) : lettersBetween(start, to);
  const outer = from.parts.filter((part) => part.depth < depth);
  for (const value of values) state.done.push({ number: from.number, parts: [...outer, { depth, value }] });
}
