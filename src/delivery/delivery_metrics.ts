// Delivery metrics: attempts, their duration, and the time from the creation of a delivery to its arrival.
import type { AttemptResult, ClaimedDelivery, NextStep } from "../domain/delivery/delivery.ts";
import { type Metrics, SECONDS_BOUNDS } from "../domain/ports/metrics.ts";

/** Upper bounds of the buckets for the time from creation to success, s. They cover the whole retry schedule. */
const LATENCY_BOUNDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 21_600, 86_400, 259_200];

export type CountAttempt = (
  delivery: Pick<ClaimedDelivery, "attempt" | "tries" | "createdAtMs">,
  result: AttemptResult,
  next: NextStep["kind"],
) => void;

export function createDeliveryMetrics(metrics: Metrics): CountAttempt {
  const attempts = metrics.counter({
    name: "regfeed_delivery_attempts_total",
    help: "Delivery attempts by outcome: delivered, retry, failed (the last attempt) or gone.",
    labels: ["outcome"],
  });
  const durations = metrics.histogram({
    name: "regfeed_delivery_attempt_duration_seconds",
    help: "Duration of an attempt, including DNS, connection, request and response.",
    bounds: SECONDS_BOUNDS,
  });
  const latencies = metrics.histogram({
    name: "regfeed_delivery_latency_seconds",
    help:
      "Time from the creation of a delivery, right after its event was stored, to its success; excludes " +
      "replays, and deliveries that were in progress when the service was killed.",
    bounds: LATENCY_BOUNDS,
  });
  return ({ attempt, tries, createdAtMs }, { startedAtMs, durationMs }, next) => {
    attempts.add([next]);
    durations.observe([], durationMs / 1_000);
    // `attempt` and `tries` differ for replays, and if the service was killed during an attempt.
    if (next !== "delivered" || attempt !== tries) return;
    latencies.observe([], Math.max(0, startedAtMs + durationMs - createdAtMs) / 1_000);
  };
}
