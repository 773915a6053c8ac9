// The metrics of API requests.
import type { Limited } from "../../http/ip_rate_limit.ts";
import { type Metrics, SECONDS_BOUNDS } from "../../domain/ports/metrics.ts";

export interface CompletedRequest {
  method: string;
  /** The path of the route, with placeholders (`/v1/events/{id}`); null for an unknown path. */
  route: string | null;
  status: number;
  durationMs: number;
  refusal: "quota" | Limited | null;
}

/** Methods with a label of their own. All others share one, because clients can invent methods. */
const METHODS = new Set(["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"]);

export function createRequestMetrics(metrics: Metrics): (completed: CompletedRequest) => void {
  const requests = metrics.counter({
    name: "regfeed_http_requests_total",
    help: "API requests by method, route and status.",
    labels: ["method", "route", "status"],
  });
  const seconds = metrics.histogram({
    name: "regfeed_http_request_duration_seconds",
    help: "Time from request to response headers, by route.",
    labels: ["route"],
    bounds: SECONDS_BOUNDS,
  });
  const refusals = metrics.counter({
    name: "regfeed_quota_refusals_total",
    help: "Requests refused because the daily quota was used up.",
  });
  const limits = metrics.counter({
    name: "regfeed_address_refusals_total",
    help:
      "Requests refused because their IP address sent too many without a key, or with an invalid key or signature.",
    labels: ["limit"],
  });
  return ({ method, route, status, durationMs, refusal }) => {
    const path = route ?? "none";
    seconds.observe([path], durationMs / 1_000);
    requests.add([METHODS.has(method) ? method : "other", path, String(status)]);
    if (refusal === "quota") refusals.add([]);
    else if (refusal !== null) limits.add([refusal]);
  };
}
