// The event record and the answers that hold events, as JSON.
import * as z from "zod";
import { DISCLAIMER } from "../domain/disclaimer.ts";
import { EVENT_TYPES, type RegEvent } from "../domain/event.ts";
import { ID_PREFIXES, type IdNoun } from "../domain/ids.ts";
import { SEVERITIES } from "../domain/severity.ts";
import type { LanguageOrigin, Provenance } from "../domain/provenance.ts";
import type { FoundEvent, LaterLanguage, ListedEvent } from "../domain/store.ts";
import { EXAMPLE_EVENT, EXAMPLE_PROVENANCE, EXAMPLE_REVISION } from "./examples.ts";

/** A time: Unix milliseconds. */
export const unixMs: z.ZodInt = z.int().meta({ description: "Unix milliseconds", examples: [1785512415000] });

/** A severity, ascending from `info` to `critical`. */
export const severity: z.ZodEnum<{ [S in typeof SEVERITIES[number]]: S }> = z.enum(SEVERITIES).meta({
  id: "Severity",
  description: "How much it matters, ascending: `info`, `low`, `medium`, `high`, `critical`",
});

/** The kind of a publication. */
export const eventType: z.ZodEnum<{ [T in typeof EVENT_TYPES[number]]: T }> = z.enum(EVENT_TYPES).meta({
  id: "EventType",
  description: "What kind of publication it is",
});

/** A language code (ISO 639-1). */
export const languageCode: z.ZodString = z.string().meta({
  description: "ISO 639-1 code of a language",
  examples: ["en"],
});

/** The sentence that every answer with data carries. */
export const disclaimer: z.ZodString = z.string().meta({
  description: "States that the content is information only and not legal advice",
});

/**
 * An identifier of a noun. Its form is told, not checked: a path parameter of another form is an unknown id, and
 * answers 404 like every other.
 */
export function identifier(noun: IdNoun, description: string): z.ZodString {
  const pattern = `^${ID_PREFIXES[noun]}[0-7][0-9A-HJKMNP-TV-Z]{25}$`;
  return z.string().meta({ description: `${description}: \`${ID_PREFIXES[noun]}\` and a ULID`, pattern });
}

/** The id of an event. */
export const eventId: z.ZodString = identifier("event", "The event's id").meta({
  examples: [EXAMPLE_EVENT.id],
});

const localizedText = z.strictObject({
  title: z.string().meta({ description: "Plain text" }),
  summary: z.string().meta({ description: "Plain text; may be empty" }),
}).meta({ id: "LocalizedText", description: "The words of one language" });

/** The event record (specification, section 2.1, and what Regfeed adds to it). */
export const eventRecord: z.ZodType<RegEvent> = z.strictObject({
  id: identifier("event", "The event's id, never reused, never changed"),
  source_id: z.string().meta({ description: "The source that published it; `GET /v1/sources` lists them" }),
  external_id: z.string().meta({ description: "Shared by all versions of one publication" }),
  version: z.int().min(1).meta({ description: "Starts at 1, one more for each revision by the source" }),
  supersedes: identifier("event", "The version before this one").nullable().meta({
    description: "The id of the version before this one; null for version 1",
  }),
  event_type: eventType,
  topics: z.array(z.string()).meta({
    description: "Topic ids, the strongest first; `GET /v1/topics` lists them",
  }),
  severity,
  title_en: z.string().meta({ description: "English title; the source's own words where it has no English" }),
  summary_en: z.string().meta({
    description: "English summary; the source's own words where it has no English",
  }),
  url_official: z.url().meta({ description: "Address of the official publication" }),
  ai_act_articles: z.array(z.string()).meta({
    description: "Canonical references to the AI Act: `Art. 53(1)(d)`, `Annex III`, `Recital 60`",
  }),
  published_at: unixMs.meta({ description: "When the source says it was published, Unix milliseconds" }),
  published_at_estimated: z.boolean().meta({
    description: "True when the source stated no usable date: `published_at` is then the time of first sight",
  }),
  ingested_at: unixMs.meta({ description: "When this version was stored, Unix milliseconds" }),
  language: languageCode.meta({ description: "ISO 639-1 code of the publication's own words" }),
  language_versions: z.array(z.string()).meta({
    description: "ISO 639-1 codes of every language whose words the event holds",
  }),
  translations: z.record(z.string(), localizedText).meta({ description: "The original words, by language" }),
  status: z.literal("withdrawn").optional().meta({
    description: "Stands only in a version that says that the source lists the publication no longer",
  }),
}).meta({
  id: "Event",
  description:
    "One version of one publication; append-only: a revision by the source is a new record. Only a " +
    "further language of the same version may still come into `language_versions` and `translations`, and from " +
    "there into the English title and summary",
});

/** The answer of `GET /v1/events`. */
export const eventList = z.strictObject({
  events: z.array(eventRecord),
  count: z.int().min(0).meta({ description: "Number of events in this answer" }),
  disclaimer,
}).meta({
  id: "EventList",
  description: "Events",
  examples: [{ events: [EXAMPLE_REVISION, EXAMPLE_EVENT], count: 2, disclaimer: DISCLAIMER }],
});

const documentOrigin = {
  document: z.string().meta({
    description: "The document that held it: its address without query, or the name of its file",
  }),
  document_sha256: z.string().meta({
    description: "SHA-256 of the document's bytes as they came",
    pattern: "^[0-9a-f]{64}$",
  }),
  http_status: z.int().nullable().meta({ description: "The HTTP status of the document; null for a file" }),
  fetched_at: unixMs.meta({ description: "When the document came, Unix milliseconds" }),
};

const languageOrigin: z.ZodType<LanguageOrigin> = z.strictObject({
  ...documentOrigin,
  url: z.url().optional().meta({
    description: "Address of the publication in that language, where it is kept",
  }),
});

const provenance: z.ZodType<Provenance> = z.strictObject({
  rules_version: z.string().meta({
    description: "The version of the rules that classified it; a new version changes nothing that is stored",
  }),
  categories: z.array(z.string()).meta({ description: "The categories that the source states" }),
  stated_languages: z.array(z.string()).meta({
    description: "What item, document and source state of the language, the most specific first",
  }),
  ...documentOrigin,
  other_languages: z.record(languageCode, languageOrigin).optional().meta({
    description:
      "Where the words of further languages came from, by their codes: a version in several languages was made " +
      "from all of them. Left out otherwise",
  }),
}).meta({ id: "Provenance", description: "What the record was made from" });

const laterLanguage: z.ZodType<LaterLanguage> = z.strictObject({
  language: languageCode,
  url: z.url().meta({ description: "Address of the publication in that language" }),
  added_at: unixMs.meta({ description: "When the language was added to the event, Unix milliseconds" }),
  provenance,
}).meta({ id: "LaterLanguage", description: "A language that came after the event was stored" });

/** The answer of `GET /v1/events/{id}`. */
export const eventResponse = z.strictObject({
  event: eventRecord,
  provenance,
  later_languages: z.array(laterLanguage).meta({
    description: "The languages that came after the event was stored, by their codes",
  }),
  disclaimer,
}).meta({
  id: "EventResponse",
  description: "One event, and what it was made from",
  examples: [{
    event: EXAMPLE_EVENT,
    provenance: EXAMPLE_PROVENANCE,
    later_languages: [],
    disclaimer: DISCLAIMER,
  }],
});

const DISCLAIMER_JSON = JSON.stringify(DISCLAIMER);

/** The body of `GET /v1/events`: the stored JSON of each event, joined instead of read and written again. */
export function eventListJson(events: readonly ListedEvent[]): string {
  const records = events.map((event) => event.json).join(",");
  return `{"events":[${records}],"count":${events.length},"disclaimer":${DISCLAIMER_JSON}}`;
}

/** The body of `GET /v1/events/{id}`, from what is stored. */
export function eventResponseJson({ json, provenance, later }: FoundEvent): string {
  return `{"event":${json},"provenance":${provenance},"later_languages":${later},"disclaimer":${DISCLAIMER_JSON}}`;
}
