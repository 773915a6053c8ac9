// The routes of events: list, event, versions.
import { createHash } from "node:crypto";
import * as z from "zod";
import type { ListedEvent } from "../../domain/ports/store/events.ts";
import { DISCLAIMER } from "../../domain/event/disclaimer.ts";
import {
  eventCount,
  eventId,
  eventList,
  eventListJson,
  eventResponse,
  eventResponseJson,
  MAX_COUNTED,
} from "../../wire/event.ts";
import { eventVersions, toEventVersions } from "../../wire/versions.ts";
import { eventsQuery, toEventQuery, verifyEventsQuery } from "../input/event_query.ts";
import { invalid, quoteSent } from "../../http/invalid_fields.ts";
import { nextLink, pageOf, responseBody } from "../response_body.ts";
import { idOf, notFound } from "./path_id.ts";
import { keyRoute, type Route } from "../route.ts";
import type { RouteOptions } from "./route_dependencies.ts";

/** Maximum number of versions per response, because each is compared with the previous one. */
const MAX_VERSIONS = 100;
/** Maximum length of a page of versions in characters, because comparing long ones in 24 languages takes seconds. */
const MAX_VERSIONS_LENGTH = 1_000_000;

export function eventRoutes(options: RouteOptions): Route[] {
  return [listRoute(options), countRoute(options), eventRoute(options), versionsRoute(options)];
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
    verify: ({ query }) => verifyEventsQuery(query, options),
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

/** The parameters of a page, which a count does not have. */
const countQuery = eventsQuery.omit({ limit: true, before: true, as_of: true });

function countRoute(options: RouteOptions): Route {
  const { store } = options;
  return keyRoute({
    method: "GET",
    path: "/v1/events/count",
    operationId: "countEvents",
    tag: "Events",
    summary: "Counts events",
    description:
      "Takes the filters of `GET /v1/events`. Shows how many events a filter matches, for example before " +
      "you use it in a subscription.",
    query: countQuery,
    response: eventCount,
    status: 200,
    verify: ({ query }) => verifyEventsQuery(query, options),
    state: (nowMs) => store.recordsState(nowMs),
    async handle({ query }) {
      const count = await store.countEvents(
        await toEventQuery({ ...query, limit: MAX_COUNTED }, null, options),
      );
      const body = {
        count: Math.min(count, MAX_COUNTED),
        exact: count <= MAX_COUNTED,
        disclaimer: DISCLAIMER,
      };
      return responseBody(200, body);
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
      const id = idOf("event", params);
      const found = await store.findEvent(id);
      if (found === null) throw notFound("event");
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
      const id = idOf("event", params);
      // One more than is returned, because the oldest version on the page is compared with its predecessor.
      const range = { latest: MAX_VERSIONS + 1, beforeId: query.before ?? null };
      const versions = await store.listVersions(id, range);
      if (versions.length === 0) {
        if (query.before === undefined || await store.findPosition(id) === null) throw notFound("event");
        throw invalid([{
          field: "before",
          message: `${quoteSent(query.before)} is not the id of a version that has earlier ones`,
        }]);
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
