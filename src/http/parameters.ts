// Schemas of query parameters: numbers, lists, choices and flags, which are all sent as strings.
import * as z from "zod";
import { notAmong } from "./invalid_fields.ts";

const MAX_LISTED = 50;

/** A whole number in JSON's notation (no `+`, leading zeros or `-0`). */
export function integerParameter(
  { min, max, description }: { min: number; max: number; description: string },
): z.ZodType<number> {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.string()
    .regex(/^(0|-?[1-9]\d{0,15})$/, message)
    .transform(Number)
    .pipe(z.int(message).min(min, message).max(max, message))
    .meta({ description });
}

const LISTS = new WeakSet<z.ZodType>();

/** Whether a parameter is a list, which may be repeated. */
export function isList(schema: unknown): boolean {
  return LISTS.has((schema instanceof z.ZodOptional ? schema.unwrap() : schema) as z.ZodType);
}

/** Values separated by commas or sent by repeating the parameter. Duplicates are removed. */
export function listParameter(description: string): z.ZodType<string[]> {
  return list(z.string().min(1, "must not have an empty entry"), description);
}

/** A list, as {@link listParameter}, of values from a fixed list. */
export function choiceParameter<const Choice extends string>(
  choices: readonly Choice[],
  description: string,
): z.ZodType<Choice[]> {
  return list(
    z.enum(choices, {
      error: ({ input }) =>
        notAmong(input, choices, `one or more of ${choices.join(", ")}, separated by commas`),
    }),
    description,
  );
}

function list<Entry extends string>(entry: z.ZodType<Entry, Entry>, description: string): z.ZodType<Entry[]> {
  const schema = z.string()
    .transform((text) => [...new Set(text.split(",").map((part) => part.trim()))] as Entry[])
    .pipe(z.array(entry).max(MAX_LISTED, `may list at most ${MAX_LISTED} entries`))
    .meta({ description });
  LISTS.add(schema);
  return schema;
}

export function flagParameter(description: string): z.ZodType<boolean> {
  return z.enum(["true", "false"], "must be true or false")
    .transform((text) => text === "true")
    .pipe(z.boolean())
    .meta({ description });
}
