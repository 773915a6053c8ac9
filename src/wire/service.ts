// The public answers about the service itself: sources, topics, health, problems.
import { z } from "zod";
import type { SourceSettings, SourceState } from "../domain/source.ts";
import { FETCH_STRATEGIES } from "../domain/source.ts";
import { disclaimer, unixMs } from "./event.ts";

/** A source with the metadata of its last fetch (specification, section 2.2). */
export const sourceRecord = z.strictObject({
  id: z.string(),
  name_en: z.string(),
  name_de: z.string(),
  base_url: z.url(),
  fetch_strategy: z.enum(FETCH_STRATEGIES),
  last_success_at: unixMs.nullable().meta({ description: "Null until the first fetch has succeeded" }),
  consecutive_failures: z.int().min(0),
}).meta({ id: "Source" });

/** The answer of `GET /v1/sources`. */
export const sourceList = z.strictObject({ sources: z.array(sourceRecord), disclaimer }).meta({
  id: "SourceList",
});

/** The record of a source, from what the config says and what the store knows of it (null: nothing yet). */
export function toSourceRecord(
  settings: SourceSettings,
  state: SourceState | null,
): z.infer<typeof sourceRecord> {
  return {
    id: settings.id,
    name_en: settings.nameEn,
    name_de: settings.nameDe,
    base_url: settings.baseUrl,
    fetch_strategy: settings.fetchStrategy,
    last_success_at: state?.lastSuccessAtMs ?? null,
    consecutive_failures: state?.consecutiveFailures ?? 0,
  };
}

/** A topic of the taxonomy. */
export const topicRecord = z.strictObject({
  id: z.string(),
  name_en: z.string(),
  name_de: z.string(),
  name_fr: z.string(),
  parent: z.string().nullable().meta({
    description: "Null for a parent topic, which stands for its children",
  }),
  articles: z.array(z.string()).meta({ description: "Articles of the AI Act that the topic covers" }),
}).meta({ id: "Topic" });

/** The answer of `GET /v1/topics`. */
export const topicList = z.strictObject({ topics: z.array(topicRecord), disclaimer }).meta({
  id: "TopicList",
});

/** The answer of `GET /v1/health`; it names no customer, no address and no error text. */
export const healthReport = z.strictObject({
  status: z.enum(["ok", "degraded", "down"]),
  version: z.string(),
  time: unixMs,
  database: z.enum(["ok", "failing"]),
  ingestion: z.strictObject({
    sources: z.int().meta({ description: "Active sources" }),
    failing: z.int().meta({ description: "Sources whose last fetch failed" }),
    silent: z.int().meta({
      description: "Sources that have not been fetched for three times their interval",
    }),
    last_success_at: unixMs.nullable(),
  }),
  deliveries: z.strictObject({
    pending: z.int(),
    oldest_pending_age_ms: z.int().nullable(),
  }),
  disclaimer,
}).meta({ id: "Health" });

/** The answer of `GET /v1/health`. */
export type HealthReport = z.infer<typeof healthReport>;

/** Every error's body: RFC 9457 `application/problem+json`. */
export const problem = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(),
  request_id: z.string(),
  errors: z.array(z.strictObject({ field: z.string(), message: z.string() })).optional(),
}).meta({ id: "Problem", description: "RFC 9457 problem details" });
