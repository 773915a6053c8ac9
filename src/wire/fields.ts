// Schemas of fields that several records share.
import * as z from "zod";
import { readTime, TIME_FORMS, type TimeBound } from "../domain/sent_time.ts";
import { ID_PREFIXES, type IdNoun } from "../domain/event/ids.ts";

const unixMs = z.int().meta({ description: "Unix milliseconds", examples: [1785512415000] });

export const languageCode: z.ZodString = z.string().meta({
  description: "ISO 639-1 code of a language",
  examples: ["en"],
});

export const disclaimer: z.ZodString = z.string().meta({
  description: "States that the content is for information only and is not legal advice",
});

/** An identifier. The pattern is not enforced: a path parameter that does not match it is an unknown id. */
export function identifier(noun: IdNoun, description: string): z.ZodString {
  const pattern = `^${ID_PREFIXES[noun]}[0-7][0-9A-HJKMNP-TV-Z]{25}$`;
  return z.string().meta({ description: `${description}: \`${ID_PREFIXES[noun]}\` and a ULID`, pattern });
}

export function text(description: string): z.ZodString {
  return z.string().meta({ description });
}

export function texts(description: string): z.ZodArray<z.ZodString> {
  return z.array(z.string()).meta({ description });
}

export function count(description: string): z.ZodInt {
  return z.int().min(0).meta({ description });
}

export function time(description: string): z.ZodInt {
  return unixMs.meta({ description });
}

/** A time in a request, as a number or a string. It is parsed into Unix ms. */
export function sentTime(bound: TimeBound, description: string): z.ZodType<number, number | string> {
  const error = ({ input }: { input?: unknown }) =>
    input === undefined ? `is missing: it must be ${TIME_FORMS}` : `must be ${TIME_FORMS}`;
  const asNumber = z.int({ error }).meta({ description: "Unix milliseconds", examples: [1785542400000] });
  const asText = z.string().meta({
    description: "ISO 8601",
    examples: ["2026-08-01", "2026-08-01T10:00:00Z"],
  });
  return z.union([asNumber, asText], { error })
    .transform((sent, context): number => {
      const read = readTime(String(sent), bound);
      if ("ms" in read) return read.ms;
      context.addIssue({ code: "custom", message: read.problem });
      return z.NEVER;
    })
    .pipe(z.int())
    .meta({ description });
}

export function timeOrNull(description: string): z.ZodNullable<z.ZodInt> {
  return unixMs.nullable().meta({ description });
}

/** A text of at most `most` characters without control characters, or null. With `lines`, tabs and line breaks are allowed. */
export function ownText(most: number, { lines }: { lines: boolean }): z.ZodNullable<z.ZodString> {
  const [pattern, message] = lines
    ? [
      /^(?:[^\p{Cc}]|[\t\n\r])*$/u,
      "must not contain control characters except tabs and line breaks",
    ] as const
    : [/^[^\p{Cc}]*$/u, "must not contain control characters"] as const;
  return z.string().trim().min(1).max(most).regex(pattern, message).nullable();
}

export function textOrNull(description: string): z.ZodNullable<z.ZodString> {
  return z.string().nullable().meta({ description });
}

export function statusOrNull(description: string): z.ZodNullable<z.ZodInt> {
  return z.int().nullable().meta({ description });
}
