// Validates the query and the body against their schemas. The error names each invalid field.
import * as z from "zod";
import { findNearest } from "../domain/did_you_mean.ts";
import type { FieldError } from "../domain/error_codes.ts";
import type { SentParameter } from "./request_url.ts";
import { clipField, type Finding, notAmong } from "./invalid_fields.ts";
import { isList } from "./parameters.ts";

const MAX_JSON_DEPTH = 32;

// deno-lint-ignore no-control-regex
const CONTROL = /[\x00-\x1f\x7f]/;
/** Control characters other than tabs and line breaks. */
// deno-lint-ignore no-control-regex
const CONTROL_IN_LINES = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/;

interface CheckedInput {
  /** The validated input, to be used only if there are no errors; undefined if it does not match the schema. */
  value: unknown;
  good: Record<string, unknown>;
  errors: Finding[];
}

export const NO_INPUT: CheckedInput = { value: undefined, good: {}, errors: [] };

/**
 * Validates the query's parameters. Without a schema, no parameters are allowed. `hasLines` allows tabs and line breaks,
 * which the fields of a form may contain.
 */
export function readQuery(
  parameters: readonly SentParameter[],
  schema: z.ZodType | undefined,
  { hasLines = false }: { hasLines?: boolean } = {},
): CheckedInput {
  if (parameters.length === 0 && schema === undefined) return NO_INPUT;
  const errors: Finding[] = [];
  const values: Record<string, string> = {};
  for (const [name, sent] of Map.groupBy(parameters, ({ name }) => name)) {
    const field = name === "" ? "query" : name;
    const isListed = schema instanceof z.ZodObject && isList(schema.shape[field]);
    const problem = problemOf(sent, isListed, hasLines ? CONTROL_IN_LINES : CONTROL);
    if (problem !== null) errors.push({ field, message: problem });
    // defineProperty, because a parameter may be called `__proto__`.
    else Object.defineProperty(values, field, { value: joined(sent), enumerable: true, configurable: true });
  }
  if (schema === undefined) {
    const unknown = Object.keys(values).map((field) => ({
      field,
      message: "is not a parameter of this endpoint",
    }));
    return { ...NO_INPUT, errors: [...errors, ...unknown] };
  }
  const checked = check(values, schema, "parameter");
  return { ...checked, errors: [...errors, ...checked.errors] };
}

/** Returns what is wrong with the values of one parameter, or null. */
function problemOf(sent: readonly SentParameter[], isList: boolean, control: RegExp): string | null {
  if (sent.some(({ name }) => name === "")) return "has a value without a name";
  if (sent.length > 1 && !isList) return "is given more than once";
  if (sent.some(({ value }) => value === null)) return "is not valid percent-encoded UTF-8; write % as %25";
  return control.test(joined(sent)) ? "contains a control character" : null;
}

/** Returns the value of a parameter. A repeated list is the same as one with commas. */
function joined(sent: readonly SentParameter[]): string {
  return sent.map(({ value }) => value ?? "").join(",");
}

/** Validates the body. Invalid JSON is reported as an error of the field `body`. */
export function checkBody(bytes: Uint8Array, schema: z.ZodType): CheckedInput {
  const read = readJson(bytes);
  if ("problem" in read) return { ...NO_INPUT, errors: [{ field: "body", message: read.problem }] };
  const checked = check(read.value, schema, "field");
  const named = (message: string) => (field: string): Finding => ({ field, message });
  const malformed = malformedTexts(read.value, "").map(named("contains an unpaired surrogate"));
  const repeated = read.twice.map(named("is given more than once"));
  return { ...checked, errors: [...checked.errors, ...malformed, ...repeated] };
}

/** Parses JSON, and finds duplicate names in objects, because parsers disagree on which value counts. */
function readJson(bytes: Uint8Array): { value: unknown; twice: string[] } | { problem: string } {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { problem: "is not valid UTF-8" };
  }
  if (text.trim() === "") return { problem: "is empty; it must be a JSON object" };
  try {
    const value = JSON.parse(text);
    const twice = repeatedNames(text);
    return twice === null ? { problem: `is nested deeper than ${MAX_JSON_DEPTH} levels` } : { value, twice };
  } catch (error) {
    return { problem: `is not valid JSON: ${(error as Error).message}` };
  }
}

const COLON = /\s*:/y;

/** Returns the names that occur twice in one object of a valid JSON text, or null if the text is nested too deeply. */
function repeatedNames(text: string): string[] | null {
  const repeated = new Set<string>();
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "{" || character === "[") {
      if (open.push(new Set()) > MAX_JSON_DEPTH) return null;
    } else if (character === "}" || character === "]") open.pop();
    else if (character === '"') {
      const start = at;
      for (at++; text[at] !== '"'; at++) if (text[at] === "\\") at++;
      COLON.lastIndex = at + 1;
      if (!COLON.test(text)) continue;
      const name = JSON.parse(text.slice(start, at + 1)) as string;
      const names = open.at(-1);
      if (names?.has(name)) repeated.add(name);
      names?.add(name);
    }
  }
  return [...repeated];
}

/** Returns the fields with an unpaired surrogate, which cannot be stored unchanged. The caller limits the nesting. */
function malformedTexts(value: unknown, path: string): string[] {
  if (typeof value === "string") return value.isWellFormed() ? [] : [path === "" ? "body" : path];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    name.isWellFormed()
      ? malformedTexts(part, clipField(path === "" ? name : `${path}.${name}`))
      : [path === "" ? "body" : path]
  );
}

function check(value: unknown, schema: z.ZodType, what: "parameter" | "field"): CheckedInput {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) {
    return { value: result.data, good: result.data as Record<string, unknown>, errors: [] };
  }
  const errors = result.error.issues.flatMap((issue) =>
    fieldErrors(issue, what, namesAt(schema, issue.path))
  );
  return { value: undefined, good: goodFields(value, schema), errors };
}

/** Returns the names that the object at this path may have, or none if the schema has no object there. */
function namesAt(schema: unknown, path: readonly PropertyKey[]): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault) {
    return namesAt(schema.unwrap(), path);
  }
  if (!(schema instanceof z.ZodObject)) return [];
  const [name, ...rest] = path;
  return name === undefined ? Object.keys(schema.shape) : namesAt(schema.shape[String(name)], rest);
}

/** Returns the valid fields, so that they can be verified and one response can name every invalid field. */
function goodFields(value: unknown, schema: z.ZodType): Record<string, unknown> {
  if (!(schema instanceof z.ZodObject) || typeof value !== "object" || value === null) return {};
  const good: [string, unknown][] = [];
  for (const [name, field] of Object.entries(schema.shape as Record<string, z.ZodType>)) {
    const own = Object.getOwnPropertyDescriptor(value, name)?.value;
    const result = goodPart(own, field);
    if (result.success) good.push([name, result.data]);
  }
  return Object.fromEntries(good);
}

/** Parses a value. If it is a list with invalid entries, parses only the valid ones. */
function goodPart(value: unknown, schema: z.ZodType): z.ZodSafeParseResult<unknown> {
  const whole = schema.safeParse(value);
  if (whole.success || !Array.isArray(value)) return whole;
  const wrong = new Set(whole.error.issues.map((issue) => issue.path[0]));
  return schema.safeParse(value.filter((_, index) => !wrong.has(index)));
}

function fieldErrors(issue: z.core.$ZodIssue, what: "parameter" | "field", known: string[]): FieldError[] {
  // To the client, a list parameter is one field, so errors name the parameter, not an entry.
  const path = (what === "parameter" ? issue.path.slice(0, 1) : issue.path).map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      field: path === "" ? key : `${path}.${key}`,
      message: unknownName(key, what, known),
    }));
  }
  return [{ field: path === "" ? "body" : path, message: describeExpected(issue) }];
}

function unknownName(name: string, what: "parameter" | "field", known: string[]): string {
  const nearest = findNearest(name, known);
  const meant = nearest === null ? "" : `did you mean ${nearest}? `;
  return `is not a known ${what}${known.length === 0 ? "" : `; ${meant}known: ${known.join(", ")}`}`;
}

const KINDS: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

/** The types whose minimum and maximum limit the length. */
const COUNTED: readonly string[] = ["string", "array"];

/** Describes the problem in plain words. A schema's custom message is used unchanged. */
function describeExpected(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type" && issue.message.startsWith("Invalid input")) {
    const wanted = KINDS[issue.expected] ?? issue.expected;
    return issue.message.endsWith("undefined") ? `is missing: it must be ${wanted}` : `must be ${wanted}`;
  }
  if (issue.code === "invalid_value" && issue.message.startsWith("Invalid ")) {
    return notAmong(issue.input, issue.values.map(String));
  }
  if ((issue.code === "too_big" || issue.code === "too_small") && !COUNTED.includes(issue.origin)) {
    if (!issue.message.startsWith("Too ")) return issue.message;
    return issue.code === "too_big"
      ? `must be at most ${issue.maximum}`
      : `must be at least ${issue.minimum}`;
  }
  if (issue.code === "too_big" && issue.message.startsWith("Too big")) {
    return `may have at most ${issue.maximum} ${issue.origin === "array" ? "entries" : "characters"}`;
  }
  if (issue.code === "too_small" && issue.message.startsWith("Too small")) {
    if (issue.minimum === 1) return "must not be empty";
    return `must have at least ${issue.minimum} ${issue.origin === "array" ? "entries" : "characters"}`;
  }
  return issue.message;
}
