// Building blocks of the config's schema, with messages that state what is expected.
import * as z from "zod";
import { didYouMean } from "../domain/did_you_mean.ts";
import { describeFound, describeKind, joinList, quote } from "./toml/problems.ts";
import { readDuration, type Reading } from "./parse_values.ts";

export function wants(
  what: string,
  example: string,
  found: (value: unknown) => string = describeFound,
): (issue: { input?: unknown }) => string {
  return ({ input }): string =>
    input === undefined
      ? `is missing: it needs ${what}, such as ${example}`
      : `needs ${what}, such as ${example}; found ${found(input)}`;
}

/** A string that `read` converts. If the value is not a string, the message uses `what`, `example` and `found`. */
export function text<T>(
  what: string,
  example: string,
  read: (text: string) => Reading<T>,
  found: (value: unknown) => string = describeFound,
): z.ZodType<T, string> {
  return z.string({ error: wants(what, `"${example}"`, found) }).transform((value, context): T => {
    const reading = read(value);
    if ("value" in reading) return reading.value;
    context.addIssue({ code: "custom", message: reading.problem });
    return z.NEVER;
  });
}

export function wholeNumber(
  bounds: { min: number; max: number },
  example: string,
): z.ZodType<number, number> {
  const what = `an integer from ${bounds.min} to ${bounds.max}`;
  const error = wants(what, example);
  return z.number({ error }).superRefine((value, context) => {
    if (Number.isInteger(value) && value >= bounds.min && value <= bounds.max) return;
    context.addIssue({ code: "custom", message: error({ input: value }) });
  });
}

export function flag(found?: (value: unknown) => string): z.ZodBoolean {
  return z.boolean({ error: wants("true or false without quotes", "true", found) });
}

export function duration(
  bounds: { minMs: number; maxMs: number },
  example: string,
): z.ZodType<number, string> {
  return text("a duration", example, (value) => readDuration(value, bounds));
}

export function oneOf<const T extends readonly string[]>(words: T): z.ZodType<T[number], string> {
  const known = words.map((word) => `"${word}"`);
  return text(`one of ${joinList(known)}`, words[0] ?? "", (value): Reading<T[number]> => {
    if (words.includes(value)) return { value };
    return {
      problem: `cannot be ${quote(value)}: use one of ${joinList(known)}.${didYouMean(value, words)}`,
    };
  });
}

export function list<T extends z.ZodType>(item: T, what: string, example: string): z.ZodArray<T> {
  return z.array(item, { error: wants(`a list of ${what}`, example) });
}

/** A table that allows only its known keys. */
export function table<T extends z.ZodRawShape>(shape: T, header: string): z.ZodObject<T, z.core.$strict> {
  const error = (issue: { code?: string; input?: unknown }): string | undefined =>
    issue.code === "unrecognized_keys" ? undefined : wants("a table", header, describeKind)(issue);
  return z.strictObject(shape, { error });
}
