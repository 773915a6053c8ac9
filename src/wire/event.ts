// The event record and the answers that hold events, as JSON.
import { z } from "zod";
import { DISCLAIMER } from "../domain/disclaimer.ts";
import { EVENT_TYPES, type RegEvent } from "../domain/event.ts";
import { SEVERITIES } from "../domain/severity.ts";
import type { ListedEvent } from "../domain/store.ts";

/** A time: Unix milliseconds. */
export const unixMs: z.ZodInt = z.int().meta({ description: "Unix milliseconds", examples: [1785512415000] });

/** A severity, ascending from `info` to `critical`. */
export const severity: z.ZodEnum<{ [S in typeof SEVERITIES[number]]: S }> = z.enum(SEVERITIES);

/** The sentence that every answer with data carries. */
export const disclaimer: z.ZodString = z.string().meta({
  description: "The content is information only and not legal advice",
});

const wording = z.strictObject({ title: z.string(), summary: z.string() });

/** The event record (specification, section 2.1, and what Regfeed adds to it). */
export const eventRecord: z.ZodType<RegEvent> = z.strictObject({
  id: z.string().meta({ description: "`evt_` and a ULID; never reused, never changed" }),
  source_id: z.string(),
  external_id: z.string().meta({ description: "Shared by all versions of one publication" }),
  version: z.int().min(1).meta({ description: "Starts at 1, one more for each revision by the source" }),
  supersedes: z.string().nullable().meta({ description: "The id of the version before this one" }),
  event_type: z.enum(EVENT_TYPES),
  topics: z.array(z.string()).meta({ description: "Topic ids, the strongest first" }),
  severity,
  title_en: z.string().meta({ description: "English title; the source's own words where it has no English" }),
  summary_en: z.string().meta({
    description: "English summary; the source's own words where it has no English",
  }),
  url_official: z.url(),
  ai_act_articles: z.array(z.string()).meta({
    description: "Canonical references: `Art. 53(1)(d)`, `Annex III`",
  }),
  published_at: unixMs,
  published_at_estimated: z.boolean().meta({
    description: "True when the source stated no usable date: `published_at` is then the time of first sight",
  }),
  ingested_at: unixMs,
  language: z.string().meta({ description: "ISO 639-1 code of the publication's own words" }),
  language_versions: z.array(z.string()),
  translations: z.record(z.string(), wording).meta({ description: "The original words, by language" }),
}).meta({ id: "Event", description: "One version of one publication; append-only" });

/** The answer of `GET /v1/events`. */
export const eventList = z.strictObject({
  events: z.array(eventRecord),
  count: z.int().min(0).meta({ description: "Number of events in this answer" }),
  disclaimer,
}).meta({ id: "EventList" });

/** The answer of `GET /v1/events/{id}`. */
export const eventAnswer = z.strictObject({ event: eventRecord, disclaimer }).meta({ id: "EventAnswer" });

const DISCLAIMER_JSON = JSON.stringify(DISCLAIMER);

/** The body of `GET /v1/events`: the stored JSON of each event, joined instead of read and written again. */
export function eventListJson(events: readonly ListedEvent[]): string {
  const records = events.map((event) => event.json).join(",");
  return `{"events":[${records}],"count":${events.length},"disclaimer":${DISCLAIMER_JSON}}`;
}

/** The body of `GET /v1/events/{id}`, from the event's stored JSON. */
export function eventAnswerJson(json: string): string {
  return `{"event":${json},"disclaimer":${DISCLAIMER_JSON}}`;
}
