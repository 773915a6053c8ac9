// The routes of events: list, event, versions.
import { createHash } from "node:crypto";
import * as z from "zod";
import { canonicalArticle } from "../../domain/event/article.ts";
import { AppError, type FieldError } from "../../domain/error_codes.ts";
import { EVENT_TYPES } from "../../domain/event/event.ts";
import { isId } from "../../domain/event/ids.ts";
import type { EventPosition, EventQuery, ListedEvent } from "../../domain/ports/store/events.ts";
import type { Store } from "../../domain/ports/store/store.ts";
import { expandTopics } from "../../domain/event/topic.ts";
import {
  eventId,
  eventList,
  eventListJson,
  eventResponse,
  eventResponseJson,
  severity,
} from "../../wire/event.ts";
import { eventVersions, toEventVersions } from "../../wire/versions.ts";
import { definedFields } from "../input/without_undefined.ts";
import { choiceParameter, flagParameter, integerParameter, listParameter } from "../input/parameters.ts";
import { invalid, unknownSources, unknownTopics } from "../input/field_problems.ts";
import { nextLink, pageOf, responseBody } from "../http/response_body.ts";
import { keyRoute, type Route } from "../route.ts";
import type { RouteOptions } from "./route_dependencies.ts";

/** Maximum and default number of events per response (specification, section 8). */
const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;
/** Maximum number of versions per response, because each is compared with the previous one. */
const MAX_VERSIONS = 100;
/** Maximum length of a page of versions in characters, because comparing long ones in 24 languages takes seconds. */
const MAX_VERSIONS_LENGTH = 1_000_000;
/** The latest time that a Date can represent, in Unix ms (ECMA-262, 21.4.1.1). */
const LAST_MS = 8_640_000_000_000_000;
/** 1 August 2026 in Unix ms, as an example in error messages. */
const SOME_MS = 1_785_542_400_000;

const MAX_WORDS = 10;
const MAX_SEARCH_LENGTH = 200;
/** The first value of `after` for polling, which sorts before every event. */
const FIRST_ID = "evt_00000000000000000000000000";

const eventsQuery = z.strictObject({
  limit: integerParameter({ min: 1, max: MAX_LIMIT, description: "Maximum number of events per page" })
    .default(DEFAULT_LIMIT),
  since: integerParameter({
    min: -LAST_MS,
    max: LAST_MS,
    example: SOME_MS,
    description:
      "Events with `published_at` at or after this time, in Unix milliseconds (13 digits, not seconds)",
  })
    .optional(),
  until: integerParameter({
    min: -LAST_MS,
    max: LAST_MS,
    example: SOME_MS,
    description: "Events with `published_at` at or before this time, in Unix milliseconds",
  })
    .optional(),
  source: z.string().min(1).max(100).optional().meta({ description: "A source's id" }),
  severity_min: severity.optional().meta({ description: "Minimum severity" }),
  topics: listParameter("Comma-separated topic ids, combined with OR; a parent includes its children")
    .optional(),
  event_type: choiceParameter(EVENT_TYPES, "Comma-separated event types, combined with OR").optional(),
  article: listParameter(
    "Comma-separated references, combined with OR, such as `Art. 50`, which includes `Art. 50(2)`",
  )
    .optional(),
  language: listParameter(
    "Comma-separated ISO 639-1 codes, combined with OR. Returns events that are available in one of these languages",
  )
    .optional(),
  q: z.string().min(1).max(MAX_SEARCH_LENGTH).optional().meta({
    description:
      "Full-text search: title and summary together contain all of these words. Only whole words match, so `consult` " +
      "does not find `consultation`. Case and accents are ignored",
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

type EventsQuery = z.infer<typeof eventsQuery>;

export function eventRoutes(options: RouteOptions): Route[] {
  return [listRoute(options), eventRoute(options), versionsRoute(options)];
}

function listRoute(options: RouteOptions): Route {
  const { store, publicUrl } = options;
  return keyRoute({
    method: "GET",
    path: "/v1/events",
    operationId: "listEvents",
    tag: "Events",
    summary: "Lists events, newest first",
    description:
      "Filters are combined with AND, values within a list with OR. Without `after`, the newest events come first, " +
      "by `published_at`, then `id`. For more than one page, see Paging.",
    query: eventsQuery,
    response: eventList,
    status: 200,
    responseHeaders: ["Link"],
    verify: ({ query }) => verifyQuery(query, options),
    state: (nowMs) => store.recordsState(nowMs),
    async handle({ query, address }) {
      // Without `as_of`, a publication that is revised while a client pages would move to a page already read.
      const newAsOf = query.latest === true && query.after === undefined && query.as_of === undefined
        ? await store.lastPosition()
        : null;
      const events = await store.listEvents(await toEventQuery(query, newAsOf, options));
      const { page, last } = pageOf(events, query.limit);
      const json = eventListJson(page);
      const response = { status: 200, json, contentName: contentNameOf(page, json) };
      if (last === null) return response;
      const position = query.after === undefined ? { before: last.id } : { after: last.id };
      const next = { ...position, ...(newAsOf === null ? {} : { as_of: newAsOf.id }) };
      return { ...response, headers: { link: nextLink(publicUrl + address, next) } };
    },
  });
}

function eventRoute({ store }: RouteOptions): Route {
  return keyRoute({
    method: "GET",
    path: "/v1/events/{id}",
    operationId: "getEvent",
    tag: "Events",
    summary: "Returns an event",
    description:
      "One version of one publication with its provenance. An event never changes, except that another language may " +
      "be added, which changes its `ETag`.",
    params: { id: eventId },
    errors: ["not_found"],
    response: eventResponse,
    status: 200,
    state: (nowMs) => store.recordsState(nowMs),
    async handle({ params }) {
      const id = params["id"] ?? "";
      const found = isId("event", id) ? await store.findEvent(id) : null;
      if (found === null) throw notFound();
      const json = eventResponseJson(found);
      return { status: 200, json, contentName: `${id}-${json.length}` };
    },
  });
}

const versionsQuery = z.strictObject({
  before: z.string().optional().meta({
    description: 'A version\'s id. Returns the versions before it. Used by `Link: rel="next"`',
  }),
});

function versionsRoute({ store, publicUrl }: RouteOptions): Route {
  return keyRoute({
    method: "GET",
    path: "/v1/events/{id}/versions",
    operationId: "listEventVersions",
    tag: "Events",
    summary: "Lists the versions of an event's publication",
    description:
      "Accepts the id of any version. Returns the latest versions, oldest first, each with the diff to the previous one. " +
      `A page has at most ${MAX_VERSIONS} versions, fewer if they are long. \`Link: rel="next"\` leads to earlier ones.`,
    params: { id: eventId },
    query: versionsQuery,
    errors: ["not_found"],
    response: eventVersions,
    status: 200,
    responseHeaders: ["Link"],
    state: (nowMs) => store.recordsState(nowMs),
    async handle({ params, query, address }) {
      const id = params["id"] ?? "";
      if (!isId("event", id)) throw notFound();
      // One more than is returned, because the oldest version on the page is compared with its predecessor.
      const range = { latest: MAX_VERSIONS + 1, beforeId: query.before ?? null };
      const versions = await store.listVersions(id, range);
      if (versions.length === 0) {
        if (query.before === undefined || await store.findPosition(id) === null) throw notFound();
        throw invalid([{ field: "before", message: "is not the id of a version that has earlier ones" }]);
      }
      const count = countOnPage(versions);
      const json = toEventVersions(versions.slice(-count - 1).map((version) => JSON.parse(version)), count);
      const oldest = json.versions[0]?.event.id ?? id;
      const isLast = count === versions.length;
      const headers = { link: nextLink(publicUrl + address, { before: oldest }) };
      return { ...responseBody(200, json), ...(isLast ? {} : { headers }) };
    },
  });
}

/** Returns how many versions fit on a page, counted back from the last one; at least one. */
function countOnPage(versions: readonly string[]): number {
  const most = Math.min(versions.length, MAX_VERSIONS);
  let length = 0;
  for (let count = 0; count < most; count++) {
    length += versions.at(-count - 1)?.length ?? 0;
    if (count > 0 && length > MAX_VERSIONS_LENGTH) return count;
  }
  return most;
}

/**
 * Returns a name for the content of a list, for its entity tag. A record changes only when a language is added, so
 * the ids and the length are enough. The length also changes with the format of the records.
 */
function contentNameOf(page: readonly ListedEvent[], json: string): string {
  const ids = page.map((event) => event.id).join(" ");
  return createHash("sha1").update(`${json.length} ${ids}`).digest("base64url");
}

function notFound(): AppError {
  return new AppError("not_found", "There is no event with this id.");
}

async function verifyQuery(
  query: Partial<EventsQuery>,
  { store, topics, isSource }: RouteOptions,
): Promise<FieldError[]> {
  const errors = unknownTopics("topics", query.topics ?? [], topics);
  if (query.source !== undefined) errors.push(...await unknownSources("source", [query.source], isSource));
  for (const text of query.article ?? []) {
    if (canonicalArticle(text) !== null) continue;
    const message = "is not a valid reference; use the form Art. 50(2), Annex III or Recital 60";
    errors.push({ field: "article", message: `${JSON.stringify(text)} ${message}` });
  }
  for (const code of query.language ?? []) {
    if (/^[a-z]{2,3}$/.test(code)) continue;
    const message = "is not an ISO 639-1 code in lower case, such as en";
    errors.push({ field: "language", message: `${JSON.stringify(code)} ${message}` });
  }
  const words = query.q === undefined ? 1 : wordsOf(query.q).length;
  if (words === 0 || words > MAX_WORDS) {
    errors.push({ field: "q", message: `must contain 1 to ${MAX_WORDS} words` });
  }
  for (const field of ["before", "as_of", "after"] as const) {
    const id = query[field];
    if (id === undefined || await findPosition(id, store) !== null) continue;
    errors.push({ field, message: isId("event", id) ? unknownEvent(field) : "is not a valid event id" });
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
async function toEventQuery(
  query: EventsQuery,
  newAsOf: EventPosition | null,
  { store, topics }: RouteOptions,
): Promise<EventQuery> {
  const positionOf = async (id: string | undefined) =>
    id === undefined ? undefined : await findPosition(id, store) ?? undefined;
  return definedFields({
    limit: query.limit + 1,
    since: query.since,
    until: query.until,
    source: query.source,
    severityMin: query.severity_min,
    topics: query.topics && [...expandTopics(topics, query.topics)],
    eventTypes: query.event_type,
    articles: query.article?.map((text) => canonicalArticle(text) ?? text),
    languages: query.language,
    search: query.q === undefined ? undefined : wordsOf(query.q),
    latest: query.latest,
    before: await positionOf(query.before),
    asOf: newAsOf ?? await positionOf(query.as_of),
    after: await positionOf(query.after),
  });
}

/** Returns the words of a search in NFC, because a separate combining mark would end a word. */
function wordsOf(text: string): string[] {
  return text.normalize("NFC").split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
}

/** Returns the position of an event, or null if it is unknown. {@link FIRST_ID} precedes all events. */
async function findPosition(id: string, store: Pick<Store, "findPosition">): Promise<EventPosition | null> {
  if (id === FIRST_ID) return { id, publishedAtMs: Number.MIN_SAFE_INTEGER, seq: 0 };
  return isId("event", id) ? await store.findPosition(id) : null;
}
