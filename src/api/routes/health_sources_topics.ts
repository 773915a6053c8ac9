// The public routes GET /v1/sources, /v1/topics and /v1/health.
import { DISCLAIMER } from "../../domain/event/disclaimer.ts";
import { healthReport, sourceList, topicList, toSourceRecord } from "../../wire/health_sources_topics.ts";
import { responseBody } from "../http/response_body.ts";
import { publicRoute, type Route } from "../route.ts";
import type { RouteOptions } from "./route_dependencies.ts";

export function serviceRoutes({ store, clock, sources, topics, health }: RouteOptions): Route[] {
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
      summary: "Lists the topics",
      description:
        "The topics of events, on two levels and in three languages. In filters, a parent includes its children.",
      response: topicList,
      status: 200,
      handle: () => Promise.resolve(responseBody(200, { topics, disclaimer: DISCLAIMER })),
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
