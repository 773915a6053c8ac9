// What can be wrong with a config, and how it is said.
import type { KeyPath } from "./key_lines.ts";

/** One thing that is wrong with a config. */
export interface ConfigProblem {
  /** The config's file, as the caller named it. */
  file: string;
  /** From 1; null when no line can be named. */
  line: number | null;
  /** From 1; only for text that is not TOML. */
  column?: number;
  /** The key with its tables: `sources[2].schedule`, counted from 0; null when the whole file is meant. */
  key: string | null;
  /** What is wrong and what to do; never holds a secret. */
  message: string;
}

/** A problem with a key, before its line is known. */
export interface KeyProblem {
  path: KeyPath;
  message: string;
  /** An earlier key with the same value; the message then says only what to do. */
  duplicateOf?: KeyPath;
}

/** A config that cannot be used, with everything that is wrong with it in the order of the file. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  constructor(readonly problems: readonly ConfigProblem[]) {
    super(problems.map(formatProblem).join("\n"));
  }
}

/** One line: `regfeed.toml:12: sources[2].schedule: …`. */
export function formatProblem(problem: ConfigProblem): string {
  const place = [problem.file, problem.line, problem.column].filter((part) =>
    part !== undefined && part !== null
  );
  return [place.join(":"), problem.key, problem.message].filter((part) => part !== null).join(": ");
}

/** A path as it reads in a message: `sources[2].schedule`; null for the whole document. */
export function formatKey(path: KeyPath): string | null {
  if (path.length === 0) return null;
  return path
    .map((step, index) => typeof step === "number" ? `[${step}]` : (index > 0 ? "." : "") + formatStep(step))
    .join("");
}

function formatStep(step: string): string {
  return /^[A-Za-z0-9_-]+$/.test(step) ? step : JSON.stringify(step);
}

const SHOWN_CHARACTERS = 60;

/** What stands in the file, in words: `the text "abc"`, `the number 5`, `a list`. */
export function describeFound(value: unknown): string {
  if (typeof value === "string") return value === "" ? "an empty text" : `the text ${quote(value)}`;
  if (typeof value === "number" || typeof value === "bigint") return `the number ${value}`;
  if (typeof value === "boolean") return String(value);
  return describeKind(value);
}

/** The kind of a value without its content, for secrets. */
export function describeKind(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (value instanceof Date) return "a date or time";
  if (typeof value === "string") return "a text";
  return typeof value === "object" ? "a table" : `a ${typeof value}`;
}

/** A text in quotes, shortened, with addresses' passwords and queries left out: those may be secrets. */
export function quote(text: string): string {
  const bare = text.replace(/\/\/[^@/]*@/, "//…@").replace(/^([a-z]+:\/\/[^?#]*)[?#].*$/is, "$1?…");
  return JSON.stringify(bare.length > SHOWN_CHARACTERS ? bare.slice(0, SHOWN_CHARACTERS) + "…" : bare);
}

/** Words as a list in a sentence: `a, b and c`. */
export function listWords(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/**
 * The one of the known words that was probably meant; null when none is near. Case and the characters between words
 * do not count, so `publicUrl` is near `public_url`; and a word is near another that begins with it.
 */
export function nearestWord(word: string, known: readonly string[]): string | null {
  const wanted = bareWord(word);
  let nearest: string | null = null;
  let least = Infinity;
  for (const candidate of known) {
    const distance = editDistance(wanted, bareWord(candidate));
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  if (least <= Math.max(1, Math.floor(wanted.length / 3))) return nearest;
  return known.find((candidate) => isBeginning(wanted, bareWord(candidate))) ?? null;
}

/** ` Did you mean …?` or nothing; goes after a sentence. */
export function didYouMean(word: string, known: readonly string[]): string {
  const nearest = nearestWord(word, known);
  return nearest === null ? "" : ` Did you mean "${nearest}"?`;
}

function bareWord(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

function isBeginning(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= 3 && long.startsWith(short);
}

/** Letters added, left out, exchanged or swapped with a neighbour (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const exchange = (last[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      let best = Math.min(exchange, (last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        best = Math.min(best, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(best);
    }
    [beforeLast, last] = [last, current];
  }
  return last[b.length] ?? 0;
}
