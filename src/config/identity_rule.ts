// The keys of a source that say what tells its publications apart, and their languages.
import { IDENTITY_RULES, type IdentityRule, PATTERN_RULE } from "../domain/source.ts";
import { describeFound, quote } from "./problems.ts";
import { type Reading, readLanguage } from "./parse_values.ts";

const FORMS = 'write "guid", "link", "link+title" or { pattern = "/news/([0-9]+)" }';

/** The rule of `identity`: one of the words, or a table with a pattern whose first group is the identity. */
export function readIdentity(value: unknown): Reading<IdentityRule> {
  if (typeof value === "string") {
    if ((IDENTITY_RULES as readonly string[]).includes(value)) return { value };
    return { problem: `cannot be ${quote(value)}: ${FORMS}` };
  }
  const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
  const pattern = (value as { pattern?: unknown } | null | undefined)?.pattern;
  if (keys.join() !== "pattern" || typeof pattern !== "string") {
    return { problem: `needs a rule; found ${describeFound(value)}: ${FORMS}` };
  }
  const reading = readPattern(pattern);
  if ("problem" in reading) return reading;
  if (countGroups(pattern) === 0) {
    return { problem: "has a pattern without a group: put what identifies a publication in ( )" };
  }
  return { value: PATTERN_RULE + pattern };
}

/** Maximum length of a regular expression, characters. */
const MAX_PATTERN = 1_000;

/** A regular expression of JavaScript. */
export function readPattern(text: string): Reading<string> {
  if (text.length > MAX_PATTERN) {
    return { problem: `is longer than ${MAX_PATTERN} characters: write a shorter regular expression` };
  }
  try {
    new RegExp(text);
  } catch (error) {
    return {
      problem: `is not a valid regular expression: ${(error as Error).message.replace(/^.*\/: /, "")}`,
    };
  }
  return text === "" ? { problem: "is empty: write a regular expression" } : { value: text };
}

/** How many groups it has. The empty alternative before it matches, so the pattern itself is never run. */
function countGroups(pattern: string): number {
  return (new RegExp(`|${pattern}`).exec("")?.length ?? 1) - 1;
}

/** What is wrong with the languages of `urls`. */
export function findUrlsProblems(urls: Readonly<Record<string, string>>): string[] {
  const codes = Object.keys(urls);
  if (codes.length < 2) return ["needs an address for each of several languages; one alone is a url"];
  return codes.flatMap((code) => {
    const reading = readLanguage(code);
    return "problem" in reading ? [`names the language ${quote(code)}, which ${reading.problem}`] : [];
  });
}
