// Finds patterns of words with gaps, endings and alternatives; the rules for event types and severities use them.
import { type FoldedText, foldPhrase } from "./fold_text.ts";
import { WordIndex } from "./word_index.ts";

/** A pattern of the data and the value that it stands for. */
export interface PatternEntry<T> {
  /**
   * Words; upper and lower case are equal; hyphens and brackets count as spaces. `^`: start of the text, or of what
   * follows a short name and a colon. `$`: end of the text. `*`: any ending (before a word: any beginning). `…`: up to
   * eight words. `#`: a number. `(a|b)`: either. `(a |)`: optional. Parentheses do not nest.
   */
  pattern: string;
  value: T;
}

/** A pattern that matches, with the matched words. */
export interface PatternHit<T> {
  value: T;
  words: string;
}

interface Compiled<T> {
  value: T;
  expression: RegExp;
}

/** Patterns, found by the start of their first word. */
export interface PatternIndex<T> {
  /** Patterns that match only at the start of a title. */
  atStart: WordIndex<Compiled<T>>;
  /** The same, with no fixed first word. */
  atStartAny: Compiled<T>[];
  anywhere: WordIndex<Compiled<T>>;
  anywhereAny: Compiled<T>[];
}

/** Maximum number of words in a gap. */
const LONGEST_GAP = 8;

/** Builds an index; throws on a pattern without words. */
export function buildPatternIndex<T>(entries: readonly PatternEntry<T>[]): PatternIndex<T> {
  const index: PatternIndex<T> = {
    atStart: new WordIndex(),
    atStartAny: [],
    anywhere: new WordIndex(),
    anywhereAny: [],
  };
  for (const { pattern, value } of entries) {
    const atStart = pattern.startsWith("^");
    const pieces = readPieces(pattern.replace(/^\^|\$$/g, ""));
    const source = toSource(pieces, pattern);
    const prefixes = prefixesOf(pieces);
    if (prefixes.has(ANY) && !atStart) {
      const expression = new RegExp(`(?<![a-z0-9\u00c0-\uffff])${source}`);
      index.anywhereAny.push({ value, expression });
      continue;
    }
    const compiled = { value, expression: new RegExp(source, "y") };
    if (prefixes.has(ANY)) {
      index.atStartAny.push(compiled);
      continue;
    }
    for (const prefix of prefixes) (atStart ? index.atStart : index.anywhere).add(prefix, compiled);
  }
  return index;
}

/** Every pattern that matches somewhere in the text, each once. */
export function findPatterns<T>(index: PatternIndex<T>, { lower, wordStarts }: FoldedText): PatternHit<T>[] {
  const hits = new Map<Compiled<T>, PatternHit<T>>();
  const tryAt = (compiled: Compiled<T>, position: number) => {
    if (hits.has(compiled)) return;
    compiled.expression.lastIndex = position;
    const found = compiled.expression.exec(lower);
    if (found !== null) hits.set(compiled, { value: compiled.value, words: found[0].trim() });
  };
  for (const start of titleStarts(lower)) {
    for (const compiled of [...index.atStart.at(lower, start), ...index.atStartAny]) tryAt(compiled, start);
  }
  for (const start of wordStarts) {
    for (const compiled of index.anywhere.at(lower, start)) tryAt(compiled, start);
  }
  for (const compiled of index.anywhereAny) tryAt(compiled, 0);
  return [...hits.values()];
}

/** Where a title may start: at its first word, after a CELEX number, or after a short name and a colon. */
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
  if (source === "") throw new Error(`pattern "${pattern}" has no words`);
  return `${source}${pattern.endsWith("$") ? "[^a-z0-9]*$" : "(?![a-z0-9])"}`;
}

/** The expression for a word and the space after it; a gap includes its own spaces. */
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

/** The prefix of a pattern that may start with any word. */
const ANY = "";

/** The first two to four characters of each word that a pattern can start with, or {@link ANY}. */
function prefixesOf(pieces: readonly Piece[]): Set<string> {
  const prefixes = new Set<string>();
  for (const piece of pieces) {
    for (const text of piece.alternatives) {
      const first = foldPhrase(text).toLowerCase();
      const fixed = /^[a-z0-9\u00c0-\uffff]{2,4}/.exec(first);
      prefixes.add(fixed === null ? ANY : fixed[0]);
    }
    // If the first piece is optional ("(pr|)en"), a match may also start with the next one.
    if (!piece.optional) break;
  }
  return prefixes;
}
