// Events and the responses that contain them, as JSON.
import * as z from "zod";
import { DISCLAIMER } from "../domain/event/disclaimer.ts";
import { DEFINED_EVENT_TYPES, DEFINED_SEVERITIES, type DefinedTerm } from "../domain/event/definitions.ts";
import { DATE_PRECISIONS, EVENT_TYPES, type RegEvent } from "../domain/event/event.ts";
import { SEVERITIES } from "../domain/event/severity.ts";
import type { LanguageOrigin, Provenance } from "../domain/event/provenance.ts";
import type { FoundEvent, LaterLanguage, ListedEvent } from "../domain/ports/store/events.ts";
import { EXAMPLE_EVENT, EXAMPLE_PROVENANCE, EXAMPLE_REVISION } from "./examples.ts";
import { count, disclaimer, identifier, languageCode, statusOrNull, text, texts, time } from "./fields.ts";

/** Returns the terms with their definitions, for a description. */
function listed(terms: readonly DefinedTerm[]): string {
  return terms.map(({ id, definition_en }) => `\`${id}\`: ${definition_en}`).join(" ");
}

export const severity: z.ZodEnum<{ [S in typeof SEVERITIES[number]]: S }> = z.enum(SEVERITIES).meta({
  id: "Severity",
  description: `The importance of an event, in ascending order. ${listed(DEFINED_SEVERITIES)}`,
});

export const eventType: z.ZodEnum<{ [T in typeof EVENT_TYPES[number]]: T }> = z.enum(EVENT_TYPES).meta({
  id: "EventType",
  description: `The kind of publication. ${listed(DEFINED_EVENT_TYPES)}`,
});

export const eventId: z.ZodString = identifier("event", "The event's id").meta({
  examples: [EXAMPLE_EVENT.id],
});

const localizedText = z.strictObject({
  title: text("Plain text"),
  summary: text("Plain text; may be empty"),
}).meta({ id: "LocalizedText", description: "Title and summary in one language" });

/** The event record (specification, section 2.1), with additions. */
export const eventRecord: z.ZodType<RegEvent> = z.strictObject({
  id: identifier("event", "The event's id; never reused or changed"),
  source_id: text("The id of the source; `GET /v1/sources` lists all sources"),
  source: z.strictObject({
    id: text("The id of the source, as in `source_id`"),
    name: text("The English name of the source when this version was stored"),
  }).meta({ id: "EventSource", description: "The source that published it" }),
  external_id: text("Identifies the publication within its source; all versions share it"),
  version: z.int().min(1).meta({ description: "1 for the first version; increases with each revision" }),
  supersedes: identifier("event", "The previous version").nullable().meta({
    description: "The id of the previous version; null for version 1",
  }),
  event_type: eventType,
  topics: texts("Topic ids, most relevant first; `GET /v1/topics` defines them"),
  severity,
  title_en: text(
    "The title in English if `language_versions` contains `en`; otherwise the original title, in `language`",
  ),
  summary_en: text("The summary, in the same language as `title_en`; may be empty"),
  url_official: z.url().meta({ description: "URL of the official publication" }),
  ai_act_articles: texts(
    "Canonical references to the AI Act, such as `Art. 53(1)(d)`, `Annex III` and `Recital 60`",
  ),
  published_at: time(
    "Publication date according to the source, Unix milliseconds. A date without a time is midnight in the source's " +
      "time zone",
  ),
  published_at_precision: z.enum(DATE_PRECISIONS).meta({
    description:
      "`date` if the source states only the day: show `published_on`, without a time. Otherwise `time`",
  }),
  published_on: z.iso.date().nullable().meta({
    description:
      "Publication date as the source states it, in its own time zone (`2026-11-18`); null if the source has stated no " +
      "valid date",
  }),
  published_at_estimated: z.boolean().meta({
    description:
      "True if the source stated no valid date; `published_at` is then the time at which Regfeed first saw the publication",
  }),
  ingested_at: time("When this version was stored, Unix milliseconds"),
  language: languageCode.meta({ description: "ISO 639-1 code of the publication's original language" }),
  language_versions: texts("ISO 639-1 codes of all languages of the event"),
  translations: z.record(z.string(), localizedText).meta({
    description: "The original title and summary in each language",
  }),
  status: z.literal("withdrawn").nullable().meta({
    description:
      "`withdrawn` in a version that records that the source no longer lists the publication; otherwise null",
  }),
}).meta({
  id: "Event",
  description:
    "One version of one publication. Events are append-only: a revision by the source is a new event. The only " +
    "exception is a language that is added to a version later: it appears in `language_versions` and " +
    "`translations`, and, if it is English, also replaces `title_en` and `summary_en`",
});

/** The response of `GET /v1/events`. */
export const eventList = z.strictObject({
  events: z.array(eventRecord),
  count: count("Number of events in this response"),
  disclaimer,
}).meta({
  id: "EventList",
  description: "Events",
  examples: [{ events: [EXAMPLE_REVISION, EXAMPLE_EVENT], count: 2, disclaimer: DISCLAIMER }],
});

/** Maximum number of events that are counted. */
export const MAX_COUNTED = 1_000;

/** The response of `GET /v1/events/count`. */
export const eventCount = z.strictObject({
  count: z.int().min(0).max(MAX_COUNTED).meta({
    description: `Number of matching events, at most ${MAX_COUNTED.toLocaleString("en")}`,
  }),
  exact: z.boolean().meta({ description: "False if there may be more than `count`" }),
  disclaimer,
}).meta({
  id: "EventCount",
  description: "How many events match",
  examples: [{ count: 42, exact: true, disclaimer: DISCLAIMER }],
});

const documentOrigin = {
  document: text("The document that contained the publication: its URL without the query, or its file name"),
  document_sha256: z.string().meta({
    description: "SHA-256 of the fetched bytes",
    pattern: "^[0-9a-f]{64}$",
  }),
  http_status: statusOrNull("HTTP status of the response with the document; null for a file"),
  fetched_at: time("When the document was fetched, Unix milliseconds"),
};

const languageOrigin: z.ZodType<LanguageOrigin> = z.strictObject({
  ...documentOrigin,
  url: z.url().meta({ description: "URL of the publication in this language" }),
});

const provenance: z.ZodType<Provenance> = z.strictObject({
  rules_version: text(
    "The version of the rules that classified the event; new rules do not change stored events",
  ),
  categories: texts("The categories that the source states"),
  stated_languages: texts(
    "The languages that the item, the document and the source state, most specific first",
  ),
  ...documentOrigin,
  other_languages: z.record(languageCode, languageOrigin).nullable().meta({
    description:
      "The origins of the other languages that this version added or changed, by language code; null if there are none",
  }),
}).meta({ id: "Provenance", description: "Where the event's data came from" });

const laterLanguage: z.ZodType<LaterLanguage> = z.strictObject({
  language: languageCode,
  url: z.url().meta({ description: "URL of the publication in this language" }),
  added_at: time("When the language was added to the event, Unix milliseconds"),
  provenance,
}).meta({ id: "LaterLanguage", description: "A language that was added after the event was stored" });

/** The response of `GET /v1/events/{id}`. */
export const eventResponse = z.strictObject({
  event: eventRecord,
  provenance,
  later_languages: z.array(laterLanguage).meta({
    description: "The languages that were added after the event was stored, sorted by code",
  }),
  disclaimer,
}).meta({
  id: "EventResponse",
  description: "One event and its provenance",
  examples: [{
    event: EXAMPLE_EVENT,
    provenance: EXAMPLE_PROVENANCE,
    later_languages: [],
    disclaimer: DISCLAIMER,
  }],
});

const DISCLAIMER_JSON = JSON.stringify(DISCLAIMER);

/** Returns the body of `GET /v1/events`. Concatenates the events' stored JSON without parsing it. */
export function eventListJson(events: readonly ListedEvent[]): string {
  const records = events.map((event) => event.json).join(",");
  return `{"events":[${records}],"count":${events.length},"disclaimer":${DISCLAIMER_JSON}}`;
}

/** Returns the body of `GET /v1/events/{id}` from the stored JSON. */
export function eventResponseJson({ json, provenance, later }: FoundEvent): string {
  return `{"event":${json},"provenance":${provenance},"later_languages":${later},"disclaimer":${DISCLAIMER_JSON}}`;
}
