// The public routes GET /v1/sources, /v1/topics, /v1/event-types, /v1/severities and /v1/health.
import { DISCLAIMER } from "../../domain/event/disclaimer.ts";
import { DEFINED_EVENT_TYPES, DEFINED_SEVERITIES } from "../../domain/event/definitions.ts";
import {
  eventTypeList,
  healthReport,
  severityList,
  sourceList,
  topicList,
  toSourceRecord,
  toTopicRecord,
} from "../../wire/health_sources_topics.ts";
import { responseBody } from "../response_body.ts";
import { publicRoute, type Route } from "../route.ts";
import type { RouteOptions } from "./route_dependencies.ts";

export function serviceRoutes({ store, clock, sources, topics, health }: RouteOptions): Route[] {
  const records = topics.map(toTopicRecord);
  return [
    publicRoute({
      method: "GET",
      path: "/v1/sources",
      operationId: "listSources",
      tag: "Service",
      summary: "Lists the active sources with their last fetch",
      description: "The sources of events. Use their ids in the filters of events and subscriptions.",
      response: sourceList,
      status: 200,
      async handle() {
        const states = new Map((await store.listSources()).map((state) => [state.id, state]));
        const nowMs = clock.nowMs();
        const records = sources.map((source) => toSourceRecord(source, states.get(source.id) ?? null, nowMs));
        return responseBody(200, { sources: records, disclaimer: DISCLAIMER });
      },
    }),
    publicRoute({
      method: "GET",
      path: "/v1/topics",
      operationId: "listTopics",
      tag: "Service",
      summary: "Lists and defines the topics",
      description:
        "The topics of events, on two levels and in three languages. In filters, a parent includes its children.\n\n" +
        tableOf(records),
      response: topicList,
      status: 200,
      handle: () => Promise.resolve(responseBody(200, { topics: records, disclaimer: DISCLAIMER })),
    }),
    publicRoute({
      method: "GET",
      path: "/v1/event-types",
      operationId: "listEventTypes",
      tag: "Service",
      summary: "Lists and defines the event types",
      description: `The values of \`event_type\`, in three languages.\n\n${tableOf(DEFINED_EVENT_TYPES)}`,
      response: eventTypeList,
      status: 200,
      handle: () =>
        Promise.resolve(responseBody(200, { event_types: DEFINED_EVENT_TYPES, disclaimer: DISCLAIMER })),
    }),
    publicRoute({
      method: "GET",
      path: "/v1/severities",
      operationId: "listSeverities",
      tag: "Service",
      summary: "Lists and defines the severities",
      description: `The values of \`severity\` in ascending order, in three languages.\n\n${
        tableOf(DEFINED_SEVERITIES)
      }`,
      response: severityList,
      status: 200,
      handle: () =>
        Promise.resolve(responseBody(200, { severities: DEFINED_SEVERITIES, disclaimer: DISCLAIMER })),
    }),
    publicRoute({
      method: "GET",
      path: "/v1/health",
      operationId: "getHealth",
      tag: "Service",
      summary: "Returns the health of the service",
      description:
        "The state of ingestion and delivery, for monitoring. The status is 503 if the store is unavailable, otherwise 200.",
      otherResponses: { 503: "The store is unavailable, or the service cannot respond." },
      response: healthReport,
      status: 200,
      async handle() {
        const report = await health();
        return responseBody(report.status === "down" ? 503 : 200, report);
      },
    }),
  ];
}

/** Returns a Markdown table of terms and their English definitions. */
function tableOf(terms: readonly { id: string; name_en: string; definition_en: string | null }[]): string {
  const rows = terms.map(({ id, name_en, definition_en }) => `| \`${id}\` | ${definition_en ?? name_en} |`);
  return ["| id | definition |", "| --- | --- |", ...rows].join("\n");
}
