// Patterns of a few words with gaps, endings and alternatives, as the rules for event types and severities use them.
import { type FoldedText, foldPhrase } from "./fold_text.ts";
import { WordIndex } from "./word_index.ts";

/** A pattern of the data and what it stands for. */
export interface PatternEntry<T> {
  /**
   * Words, in small letters or not; hyphens and brackets of a text count as spaces. `^` the text begins so, or goes on
   * so after a short name and a colon; `*` any ending (before a word: any beginning); `…` up to eight words between;
   * `#` a number; `$` the text ends so; `(a|b)` either; `(a |)` optional. Brackets do not nest.
   */
  pattern: string;
  value: T;
}

/** A pattern that fits, with the words that it fits. */
export interface PatternHit<T> {
  value: T;
  words: string;
}

interface Compiled<T> {
  value: T;
  expression: RegExp;
}

/** Patterns by where they may fit and by the beginning of their first word. */
export interface PatternIndex<T> {
  /** Those that fit only where a title begins. */
  atStart: WordIndex<Compiled<T>>;
  /** Those that fit only there and may begin with any word. */
  atStartAny: Compiled<T>[];
  inside: WordIndex<Compiled<T>>;
  /** Those that may begin with any word: each is looked for once, wherever it stands. */
  insideAny: Compiled<T>[];
}

/** How many words a gap holds at most. */
const LONGEST_GAP = 8;

/** Builds an index; throws on a pattern that cannot be read. */
export function buildPatternIndex<T>(entries: readonly PatternEntry<T>[]): PatternIndex<T> {
  const index: PatternIndex<T> = {
    atStart: new WordIndex(),
    atStartAny: [],
    inside: new WordIndex(),
    insideAny: [],
  };
  for (const { pattern, value } of entries) {
    const atStart = pattern.startsWith("^");
    const pieces = readPieces(pattern.replace(/^\^|\$$/g, ""));
    const source = toSource(pieces, pattern);
    const beginnings = beginningsOf(pieces);
    if (beginnings.has(ANY) && !atStart) {
      const expression = new RegExp(`(?<![a-z0-9\u00c0-\uffff])${source}`);
      index.insideAny.push({ value, expression });
      continue;
    }
    const compiled = { value, expression: new RegExp(source, "y") };
    if (beginnings.has(ANY)) {
      index.atStartAny.push(compiled);
      continue;
    }
    for (const beginning of beginnings) {
      (atStart ? index.atStart : index.inside).add(beginning, compiled);
    }
  }
  return index;
}

/** Every pattern that fits somewhere in the text, each once. */
export function findPatterns<T>(index: PatternIndex<T>, { lower, wordStarts }: FoldedText): PatternHit<T>[] {
  const hits = new Map<Compiled<T>, PatternHit<T>>();
  const tryAt = (compiled: Compiled<T>, at: number) => {
    if (hits.has(compiled)) return;
    compiled.expression.lastIndex = at;
    const found = compiled.expression.exec(lower);
    if (found !== null) hits.set(compiled, { value: compiled.value, words: found[0].trim() });
  };
  for (const at of beginningsIn(lower)) {
    for (const compiled of [...index.atStart.at(lower, at), ...index.atStartAny]) tryAt(compiled, at);
  }
  for (const at of wordStarts) {
    for (const compiled of index.inside.at(lower, at)) tryAt(compiled, at);
  }
  for (const compiled of index.insideAny) tryAt(compiled, 0);
  return [...hits.values()];
}

/** Where a title may begin: at its first word, after a CELEX number, and after a short name with a colon. */
function beginningsIn(lower: string): number[] {
  const starts = [];
  const celex = /^celex:? ?[0-9a-z()]+: ?/.exec(lower);
  for (const from of celex === null ? [0] : [celex[0].length]) {
    starts.push(from + (/^[^a-z0-9]*/.exec(lower.slice(from))?.[0].length ?? 0));
    const colon = lower.indexOf(": ", from);
    if (colon > 0 && colon - from <= LONGEST_NAME) {
      starts.push(colon + (/^[^a-z0-9]*/.exec(lower.slice(colon))?.[0].length ?? 0));
    }
  }
  return starts;
}

/** The longest name before a colon after which a title begins anew ("Algorithms, competition and harm: call for …"). */
const LONGEST_NAME = 90;

/** Words in a row, or alternatives of them. */
interface Piece {
  alternatives: string[];
  optional: boolean;
  /** A space follows in the pattern. */
  spaced: boolean;
}

function readPieces(pattern: string): Piece[] {
  const pieces: Piece[] = [];
  for (const match of pattern.matchAll(/\(([^()]*)\)( ?)|([^() ]+)( ?)/g)) {
    const inside = match[1];
    if (inside === undefined) {
      pieces.push({ alternatives: [match[3] ?? ""], optional: false, spaced: match[4] === " " });
      continue;
    }
    const alternatives = inside.split("|").map((text) => text.trim());
    const real = alternatives.filter((text) => text !== "");
    pieces.push({
      alternatives: real,
      optional: real.length < alternatives.length,
      spaced: match[2] === " ",
    });
  }
  return pieces;
}

function toSource(pieces: readonly Piece[], pattern: string): string {
  let source = "";
  for (const piece of pieces) {
    const words = piece.alternatives.map((text) => text.split(" ").map(wordSource).join(""));
    const gap = piece.alternatives[0] === "…";
    if (gap) source += wordSource("…");
    else if (piece.optional) source += `(?:(?:${words.map(trimEnd).join("|")})${piece.spaced ? " " : ""})?`;
    else source += `(?:${words.map(trimEnd).join("|")})${piece.spaced ? " " : ""}`;
  }
  if (source === "") throw new Error(`pattern "${pattern}" holds no words`);
  return `${source}${pattern.endsWith("$") ? "[^a-z0-9]*$" : "(?![a-z0-9])"}`;
}

/** One word of a pattern with the space after it; a gap takes its own spaces. */
function wordSource(word: string): string {
  if (word === "…") return `(?:\\S+ ){0,${LONGEST_GAP}}?`;
  const source = foldPhrase(word.replaceAll("*", "\u0001").replaceAll("#", "\u0002")).toLowerCase()
    .replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")
    .replaceAll("\u0001", "[a-z0-9\u00c0-\uffff]*").replaceAll("\u0002", "\\d[\\d/.]*");
  return `${source} `;
}

function trimEnd(source: string): string {
  return source.endsWith(" ") ? source.slice(0, -1) : source;
}

/** Any beginning. */
const ANY = "";

/** The fixed beginning, of two to four characters, of every word with which the pieces can begin, or {@link ANY}. */
function beginningsOf(pieces: readonly Piece[]): Set<string> {
  const beginnings = new Set<string>();
  for (const piece of pieces) {
    for (const text of piece.alternatives) {
      const first = foldPhrase(text).toLowerCase();
      const fixed = /^[a-z0-9\u00c0-\uffff]{2,4}/.exec(first);
      // A word of two or three letters that goes on glued ("(pr|)en") is still known by its own letters.
      beginnings.add(fixed === null ? ANY : fixed[0]);
    }
    // A glued prefix ("(pr|)en") begins with either; a spaced one may be left out whole.
    if (!piece.optional) break;
  }
  return beginnings;
}
