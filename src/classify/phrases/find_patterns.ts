// Finds patterns in a text. Unlike phrases, patterns may have gaps, alternatives, and words with any beginning.
import { type FoldedText, foldPhrase } from "./fold_text.ts";
import { WordIndex } from "./word_index.ts";

interface PatternEntry<T> {
  /**
   * Words in any case, in which hyphens and brackets count as spaces. `^`: start of the text, or of the part after a
   * CELEX number or after a short name and a colon. `$`: end of the text. `*`: any ending (before a word: any
   * beginning). `…`: up to eight words. `#`: a number. `(a|b)`: either one. `(a |)`: optional. Parentheses cannot be
   * nested.
   */
  pattern: string;
  value: T;
}

interface PatternHit<T> {
  value: T;
  words: string;
}

interface Compiled<T> {
  value: T;
  expression: RegExp;
}

/** Patterns, indexed by the start of their first word. */
export interface PatternIndex<T> {
  /** Patterns that start with `^`. */
  atStart: WordIndex<Compiled<T>>;
  anywhere: WordIndex<Compiled<T>>;
}

const MAX_GAP_WORDS = 8;

/** Builds an index. Throws on a pattern without words. */
export function buildPatternIndex<T>(entries: readonly PatternEntry<T>[]): PatternIndex<T> {
  const index: PatternIndex<T> = { atStart: new WordIndex(), anywhere: new WordIndex() };
  for (const { pattern, value } of entries) {
    const pieces = readPieces(pattern.replace(/^\^|\$$/g, ""));
    const compiled = { value, expression: new RegExp(toSource(pieces, pattern), "y") };
    const words = pattern.startsWith("^") ? index.atStart : index.anywhere;
    for (const prefix of prefixesOf(pieces)) words.add(prefix, compiled);
  }
  return index;
}

/** Returns every pattern that matches somewhere in the text, once each. */
export function findPatterns<T>(index: PatternIndex<T>, { lower, wordStarts }: FoldedText): PatternHit<T>[] {
  const hits = new Map<Compiled<T>, PatternHit<T>>();
  const tryAt = (position: number, patterns: WordIndex<Compiled<T>>) => {
    for (const compiled of patterns.at(lower, position)) {
      if (hits.has(compiled)) continue;
      compiled.expression.lastIndex = position;
      const found = compiled.expression.exec(lower);
      if (found !== null) hits.set(compiled, { value: compiled.value, words: found[0].trim() });
    }
  };
  for (const start of titleStarts(lower)) tryAt(start, index.atStart);
  for (const start of wordStarts) tryAt(start, index.anywhere);
  return [...hits.values()];
}

/** Returns where a title may start: at its first word, after a CELEX number, or after a short name and a colon. */
function titleStarts(lower: string): number[] {
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

/** Maximum length of the name before the colon ("Algorithms, competition and harm: call for …"). */
const LONGEST_NAME = 90;

/** A word of a pattern, or a group of alternatives. */
interface Piece {
  alternatives: string[];
  optional: boolean;
  /** Whether a space follows in the pattern. */
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
  if (source === "") throw new Error(`pattern "${pattern}" has no words`);
  return `${source}${pattern.endsWith("$") ? "[^a-z0-9]*$" : "(?![a-z0-9])"}`;
}

/** Returns the expression for a word and the space after it. A gap includes its own spaces. */
function wordSource(word: string): string {
  if (word === "…") return `(?:\\S+ ){0,${MAX_GAP_WORDS}}?`;
  const source = foldPhrase(word.replaceAll("*", "\u0001").replaceAll("#", "\u0002")).toLowerCase()
    .replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")
    .replaceAll("\u0001", "[a-z0-9\u00c0-\uffff]*").replaceAll("\u0002", "\\d[\\d/.]*");
  return `${source} `;
}

function trimEnd(source: string): string {
  return source.endsWith(" ") ? source.slice(0, -1) : source;
}

/** The prefix of a pattern that may start with any word. */
const ANY = "";

/** Returns the first two to four characters of each word that a pattern can start with, or {@link ANY} for any word. */
function prefixesOf(pieces: readonly Piece[]): Iterable<string> {
  // If the first piece is optional ("(pr|)en"), a match may also start with the next one.
  const required = pieces.findIndex(({ optional }) => !optional);
  const words = pieces.slice(0, required < 0 ? undefined : required + 1).flatMap((piece) =>
    piece.alternatives
  );
  const prefixes = words.map((word) =>
    /^[a-z0-9\u00c0-\uffff]{2,4}/.exec(foldPhrase(word).toLowerCase())?.[0] ?? ANY
  );
  return prefixes.includes(ANY) ? [ANY] : new Set(prefixes);
}
