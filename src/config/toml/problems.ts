// Describes the problems of a config.
import type { KeyPath } from "./key_lines.ts";

export interface ConfigProblem {
  /** The config file, as the caller named it. */
  file: string;
  /** The line, from 1, or null if it is unknown. */
  line: number | null;
  /** The column, from 1; set only for invalid TOML. */
  column?: number;
  /** The key with its tables, such as `[[sources]] "eu-edpb-news" schedule`, or null for the whole file. */
  key: string | null;
  /** What is wrong and what to do. Never contains a secret. */
  message: string;
  /** The part of the file that is wrong, in two lines without secrets, or an empty string. */
  excerpt: string;
}

/** A problem whose line in the file is not known yet. */
export interface KeyProblem {
  path: KeyPath;
  message: string;
  /** Set if the key itself is wrong, not its value. */
  isKey?: true;
  /** An earlier key with the same value. If set, the message only says what to do. */
  duplicateOf?: KeyPath;
}

/** Thrown for an invalid config. Lists all its problems in the order of the file. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  constructor(readonly problems: readonly ConfigProblem[]) {
    super(problems.map(formatProblem).join("\n"));
  }
}

/** Formats a problem for people, with the part of the file that is wrong on separate lines. */
export function showProblem(problem: ConfigProblem): string {
  return formatProblem(problem) + (problem.excerpt === "" ? "" : `\n${problem.excerpt}`);
}

/** Formats a problem as one line: `regfeed.toml:12: [[sources]] "eu-edpb-news" schedule: …`. */
export function formatProblem(problem: ConfigProblem): string {
  const position = [problem.file, problem.line, problem.column].filter((part) =>
    part !== undefined && part !== null
  );
  return [position.join(":"), problem.key, problem.message].filter((part) => part !== null).join(": ");
}

/** Formats a path: `sources[2].schedule`. Returns null for the whole document. */
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

/** Describes a value of the file: `the string "abc"`, `the number 5`, `a list`. */
export function describeFound(value: unknown): string {
  if (typeof value === "string") return value === "" ? "an empty string" : `the string ${quote(value)}`;
  if (typeof value === "number" || typeof value === "bigint") return `the number ${value}`;
  if (typeof value === "boolean") return String(value);
  return describeKind(value);
}

/** Describes the kind of a value without its content, which may be secret. */
export function describeKind(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (value instanceof Date) return "a date or time";
  if (typeof value === "string") return "a string";
  return typeof value === "object" ? "a table" : `a ${typeof value}`;
}

/** Quotes and shortens a string, and omits the users, passwords and queries of URLs, which may be secret. */
export function quote(text: string): string {
  const bare = bareUrl(text);
  return JSON.stringify(bare.length > SHOWN_CHARACTERS ? bare.slice(0, SHOWN_CHARACTERS) + "…" : bare);
}

/**
 * Returns a URL without its user, password and query, and other text unchanged. Also recognises URLs with mistakes,
 * such as one without its colon.
 */
export function bareUrl(text: string): string {
  if (!/[\w:/]\/[\w/]/.test(text)) return text;
  const scheme = /^[a-z]+:\/\//i.exec(text)?.[0] ?? "";
  const host = text.lastIndexOf("@");
  const bare = host === -1 ? text : `${scheme}…${text.slice(host)}`;
  const query = bare.search(/[?#=&]/);
  return query === -1 ? bare : `${bare.slice(0, query)}?…`;
}

/** Joins words for a sentence: `a, b and c`. */
export function joinList(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
