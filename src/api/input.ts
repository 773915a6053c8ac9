// Reading what a client sends: query and body, bounded and checked, with an error that names each wrong field.
import { z } from "zod";
import { AppError, type FieldError } from "../domain/errors.ts";
import { type Clock, DeadlineError } from "../domain/ports.ts";

/** The longest body that is read, bytes. */
export const MAX_BODY_BYTES = 65_536;
/** How long a body may take to arrive, ms. */
const BODY_DEADLINE_MS = 10_000;
/** The longest address (path and query) that is read, characters. */
export const MAX_URL_LENGTH = 8_192;
/** The deepest nesting of JSON that is read. */
const MAX_JSON_DEPTH = 32;

/** Input as a schema sees it: all of it, or what is good of it beside what is wrong. */
export interface CheckedInput {
  /** Whole only without errors. */
  value: unknown;
  /** The fields that are good by themselves. */
  good: Record<string, unknown>;
  errors: FieldError[];
}

/** Input of a route that takes none. */
export const NO_INPUT: CheckedInput = { value: undefined, good: {}, errors: [] };

/** The query's parameters by the schema (none: no parameter is taken). */
export function readQuery(parameters: URLSearchParams, schema: z.ZodType | undefined): CheckedInput {
  const errors: FieldError[] = [];
  const values: Record<string, string> = {};
  for (const [name, value] of parameters) {
    if (Object.hasOwn(values, name)) errors.push({ field: name, message: "is given more than once" });
    values[name] = value;
  }
  if (schema === undefined) {
    for (const name of Object.keys(values)) {
      errors.push({ field: name, message: "is not a parameter of this path" });
    }
  } else {
    const checked = check(values, schema, "parameter");
    return { ...checked, errors: [...errors, ...checked.errors] };
  }
  return { ...NO_INPUT, errors };
}

/** The body by the schema. Throws `unsupported_media_type`, `body_too_large`, or `invalid_input` when it is no JSON. */
export async function readBody(request: Request, schema: z.ZodType, clock: Clock): Promise<CheckedInput> {
  const type = (request.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw new AppError(
      "unsupported_media_type",
      "Send the body as JSON, with `Content-Type: application/json`.",
    );
  }
  const value = parseJson(decode(await readBytes(request, clock)));
  const checked = check(value, schema, "field");
  const broken = brokenTexts(value, "").map((field) => ({ field, message: "holds half of a character" }));
  return { ...checked, errors: [...checked.errors, ...broken] };
}

async function readBytes(request: Request, clock: Clock): Promise<Uint8Array> {
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > MAX_BODY_BYTES) throw tooLarge();
  const reader = request.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    await clock.within(BODY_DEADLINE_MS, async (signal) => {
      while (!signal.aborted) {
        const { done, value } = await reader.read();
        if (done) return;
        length += value.length;
        if (length > MAX_BODY_BYTES) throw tooLarge();
        chunks.push(value);
      }
    });
  } catch (error) {
    // The rest is not waited for: a client that sends without end must not hold the answer.
    reader.cancel().catch(() => {});
    if (error instanceof AppError) throw error;
    const late = error instanceof DeadlineError;
    throw new AppError(
      "invalid_input",
      late ? `The body did not arrive within ${BODY_DEADLINE_MS / 1000} s.` : "The body broke off.",
    );
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

function tooLarge(): AppError {
  return new AppError("body_too_large", `A body may have at most ${MAX_BODY_BYTES} bytes.`);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new AppError("invalid_input", "The body is not valid UTF-8.");
  }
}

function parseJson(text: string): unknown {
  if (text.trim() === "") throw new AppError("invalid_input", "The body is empty; send a JSON object.");
  if (isDeeperThan(text, MAX_JSON_DEPTH)) {
    throw new AppError("invalid_input", `The body is nested deeper than ${MAX_JSON_DEPTH} levels.`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError("invalid_input", `The body is not valid JSON: ${(error as Error).message}.`);
  }
}

/** Counts brackets outside strings; a schema that walks into deep input would overflow the stack. */
function isDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (quoted) {
      if (character === "\\") index++;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === "[" || character === "{") {
      if (++depth > limit) return true;
    } else if (character === "]" || character === "}") depth--;
  }
  return false;
}

/** The fields whose text has a lone surrogate: it could not be stored as it was sent. Nesting is bounded before. */
function brokenTexts(value: unknown, path: string): string[] {
  if (typeof value === "string") return value.isWellFormed() ? [] : [path === "" ? "body" : path];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    name.isWellFormed()
      ? brokenTexts(part, path === "" ? name : `${path}.${name}`)
      : [path === "" ? "body" : path]
  );
}

function check(value: unknown, schema: z.ZodType, what: "parameter" | "field"): CheckedInput {
  const result = schema.safeParse(value);
  if (result.success) {
    return { value: result.data, good: result.data as Record<string, unknown>, errors: [] };
  }
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape).join(", ") : "";
  const errors = result.error.issues.flatMap((issue) => fieldErrors(issue, what, known));
  return { value: undefined, good: goodFields(value, schema), errors };
}

/** The fields that pass by themselves, so that one answer can name every wrong one. */
function goodFields(value: unknown, schema: z.ZodType): Record<string, unknown> {
  if (!(schema instanceof z.ZodObject) || typeof value !== "object" || value === null) return {};
  const good: [string, unknown][] = [];
  for (const [name, field] of Object.entries(schema.shape as Record<string, z.ZodType>)) {
    const result = field.safeParse(
      Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined,
    );
    if (result.success) good.push([name, result.data]);
  }
  return Object.fromEntries(good);
}

function fieldErrors(issue: z.core.$ZodIssue, what: "parameter" | "field", known: string): FieldError[] {
  // A parameter that lists values is one field to its sender.
  const path = (what === "parameter" ? issue.path.slice(0, 1) : issue.path).map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      field: path === "" ? key : `${path}.${key}`,
      message: `is not a ${what} that this path knows${known === "" ? "" : `; it knows ${known}`}`,
    }));
  }
  return [{ field: path === "" ? "body" : path, message: inWords(issue) }];
}

const KINDS: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

/** What is wrong, in the words of somebody who sends JSON; a schema's own message stands as it is. */
function inWords(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type" && issue.message.startsWith("Invalid input")) {
    const wanted = KINDS[issue.expected] ?? issue.expected;
    return issue.message.endsWith("undefined") ? `is missing: it must be ${wanted}` : `must be ${wanted}`;
  }
  if (issue.code === "invalid_value" && issue.message.startsWith("Invalid ")) {
    return `must be one of ${issue.values.map(String).join(", ")}`;
  }
  if (issue.code === "too_big" && issue.message.startsWith("Too big")) {
    return `may have at most ${issue.maximum} ${issue.origin === "array" ? "entries" : "characters"}`;
  }
  if (issue.code === "too_small" && issue.message.startsWith("Too small")) {
    return `must have at least ${issue.minimum} ${issue.origin === "array" ? "entries" : "characters"}`;
  }
  return issue.message;
}

/** An error that names these fields. */
export function invalid(found: FieldError[]): AppError {
  const errors = [...new Map(found.map((error) => [`${error.field} ${error.message}`, error])).values()];
  const named = errors.map(({ field, message }) => `${field}: ${message}`).join("; ");
  return new AppError("invalid_input", named, errors);
}
