// Schemas of query parameters: numbers, lists, choices and flags, which are all sent as strings.
import * as z from "zod";

const MAX_LISTED = 50;

/** A whole number in JSON's notation (no `+`, leading zeros or `-0`). With an `example`, the error asks for a time. */
export function integerParameter(
  bounds: { min: number; max: number; description: string; example?: number },
): z.ZodType<number> {
  const { min, max, description, example } = bounds;
  const message = example === undefined
    ? `must be a whole number from ${min} to ${max}`
    : `must be a time in Unix milliseconds, such as ${example}`;
  return z.string()
    .regex(/^(0|-?[1-9]\d{0,15})$/, message)
    .transform(Number)
    .pipe(z.int(message).min(min, message).max(max, message))
    .meta({ description });
}

/** Comma-separated values. Duplicates are removed. */
export function listParameter(description: string): z.ZodType<string[]> {
  return z.string()
    .transform((text) => [...new Set(text.split(",").map((part) => part.trim()))])
    .pipe(
      z.array(z.string().min(1, "must not have an empty entry"))
        .max(MAX_LISTED, `may list at most ${MAX_LISTED} entries`),
    )
    .meta({ description });
}

/** Comma-separated values from a fixed list. Duplicates are removed. */
export function choiceParameter<const Choice extends string>(
  choices: readonly Choice[],
  description: string,
): z.ZodType<Choice[]> {
  return listParameter(description)
    .pipe(z.array(z.enum(choices, `must be one or more of ${choices.join(", ")}, separated by commas`)))
    .meta({ description });
}

export function flagParameter(description: string): z.ZodType<boolean> {
  return z.enum(["true", "false"], "must be true or false")
    .transform((text) => text === "true")
    .pipe(z.boolean())
    .meta({ description });
}
