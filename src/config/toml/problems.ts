// Problems of a config and how they are worded.
import type { KeyPath } from "./key_lines.ts";

export interface ConfigProblem {
  /** The config file, as the caller named it. */
  file: string;
  /** From 1; null if unknown. */
  line: number | null;
  /** From 1; only for invalid TOML. */
  column?: number;
  /** The key with its tables: `sources[2].schedule`, counted from 0; null for the whole file. */
  key: string | null;
  /** What is wrong and what to do; never contains a secret. */
  message: string;
}

/** A problem with a key, before its line is known. */
export interface KeyProblem {
  path: KeyPath;
  message: string;
  /** An earlier key with the same value; the message then says only what to do. */
  duplicateOf?: KeyPath;
}

/** Thrown for an invalid config, with all its problems in the order of the file. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  constructor(readonly problems: readonly ConfigProblem[]) {
    super(problems.map(formatProblem).join("\n"));
  }
}

/** One line: `regfeed.toml:12: sources[2].schedule: …`. */
export function formatProblem(problem: ConfigProblem): string {
  const position = [problem.file, problem.line, problem.column].filter((part) =>
    part !== undefined && part !== null
  );
  return [position.join(":"), problem.key, problem.message].filter((part) => part !== null).join(": ");
}

/** A path as text: `sources[2].schedule`; null for the whole document. */
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

/** A value of the file in words: `the string "abc"`, `the number 5`, `a list`. */
export function describeFound(value: unknown): string {
  if (typeof value === "string") return value === "" ? "an empty string" : `the string ${quote(value)}`;
  if (typeof value === "number" || typeof value === "bigint") return `the number ${value}`;
  if (typeof value === "boolean") return String(value);
  return describeKind(value);
}

/** The kind of a value without its content, which may be secret. */
export function describeKind(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (value instanceof Date) return "a date or time";
  if (typeof value === "string") return "a string";
  return typeof value === "object" ? "a table" : `a ${typeof value}`;
}

/** A string in quotes, shortened, without passwords and queries of URLs, which may be secrets. */
export function quote(text: string): string {
  const bare = text.replace(/\/\/[^@/]*@/, "//…@").replace(/^([a-z]+:\/\/[^?#]*)[?#].*$/is, "$1?…");
  return JSON.stringify(bare.length > SHOWN_CHARACTERS ? bare.slice(0, SHOWN_CHARACTERS) + "…" : bare);
}

/** Words joined for a sentence: `a, b and c`. */
export function joinList(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
