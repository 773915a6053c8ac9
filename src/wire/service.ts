// The public answers about the service itself: sources, topics, health, problems.
import * as z from "zod";
import { CONFIG_STATES } from "../domain/config_state.ts";
import { STORE_TROUBLES } from "../domain/store_trouble.ts";
import { DISCLAIMER } from "../domain/disclaimer.ts";
import { type ErrorCode, ERRORS } from "../domain/errors.ts";
import type { SourceSettings, SourceState } from "../domain/source.ts";
import { FETCH_STRATEGIES } from "../domain/source.ts";
import { SOURCE_CONDITIONS, sourceHealth } from "../domain/source_health.ts";
import { disclaimer, identifier, unixMs } from "./event.ts";

/** A source with the metadata of its last fetch (specification, section 2.2). */
export const sourceRecord = z.strictObject({
  id: z.string().meta({ description: "The source's id, for the filters of events and subscriptions" }),
  name_en: z.string().meta({ description: "English name" }),
  name_de: z.string().meta({ description: "German name" }),
  base_url: z.url().meta({ description: "Address of the source" }),
  fetch_strategy: z.enum(FETCH_STRATEGIES).meta({
    description:
      "How it is fetched: `feed` is RSS, Atom or JSON Feed, `files` a watched folder, `json` an API, " +
      "`html` a listing, `sparql` an endpoint for queries, `sitemap` the changed pages of a site",
  }),
  reuse_terms: z.string().nullable().meta({
    description: "The terms under which its publisher lets its texts be used again, as far as known",
  }),
  last_success_at: unixMs.nullable().meta({
    description: "When it was last fetched with success, Unix milliseconds; null until then",
  }),
  consecutive_failures: z.int().min(0).meta({ description: "Failed fetches since the last success" }),
  state: z.enum(SOURCE_CONDITIONS).meta({
    description:
      "`new`: never fetched yet; `ok`; `failing`; `blocked`: its host refuses or throttles us; `silent`: " +
      "nothing new for longer than its history allows; `empty`: fewer items than it must have; `partial`: " +
      "fetched but for a part of it, such as one of its languages",
  }),
  state_since: unixMs.nullable().meta({
    description: "Since when it is in this state, Unix milliseconds; null while it is new",
  }),
}).meta({ id: "Source", description: "An official source and its last fetch" });

/** The answer of `GET /v1/sources`. */
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

/** The record of a source, from what the config says and what the store knows of it (null: nothing yet). */
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

/** A topic of the taxonomy. */
export const topicRecord = z.strictObject({
  id: z.string().meta({ description: "The topic's id, for the filters of events and subscriptions" }),
  name_en: z.string().meta({ description: "English name" }),
  name_de: z.string().meta({ description: "German name" }),
  name_fr: z.string().meta({ description: "French name" }),
  parent: z.string().nullable().meta({
    description: "Null for a parent topic, which stands for its children",
  }),
  articles: z.array(z.string()).meta({ description: "Articles of the AI Act that the topic covers" }),
}).meta({ id: "Topic", description: "A topic of the taxonomy, which has two levels" });

/** The answer of `GET /v1/topics`. */
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
      },
      {
        id: "gpai",
        name_en: "General-purpose AI models",
        name_de: "KI-Modelle mit allgemeinem Verwendungszweck",
        name_fr: "Modèles d’IA à usage général",
        parent: "gpai-family",
        articles: ["51", "53"],
      },
    ],
    disclaimer: DISCLAIMER,
  }],
});

/** The answer of `GET /v1/health`; it names no customer, no address and no error text. */
export const healthReport = z.strictObject({
  status: z.enum(["ok", "degraded", "down"]).meta({
    description: "`degraded` when a source or the deliveries need attention, `down` when the store fails",
  }),
  version: z.string().meta({ description: "Regfeed's version" }),
  time: unixMs.meta({ description: "When the report was made, Unix milliseconds" }),
  database: z.enum(["ok", ...STORE_TROUBLES, "failing"]).meta({
    description:
      "What keeps the store from its work: a full disk, a file that cannot be written, another process's " +
      "lock, damaged pages, a disk that fails, a file that was moved; `failing` when it cannot even be read",
  }),
  config: z.enum(CONFIG_STATES).meta({
    description:
      "Whether the config is in force as it was last read: `waiting` until something can be stored, `refused` when it is " +
      "wrong or contradicts what is stored, and the one before it goes on",
  }),
  ingestion: z.strictObject({
    sources: z.int().min(0).meta({ description: "Active sources" }),
    failing: z.int().min(0).meta({
      description:
        "Sources whose last fetch failed, or that are long overdue; each source counts in one state alone",
    }),
    blocked: z.int().min(0).meta({ description: "Sources whose host refuses or throttles us" }),
    silent: z.int().min(0).meta({
      description: "Sources that have had nothing new for longer than their history allows",
    }),
    empty: z.int().min(0).meta({ description: "Sources that gave fewer items than they must" }),
    partial: z.int().min(0).meta({
      description: "Sources of which a part could not be had, such as one of their languages",
    }),
    new: z.int().min(0).meta({ description: "Sources that were never fetched yet" }),
    held_back: z.int().min(0).meta({
      description:
        "Events that nobody is told of before the operator has looked at them: floods of new ones or of revisions",
    }),
    last_success_at: unixMs.nullable().meta({
      description: "When any source was last fetched with success, Unix milliseconds; null until then",
    }),
  }).meta({ description: "The collecting" }),
  deliveries: z.strictObject({
    pending: z.int().min(0).meta({ description: "Deliveries on their way or waiting for another attempt" }),
    oldest_pending_age_ms: z.int().min(0).nullable().meta({
      description: "Age of the oldest of them, milliseconds; null without any",
    }),
  }).meta({ description: "The webhooks" }),
  mails: z.strictObject({
    queued: z.int().min(0).meta({ description: "Mails that wait to be handed over" }),
    failed: z.int().min(0).meta({ description: "Mails that were given up" }),
  }).meta({ description: "The mails to customers" }),
  payments: z.strictObject({
    unknown_prices: z.int().min(0).meta({ description: "Customers who pay a price that buys no known tier" }),
  }).meta({ description: "The payments" }),
  event_loop: z.strictObject({
    longest_pause_ms: z.int().min(0).meta({
      description:
        "Longest time in the last one to two minutes in which the main thread served nobody, milliseconds",
    }),
  }).meta({ description: "The main thread" }),
  disclaimer,
}).meta({
  id: "Health",
  description: "The health of the pipeline",
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

/** The answer of `GET /v1/health`. */
export type HealthReport = z.infer<typeof healthReport>;

/** Every error's body: RFC 9457 `application/problem+json`. */
export const problem = z.strictObject({
  type: z.string().meta({
    description: "A URI that names the kind of problem: `urn:regfeed:problem:` and the code",
  }),
  title: z.string().meta({ description: "The kind of problem in words, always the same for one code" }),
  status: z.int().min(400).max(599).meta({ description: "The HTTP status" }),
  detail: z.string().meta({ description: "What is wrong here and what to do about it" }),
  code: z.enum(Object.keys(ERRORS) as ErrorCode[]).meta({
    description: "The kind of problem, for programs to branch on",
  }),
  request_id: identifier("request", "The request, as in the header `X-Request-Id`"),
  errors: z.array(
    z.strictObject({
      field: z.string().meta({
        description: "A parameter, a field of the body (`topics.0`), the `body` as a whole, or a header",
      }),
      message: z.string().meta({ description: "What is wrong with it" }),
    }),
  ).optional().meta({ description: "Each wrong field, where the problem is one of input" }),
}).meta({ id: "Problem", description: "What went wrong: RFC 9457 problem details" });
