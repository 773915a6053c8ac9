// Parses the keys that identify a source's publications and their languages.
import { IDENTITY_RULES, type IdentityRule, PATTERN_RULE } from "../../domain/source/source.ts";
import { quote } from "../toml/problems.ts";
import { type Reading, readLanguage } from "../parse_values.ts";

const FORMS = 'use "guid", "link", "link+title" or { pattern = "/news/([0-9]+)" }';

/** Parses the value of `identity`: a word, or a table with a pattern whose first group is the identity. */
export function readIdentity(value: unknown): Reading<IdentityRule> {
  if (typeof value === "string") {
    if ((IDENTITY_RULES as readonly string[]).includes(value)) return { value };
    return { problem: `cannot be ${quote(value)}: ${FORMS}` };
  }
  const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
  const pattern = (value as { pattern?: unknown } | null | undefined)?.pattern;
  if (keys.join() !== "pattern" || typeof pattern !== "string") {
    return { problem: `is not a table with only a pattern: ${FORMS}` };
  }
  const reading = readPattern(pattern);
  if ("problem" in reading) return reading;
  if (countGroups(pattern) === 0) {
    return { problem: "has a pattern without a group: put the identifying part in parentheses" };
  }
  return { value: PATTERN_RULE + pattern };
}

/** Maximum length of a regular expression, in characters. */
const MAX_PATTERN = 1_000;

export function readPattern(text: string): Reading<string> {
  if (text.length > MAX_PATTERN) {
    return { problem: `is longer than ${MAX_PATTERN} characters: write a shorter regular expression` };
  }
  try {
    new RegExp(text);
  } catch (error) {
    const reason = (error as Error).message.replace(/^.*\/: /, "");
    return { problem: `is not a valid regular expression: ${reason}` };
  }
  return text === "" ? { problem: "is empty: write a regular expression" } : { value: text };
}

/** Counts the groups. The empty alternative matches first, so the pattern itself never runs. */
function countGroups(pattern: string): number {
  return (new RegExp(`|${pattern}`).exec("")?.length ?? 1) - 1;
}

export function findUrlsProblems(urls: Readonly<Record<string, string>>): string[] {
  const codes = Object.keys(urls);
  if (codes.length < 2) return ["needs the URLs of several languages; for a single URL, use url"];
  return codes.flatMap((code) => {
    const reading = readLanguage(code);
    return "problem" in reading ? [`has the key ${quote(code)}, which ${reading.problem}`] : [];
  });
}
