// The API's responses about the service: sources, topics, health and problems.
import * as z from "zod";
import { CONFIG_STATES } from "../domain/config_reload_state.ts";
import { STORAGE_FAULTS } from "../domain/ports/store/storage_fault.ts";
import { DISCLAIMER } from "../domain/event/disclaimer.ts";
import {
  DEFINED_EVENT_TYPES,
  DEFINED_SEVERITIES,
  type Definition,
  topicDefinition,
} from "../domain/event/definitions.ts";
import type { Topic } from "../domain/event/topic.ts";
import { type ErrorCode, ERRORS } from "../domain/error_codes.ts";
import type { SourceSettings, SourceState } from "../domain/source/source.ts";
import { FETCH_STRATEGIES } from "../domain/source/source.ts";
import { SOURCE_CONDITIONS, sourceHealth } from "../domain/source/source_health.ts";
import { eventType, severity } from "./event.ts";
import { count, disclaimer, identifier, text, textOrNull, texts, time, timeOrNull } from "./fields.ts";

/** A source and its last fetch (specification, section 2.2). */
const sourceRecord = z.strictObject({
  id: text("The source's id, for the filters of events and subscriptions"),
  name_en: text("English name"),
  name_de: text("German name"),
  base_url: z.url().meta({ description: "URL of the source's website" }),
  fetch_strategy: z.enum(FETCH_STRATEGIES).meta({
    description:
      "How the source is fetched: `feed` (RSS, Atom or JSON Feed), `files` (a watched folder), `json` (an API), " +
      "`html` (a listing), `sparql` (a query endpoint), `sitemap` (the changed pages of a site)",
  }),
  reuse_terms: textOrNull("The publisher's terms of reuse, if known"),
  last_success_at: timeOrNull("Time of the last successful fetch, Unix milliseconds; null if there was none"),
  consecutive_failures: count("Failed fetches since the last success"),
  state: z.enum(SOURCE_CONDITIONS).meta({
    description:
      "`new`: not fetched yet; `ok`; `failing`; `blocked`: its host rejects or throttles requests; `silent`: " +
      "nothing new for longer than usual; `empty`: fewer items than expected; `partial`: " +
      "a part could not be fetched, such as one of its languages",
  }),
  state_since: timeOrNull("When the source entered this state, Unix milliseconds; null for `new`"),
}).meta({ id: "Source", description: "An official source and its last fetch" });

/** The response of `GET /v1/sources`. */
export const sourceList = z.strictObject({ sources: z.array(sourceRecord), disclaimer }).meta({
  id: "SourceList",
  description: "The active sources",
  examples: [{
    sources: [{
      id: "example-board",
      name_en: "Example Board",
      name_de: "Beispielausschuss",
      base_url: "https://board.example",
      fetch_strategy: "feed",
      reuse_terms: "CC BY 4.0",
      last_success_at: 1_785_512_415_000,
      consecutive_failures: 0,
      state: "ok",
      state_since: 1_785_412_800_000,
    }],
    disclaimer: DISCLAIMER,
  }],
});

/** `state` is null if nothing is stored for the source yet. */
export function toSourceRecord(
  settings: SourceSettings,
  state: SourceState | null,
  nowMs: number,
): z.infer<typeof sourceRecord> {
  const health = sourceHealth(settings, state, nowMs);
  return {
    id: settings.id,
    name_en: settings.nameEn,
    name_de: settings.nameDe,
    base_url: settings.baseUrl,
    fetch_strategy: settings.fetchStrategy,
    reuse_terms: settings.reuse ?? null,
    last_success_at: state?.lastSuccessAtMs ?? null,
    consecutive_failures: state?.consecutiveFailures ?? 0,
    state: health.condition,
    state_since: health.sinceMs,
  };
}

const topicRecord = z.strictObject({
  id: text("The topic's id, for the filters of events and subscriptions"),
  name_en: text("English name"),
  name_de: text("German name"),
  name_fr: text("French name"),
  parent: textOrNull(
    "The id of the parent topic; null for a parent topic. In filters, a parent includes its children",
  ),
  articles: texts("Articles of the AI Act that the topic covers, such as `Art. 50`"),
  definition_en: textOrNull("What the topic covers; null for a topic that the operator added"),
  definition_de: textOrNull("The definition in German"),
  definition_fr: textOrNull("The definition in French"),
}).meta({ id: "Topic", description: "A topic of the taxonomy, which has two levels" });

/** Returns a topic's definition, with nulls for a topic that the operator added. */
function definitionOf(id: string): { [Field in keyof Definition]: string | null } {
  return topicDefinition(id) ?? { definition_en: null, definition_de: null, definition_fr: null };
}

/** The response of `GET /v1/topics`. */
export const topicList = z.strictObject({ topics: z.array(topicRecord), disclaimer }).meta({
  id: "TopicList",
  description: "The topic taxonomy",
  examples: [{
    topics: [
      {
        id: "gpai-family",
        name_en: "General-purpose AI",
        name_de: "KI mit allgemeinem Verwendungszweck",
        name_fr: "IA à usage général",
        parent: null,
        articles: [],
        ...definitionOf("gpai-family"),
      },
      {
        id: "gpai",
        name_en: "General-purpose AI models",
        name_de: "KI-Modelle mit allgemeinem Verwendungszweck",
        name_fr: "Modèles d’IA à usage général",
        parent: "gpai-family",
        articles: ["Art. 51", "Art. 53"],
        ...definitionOf("gpai"),
      },
    ],
    disclaimer: DISCLAIMER,
  }],
});

export function toTopicRecord(topic: Topic): z.infer<typeof topicRecord> {
  return { ...topic, ...definitionOf(topic.id) };
}

const term = <Id extends z.ZodType>(id: Id, what: string) =>
  z.strictObject({
    id,
    name_en: text("English name"),
    name_de: text("German name"),
    name_fr: text("French name"),
    definition_en: text("The definition in English"),
    definition_de: text("The definition in German"),
    definition_fr: text("The definition in French"),
  }).meta({ description: what });

/** The response of `GET /v1/event-types`. */
export const eventTypeList = z.strictObject({
  event_types: z.array(term(eventType, "An event type and its definition")),
  disclaimer,
}).meta({
  id: "EventTypeList",
  description: "The event types",
  examples: [{ event_types: DEFINED_EVENT_TYPES.slice(0, 1), disclaimer: DISCLAIMER }],
});

/** The response of `GET /v1/severities`. */
export const severityList = z.strictObject({
  severities: z.array(term(severity, "A severity and its definition")),
  disclaimer,
}).meta({
  id: "SeverityList",
  description: "The severities",
  examples: [{ severities: DEFINED_SEVERITIES.slice(-1), disclaimer: DISCLAIMER }],
});

/** The response of `GET /v1/health`. It is public, so it contains no customer data, URLs or error messages. */
export const healthReport = z.strictObject({
  status: z.enum(["ok", "degraded", "down"]).meta({
    description: "`degraded`: a part of the service needs attention; `down`: the database is unavailable",
  }),
  version: text("Regfeed's version"),
  time: time("Time of the report, Unix milliseconds"),
  database: z.enum(["ok", ...STORAGE_FAULTS]).meta({
    description:
      "`full`: the disk is full. `read_only`: the database cannot be written. `unavailable`: the database is locked " +
      "by another process or damaged, its file was replaced, or its disk has failed",
  }),
  config: z.enum(CONFIG_STATES).meta({
    description:
      "`ok`: the config that was read last is active. `refused`: that config is invalid or conflicts with stored " +
      "data, so the previous one stays active",
  }),
  ingestion: z.strictObject({
    sources: count("Active sources"),
    failing: count(
      "Sources whose last fetch failed or that are long overdue; each source counts in only one state",
    ),
    blocked: count("Sources whose host rejects or throttles requests"),
    silent: count("Sources with nothing new for longer than usual"),
    empty: count("Sources with fewer items than expected"),
    partial: count("Sources of which a part could not be fetched, such as one of their languages"),
    new: count("Sources not fetched yet"),
    held_back: count(
      "Events held for the operator's review, because unusually many arrived from one source at once",
    ),
    last_success_at: timeOrNull(
      "Time of the last successful fetch of any source, Unix milliseconds; null if there was none",
    ),
  }).meta({ description: "Ingestion" }),
  deliveries: z.strictObject({
    pending: count("Deliveries that are due or wait for another attempt"),
    oldest_pending_age_ms: z.int().min(0).nullable().meta({
      description: "Age of the oldest pending delivery, milliseconds; null if there is none",
    }),
  }).meta({ description: "Webhook deliveries" }),
  mails: z.strictObject({
    queued: count("Emails waiting to be sent"),
    failed: count("Emails that could not be sent"),
  }).meta({ description: "Emails to customers" }),
  payments: z.strictObject({
    unknown_prices: count("Customers whose price has no tier in the config"),
  }).meta({ description: "Payments" }),
  event_loop: z.strictObject({
    longest_pause_ms: count(
      "Longest time in the last one to two minutes for which the main thread was blocked, milliseconds",
    ),
  }).meta({ description: "The main thread" }),
  disclaimer,
}).meta({
  id: "Health",
  description: "The health of the service",
  examples: [{
    status: "ok",
    version: "0.1.0",
    time: 1_785_512_460_000,
    database: "ok",
    config: "ok",
    ingestion: {
      sources: 12,
      failing: 0,
      blocked: 0,
      silent: 0,
      empty: 0,
      partial: 0,
      new: 0,
      held_back: 0,
      last_success_at: 1_785_512_415_000,
    },
    deliveries: { pending: 3, oldest_pending_age_ms: 4_200 },
    mails: { queued: 0, failed: 0 },
    payments: { unknown_prices: 0 },
    event_loop: { longest_pause_ms: 12 },
    disclaimer: DISCLAIMER,
  }],
});

export type HealthReport = z.infer<typeof healthReport>;

/** The body of every error: `application/problem+json` (RFC 9457). */
export const problem = z.strictObject({
  type: text("A URI for the kind of problem: `urn:regfeed:problem:` followed by the code"),
  title: text("The kind of problem in words; the same for every problem with this code"),
  status: z.int().min(400).max(599).meta({ description: "HTTP status" }),
  detail: text("What is wrong with this request and what to do"),
  code: z.enum(Object.keys(ERRORS) as ErrorCode[]).meta({
    description: "The kind of problem, for use in programs",
  }),
  request_id: identifier("request", "The request's id, as in the header `X-Request-Id`"),
  subscription_id: identifier("subscription", "The id of your identical subscription").optional().meta({
    description: "With `duplicate_subscription`: the id of your subscription with the same URL and filters",
  }),
  errors: z.array(
    z.strictObject({
      field: text("A parameter, a field of the body (`topics.0`), the whole `body`, or a header"),
      message: text("What is wrong with the field"),
    }),
  ).optional().meta({ description: "The invalid fields, if the input is invalid" }),
}).meta({ id: "Problem", description: "An error as RFC 9457 problem details" });
