// The metrics of API requests.
import type { Limited } from "../http/ip_rate_limit.ts";
import { type Metrics, SECONDS_BOUNDS } from "../../domain/ports/metrics.ts";

/** A finished request. */
export interface CompletedRequest {
  method: string;
  /** The path of the route, with placeholders (`/v1/events/{id}`); null for an unknown path. */
  route: string | null;
  status: number;
  durationMs: number;
  /** The reason of a 429; otherwise null. */
  refusal: "quota" | Limited | null;
}

/** Methods with a separate label: clients can invent others. */
const METHODS = new Set(["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"]);

/** The counters of one path, kept because looking them up by label is the slowest part of counting. */
interface PathCounts {
  observe(seconds: number): void;
  /** By method and status. */
  answers: Map<string, Map<number, () => void>>;
}

/** Returns a function that counts each request. */
export function createRequestMetrics(metrics: Metrics): (answered: CompletedRequest) => void {
  const requests = metrics.counter({
    name: "regfeed_http_requests_total",
    help: "Requests with a response.",
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
    help: "Requests refused because their IP address sent too many without a key or with an invalid one.",
    labels: ["limit"],
  });
  const paths = new Map<string, PathCounts>();
  const countsOf = (path: string): PathCounts => {
    const known = paths.get(path);
    if (known !== undefined) return known;
    const counts = { observe: seconds.of([path]), answers: new Map() };
    paths.set(path, counts);
    return counts;
  };
  return ({ method, route, status, durationMs, refusal }) => {
    const path = route ?? "none";
    const { observe, answers } = countsOf(path);
    observe(durationMs / 1_000);
    const named = METHODS.has(method) ? method : "other";
    const ofMethod = answers.get(named) ?? new Map<number, () => void>();
    answers.set(named, ofMethod);
    const count = ofMethod.get(status) ?? requests.of([named, path, String(status)]);
    ofMethod.set(status, count);
    count();
    if (refusal === "quota") refusals.add([]);
    else if (refusal !== null) limits.add([refusal]);
  };
}
