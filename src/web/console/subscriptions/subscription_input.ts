// The form of a subscription: its fields as a request to the API, and a subscription as its fields.
import type { FieldError } from "../../../domain/error_codes.ts";
import type { SentParameter } from "../../../http/request_url.ts";
import { TypedValues } from "../../session/typed_values.ts";
import type { Texts } from "../../texts/texts.ts";
import type { SubscriptionRecord } from "./subscription_api.ts";

/** The fields of the form, with the names of the API. */
export const FORM_FIELDS = [
  "webhook_url",
  "name",
  "note",
  "language",
  "headers",
  "backfill_since",
  "severity_min",
  "q",
  "article",
  "topics",
  "event_type",
  "source_filter",
  "event_language",
  "exclude.topics",
  "exclude.event_type",
  "exclude.source",
  "exclude.article",
  "exclude.q",
] as const;

/** The checkbox that removes all headers. */
export const REMOVE_HEADERS = "remove_headers";

/** Returns the fields that creating and changing have in common. */
export function bodyOf(typed: TypedValues): Record<string, unknown> {
  const textOrNull = (name: string) => typed.get(name).replaceAll("\r\n", "\n").trim() || null;
  return {
    webhook_url: typed.get("webhook_url").trim(),
    name: textOrNull("name"),
    note: textOrNull("note"),
    language: typed.get("language") || "en",
    ...filtersOf(typed),
  };
}

interface TypedFilters {
  topics: string[];
  source_filter: string[];
  severity_min: string;
  event_type: string[];
  article: string[];
  event_language: string[];
  q: string | null;
  exclude: { topics: string[]; source: string[]; event_type: string[]; article: string[]; q: string | null };
}

export function filtersOf(typed: TypedValues): TypedFilters {
  const search = (name: string) => typed.get(name).trim() || null;
  return {
    topics: typed.all("topics"),
    source_filter: typed.all("source_filter"),
    severity_min: typed.get("severity_min") || "info",
    event_type: typed.all("event_type"),
    article: typed.all("article"),
    event_language: typed.all("event_language"),
    q: search("q"),
    exclude: {
      topics: typed.all("exclude.topics"),
      source: typed.all("exclude.source"),
      event_type: typed.all("exclude.event_type"),
      article: typed.all("exclude.article"),
      q: search("exclude.q"),
    },
  };
}

/** Reads headers, one per line. Returns null if there are none. */
export function readHeaders(
  text: string,
  { subscriptions: { form } }: Texts,
): { headers: Record<string, string> | null; errors: FieldError[] } {
  const headers = new Map<string, [name: string, value: string]>();
  const errors: FieldError[] = [];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const [, name = "", value = ""] = /^([^:]+):(.*)$/.exec(line) ?? [];
    const key = name.trim().toLowerCase();
    if (key === "" || value.trim() === "") errors.push({ field: "headers", message: form.badHeader(at + 1) });
    else if (headers.has(key)) errors.push({ field: "headers", message: form.twice(name.trim()) });
    else headers.set(key, [name.trim(), value.trim()]);
  }
  // fromEntries, because a header may be called `__proto__`.
  return { headers: headers.size === 0 ? null : Object.fromEntries(headers.values()), errors };
}

/** Returns the errors with the part of the field that the form does not show in the message. */
export function formErrors(errors: readonly FieldError[]): FieldError[] {
  return errors.map(({ field, message }) => {
    const [, header] = /^headers\.(.+)$/.exec(field) ?? [];
    return header === undefined ? { field, message } : { field: "headers", message: `${header} ${message}` };
  });
}

/** Returns the values with which the form of an existing subscription begins. */
export function typedFrom(record: SubscriptionRecord): TypedValues {
  const { exclude } = record;
  const values: Record<string, string | readonly string[] | null> = {
    webhook_url: record.webhook_url,
    name: record.name,
    note: record.note,
    language: record.language,
    severity_min: record.severity_min === "info" ? null : record.severity_min,
    q: record.q,
    article: record.article.join(", "),
    topics: record.topics,
    event_type: record.event_type,
    source_filter: record.source_filter,
    event_language: record.event_language,
    "exclude.topics": exclude.topics,
    "exclude.event_type": exclude.event_type,
    "exclude.source": exclude.source,
    "exclude.article": exclude.article.join(", "),
    "exclude.q": exclude.q,
  };
  return new TypedValues(
    Object.entries(values).flatMap(([name, value]): SentParameter[] =>
      [value ?? []].flat().map((one) => ({ name, value: one }))
    ),
  );
}
