// GET /v1/events and GET /v1/events/{id}.
import { z } from "zod";
import { AppError, type FieldError } from "../../domain/errors.ts";
import { isId } from "../../domain/ids.ts";
import type { EventQuery, Store } from "../../domain/store.ts";
import { expandTopics, type Topic } from "../../domain/topic.ts";
import { eventAnswer, eventAnswerJson, eventList, eventListJson, severity } from "../../wire/event.ts";
import { invalid } from "../input.ts";
import { integerParameter, listParameter } from "../parameters.ts";
import { keyRoute, type Route } from "../route.ts";

/** The most events of one answer, and how many without `limit` (specification, section 8). */
const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;
/** The last millisecond that a date can hold (ECMA-262, 21.4.1.1). */
const LAST_MS = 8_640_000_000_000_000;

const eventsQuery = z.strictObject({
  limit: integerParameter({ min: 1, max: MAX_LIMIT, description: "The most events of one answer" })
    .default(DEFAULT_LIMIT),
  since: integerParameter({ min: -LAST_MS, max: LAST_MS, description: "Unix ms: `published_at` at or after" })
    .optional(),
  source: z.string().min(1).max(100).optional().meta({ description: "A source's id" }),
  severity_min: severity.optional(),
  topics: listParameter("Topic ids with commas between them; any of them; a parent stands for its children")
    .optional(),
});

/** What the routes of events need. */
export interface EventRouteOptions {
  store: Pick<Store, "listEvents" | "findEvent">;
  topics: readonly Topic[];
  /** Whether a source of this id is or was configured. */
  isSource(id: string): Promise<boolean>;
}

/** The routes that read events. */
export function eventRoutes({ store, topics, isSource }: EventRouteOptions): Route[] {
  const known = new Set(topics.map((topic) => topic.id));
  return [
    keyRoute({
      method: "GET",
      path: "/v1/events",
      summary: "Lists events, newest first",
      query: eventsQuery,
      answer: eventList,
      status: 200,
      async handle({ query }) {
        const errors: FieldError[] = (query.topics ?? [])
          .filter((id) => !known.has(id))
          .map((id) => ({
            field: "topics",
            message: `${JSON.stringify(id)} is no topic; GET /v1/topics lists them`,
          }));
        if (query.source !== undefined && !await isSource(query.source)) {
          const message = `${JSON.stringify(query.source)} is no source; GET /v1/sources lists them`;
          errors.push({ field: "source", message });
        }
        if (errors.length > 0) throw invalid(errors);
        return { status: 200, json: eventListJson(await store.listEvents(toEventQuery(query, topics))) };
      },
    }),
    keyRoute({
      method: "GET",
      path: "/v1/events/{id}",
      summary: "One event",
      answer: eventAnswer,
      status: 200,
      async handle({ params }) {
        const id = params["id"] ?? "";
        const json = isId("event", id) ? await store.findEvent(id) : null;
        if (json === null) throw new AppError("not_found", "There is no event of this id.");
        return { status: 200, json: eventAnswerJson(json) };
      },
    }),
  ];
}

function toEventQuery(query: z.infer<typeof eventsQuery>, topics: readonly Topic[]): EventQuery {
  return {
    limit: query.limit,
    ...(query.since === undefined ? {} : { since: query.since }),
    ...(query.source === undefined ? {} : { source: query.source }),
    ...(query.severity_min === undefined ? {} : { severityMin: query.severity_min }),
    ...(query.topics === undefined ? {} : { topics: [...expandTopics(topics, query.topics)] }),
  };
}
