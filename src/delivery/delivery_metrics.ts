// Metrics of deliveries: attempts, their duration, and the time from match to arrival.
import type { AttemptResult, ClaimedDelivery, NextStep } from "../domain/delivery/delivery.ts";
import { type Metrics, SECONDS_BOUNDS } from "../domain/ports/metrics.ts";

/** Buckets for the time from stored to received, seconds: from at once to the last attempt of the schedule. */
const LATENCY_BOUNDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 21_600, 86_400, 259_200];

/** Counts one attempt that is over. */
export type CountAttempt = (
  delivery: Pick<ClaimedDelivery, "attempt" | "tries" | "createdAtMs">,
  result: AttemptResult,
  next: NextStep["kind"],
) => void;

/** A function that counts each attempt. */
export function createDeliveryMetrics(metrics: Metrics): CountAttempt {
  const attempts = metrics.counter({
    name: "regfeed_delivery_attempts_total",
    help: "Delivery attempts, by result: delivered, retry, failed (the last one), gone.",
    labels: ["outcome"],
  });
  const durations = metrics.histogram({
    name: "regfeed_delivery_attempt_duration_seconds",
    help: "Duration of an attempt: DNS, connection, request and response.",
    bounds: SECONDS_BOUNDS,
  });
  const latencies = metrics.histogram({
    name: "regfeed_delivery_latency_seconds",
    help: "Time from the creation of a delivery, right after its event was stored, to its success; without " +
      "replays, and without deliveries in progress when the service was killed.",
    bounds: LATENCY_BOUNDS,
  });
  const countByOutcome = new Map<NextStep["kind"], () => void>();
  const observeDuration = durations.of([]);
  const observeLatency = latencies.of([]);
  return ({ attempt, tries, createdAtMs }, { startedAtMs, durationMs }, next) => {
    let count = countByOutcome.get(next);
    if (count === undefined) countByOutcome.set(next, count = attempts.of([next]));
    count();
    observeDuration(durationMs / 1_000);
    // What was asked for anew was made long ago, and says nothing of the way. An attempt whose end nobody told looks alike.
    if (next !== "delivered" || attempt !== tries) return;
    observeLatency(Math.max(0, startedAtMs + durationMs - createdAtMs) / 1_000);
  };
}
