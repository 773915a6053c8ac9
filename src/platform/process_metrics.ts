// What the process says of itself: memory, and how late its event loop is.
import type { Metrics } from "../domain/metrics.ts";

/** How often the event loop's lag is looked at, ms. */
const EVERY_MS = 500;
const LAG_BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/** Begins to measure; the returned function ends it. */
export function measureProcess(metrics: Metrics, startedAtMs: number): () => void {
  metrics.gauge({ name: "process_resident_memory_bytes", help: "Resident memory." }, () => [
    { value: Deno.memoryUsage().rss },
  ]);
  metrics.gauge(
    { name: "process_start_time_seconds", help: "When the process started, Unix seconds." },
    () => [
      { value: startedAtMs / 1_000 },
    ],
  );
  const lag = metrics.histogram({
    name: "regfeed_event_loop_lag_seconds",
    help: "How much later than asked for the event loop woke.",
    bounds: LAG_BOUNDS,
  });
  let dueMs = performance.now() + EVERY_MS;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    lag.observe([], Math.max(0, nowMs - dueMs) / 1_000);
    dueMs = nowMs + EVERY_MS;
  }, EVERY_MS);
  return () => clearInterval(timer);
}
