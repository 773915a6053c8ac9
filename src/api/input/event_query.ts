// The query of an event list: its parameters, their validation, and the store's query.
import * as z from "zod";
import { canonicalArticle } from "../../domain/event/article.ts";
import type { FieldError } from "../../domain/error_codes.ts";
import { EVENT_TYPES } from "../../domain/event/event.ts";
import { toSearch } from "../../domain/event/event_filter.ts";
import { isId } from "../../domain/event/ids.ts";
import { MAX_SEARCH_LENGTH, SEARCH_LIMITS } from "../../domain/event/search.ts";
import { expandTopics, type Topic } from "../../domain/event/topic.ts";
import type { EventPosition, EventQuery, EventStore } from "../../domain/ports/store/events.ts";
import { severity } from "../../wire/event.ts";
import { sentTime } from "../../wire/fields.ts";
import {
  type KnownSources,
  searchProblems,
  unknownArticles,
  unknownLanguages,
  unknownSources,
  unknownTopics,
} from "./field_problems.ts";
import { quoteSent } from "../../http/invalid_fields.ts";
import { choiceParameter, flagParameter, integerParameter, listParameter } from "../../http/parameters.ts";
import { definedFields } from "./without_undefined.ts";

/** Maximum and default number of events per response (specification, section 8). */
const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;
/** The first value of `after` for polling, which precedes every event. No event has this id. */
const FIRST_ID = "evt_00000000000000000000000000";

export const eventsQuery = z.strictObject({
  limit: integerParameter({ min: 1, max: MAX_LIMIT, description: "Maximum number of events per page" })
    .default(DEFAULT_LIMIT),
  since: sentTime("since", "Events with `published_at` at or after this time; a date begins at midnight UTC")
    .optional(),
  until: sentTime(
    "until",
    "Events with `published_at` at or before this time; a date includes that day in UTC",
  )
    .optional(),
  source: listParameter("Ids of sources, combined with OR").optional(),
  severity_min: severity.optional().meta({ description: "Minimum severity" }),
  topics: listParameter("Topic ids, combined with OR; a parent includes its children")
    .optional(),
  event_type: choiceParameter(EVENT_TYPES, "Event types, combined with OR").optional(),
  article: listParameter(
    "References, combined with OR, such as `Art. 50`, which includes `Art. 50(2)`",
  )
    .optional(),
  language: listParameter(
    "ISO 639-1 codes, combined with OR. Returns events that are available in one of these languages",
  )
    .optional(),
  q: z.string().min(1).max(MAX_SEARCH_LENGTH).optional().meta({
    description:
      "Full-text search: title and summary together contain all of these words. `consult*` matches words that begin " +
      'with `consult`; `"high risk"` matches this phrase. Other characters separate words. Case and accents are ignored. ' +
      SEARCH_LIMITS,
  }),
  latest: flagParameter(
    "`true` returns only the newest version of each publication. Pages reached by `Link` show the list as it was " +
      "when the first page was requested",
  ).optional(),
  before: z.string().optional().meta({
    description: 'An event\'s id. Returns the events after it in the list. Used by `Link: rel="next"`',
  }),
  as_of: z.string().optional().meta({
    description:
      "An event's id. Returns the list as it was when that event was the last one stored, so that events stored or " +
      'revised since then do not change it. Used by `Link: rel="next"` with `latest`',
  }),
  after: z.string().optional().meta({
    description: "An event's id. Returns the events stored after it, in storage order. " +
      `Nothing is skipped or repeated. Start with \`${FIRST_ID}\`. ` +
      "An unknown id returns 400, because the service may have been restored from a backup; continue with an older " +
      "id that you have",
  }),
});

export type EventsQuery = z.infer<typeof eventsQuery>;

/** What a query refers to. */
interface Known extends KnownSources {
  store: Pick<EventStore, "findPosition">;
  topics: readonly Topic[];
  /** Where the caller finds the topics and sources, and its name for `until`, if not those of the API. */
  hints?: { topics: string; sources: string; until: string };
}

/** Returns the values that refer to nothing known or contradict each other. */
export async function verifyEventsQuery(
  query: Partial<EventsQuery>,
  known: Known,
): Promise<FieldError[]> {
  const { store, topics, hints } = known;
  const errors = unknownTopics("topics", query.topics ?? [], topics, hints?.topics);
  errors.push(
    ...await unknownSources("source", query.source ?? [], known, hints?.sources),
    ...unknownArticles("article", query.article ?? []),
    ...unknownLanguages("language", query.language ?? []),
    ...searchProblems("q", query.q),
  );
  if (query.since !== undefined && query.until !== undefined && query.since > query.until) {
    errors.push({ field: "since", message: `must not be later than ${hints?.until ?? "until"}` });
  }
  for (const field of ["before", "as_of", "after"] as const) {
    const id = query[field];
    if (id === undefined || (field === "after" && id === FIRST_ID)) continue;
    if (isId("event", id) && await store.findPosition(id) !== null) continue;
    errors.push({
      field,
      message: isId("event", id) ? unknownEvent(field) : `${quoteSent(id)} is not a valid event id`,
    });
  }
  if (query.before !== undefined && query.after !== undefined) {
    errors.push({ field: "after", message: "cannot be combined with before, which uses another order" });
  }
  return errors;
}

function unknownEvent(field: "before" | "as_of" | "after"): string {
  const advice = field === "after"
    ? `continue with an older id that you have, or start with ${FIRST_ID} (since and until limit the events)`
    : "start again from the first page";
  return `is not a known event; if the service was restored from a backup, ${advice}`;
}

/** Builds the store's query, which reads one event more than requested to find out whether there is a next page. */
export async function toEventQuery(
  query: EventsQuery,
  newAsOf: EventPosition | null,
  { store, topics }: Pick<Known, "store" | "topics">,
): Promise<EventQuery> {
  const positionOf = async (id: string | undefined) =>
    id === undefined ? undefined : await store.findPosition(id) ?? undefined;
  return definedFields({
    limit: query.limit + 1,
    since: query.since,
    until: query.until,
    sources: query.source,
    severityMin: query.severity_min,
    topics: query.topics && [...expandTopics(topics, query.topics)],
    eventTypes: query.event_type,
    articles: query.article?.map((text) => canonicalArticle(text) ?? text),
    eventLanguages: query.language,
    search: query.q === undefined ? undefined : toSearch(query.q),
    latest: query.latest,
    before: await positionOf(query.before),
    asOf: newAsOf ?? await positionOf(query.as_of),
    after: query.after === FIRST_ID ? { seq: 0 } : await positionOf(query.after),
  });
}
