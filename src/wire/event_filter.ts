// The filters of events in the bodies of requests and in records.
import * as z from "zod";
import { EVENT_TYPES } from "../domain/event/event.ts";
import type { EventFilter } from "../domain/event/event_filter.ts";
import { MAX_SEARCH_LENGTH, SEARCH_LIMITS } from "../domain/event/search.ts";
import { severity } from "./event.ts";
import { textOrNull, texts } from "./fields.ts";

const MAX_FILTER_ENTRIES = 200;

const values = z.array(z.string().min(1).max(100)).max(MAX_FILTER_ENTRIES);
const types = z.array(z.enum(EVENT_TYPES)).max(MAX_FILTER_ENTRIES);
const search = z.string().min(1).max(MAX_SEARCH_LENGTH).nullable();

const OR = "combined with OR; if empty, all match";
const WHAT = {
  topics: "Topic ids (a parent includes its children)",
  sources: "Source ids",
  event_type: "Event types",
  article: "References to the AI Act, such as `Art. 50`, which includes `Art. 50(2)`",
  event_language:
    "ISO 639-1 codes: the event is available in one of these languages. `language` selects the language of the text",
  q: "Full-text search as in `GET /v1/events`: title and summary together contain all terms. `consult*` matches words " +
    `that begin with \`consult\`; \`"high risk"\` matches this phrase; null for no search. ${SEARCH_LIMITS}`,
} as const;

const list = (what: string) => values.meta({ description: `${what}, ${OR}` });

/** The filters of a request. Each has the name and the meaning of the parameter of `GET /v1/events`. */
export const sentFilter = {
  topics: list(WHAT.topics),
  source_filter: list(WHAT.sources),
  severity_min: severity.meta({ description: "Minimum severity" }),
  event_type: types.meta({ description: `${WHAT.event_type}, ${OR}` }),
  article: list(WHAT.article),
  event_language: list(WHAT.event_language),
  q: search.meta({ description: WHAT.q }),
} as const;

/** The exclusions of a request. Absent ones exclude nothing. */
export const sentExclusions = z.strictObject({
  topics: values.default([]).meta({ description: WHAT.topics }),
  source: values.default([]).meta({ description: WHAT.sources }),
  event_type: types.default([]).meta({ description: WHAT.event_type }),
  article: values.default([]).meta({ description: WHAT.article }),
  q: search.default(null).meta({ description: "A full-text search like `q`" }),
}).meta({
  id: "ExclusionsRequest",
  description: "Events that match any of these values are left out, even if they match the filters",
});

export const filterRecord = {
  topics: texts(`${WHAT.topics}, ${OR}`),
  source_filter: texts(`${WHAT.sources}, ${OR}`),
  severity_min: severity.meta({ description: "Minimum severity" }),
  event_type: z.array(z.enum(EVENT_TYPES)).meta({ description: `${WHAT.event_type}, ${OR}` }),
  article: texts(`${WHAT.article}, ${OR}`),
  event_language: texts(`${WHAT.event_language}, ${OR}`),
  q: textOrNull(WHAT.q),
  exclude: z.strictObject({
    topics: texts(WHAT.topics),
    source: texts(WHAT.sources),
    event_type: z.array(z.enum(EVENT_TYPES)).meta({ description: WHAT.event_type }),
    article: texts(WHAT.article),
    q: textOrNull("A full-text search like `q`; null for none"),
  }).meta({
    id: "Exclusions",
    description: "Events that match any of these values are left out, even if they match the filters",
  }),
} as const;

const filterObject = z.strictObject(filterRecord);

export function toFilterRecord(filter: EventFilter): z.infer<typeof filterObject> {
  const { exclude } = filter;
  return {
    topics: filter.topics,
    source_filter: filter.sources,
    severity_min: filter.severityMin,
    event_type: filter.eventTypes,
    article: filter.articles,
    event_language: filter.eventLanguages,
    q: filter.search?.text ?? null,
    exclude: {
      topics: exclude.topics,
      source: exclude.sources,
      event_type: exclude.eventTypes,
      article: exclude.articles,
      q: exclude.search?.text ?? null,
    },
  };
}
