// Metrics of the process: its memory and start time.
import type { Metrics } from "../../domain/ports/metrics.ts";

export function measureProcess(metrics: Metrics, startedAtMs: number): void {
  metrics.gauge({ name: "process_resident_memory_bytes", help: "Resident memory." }, () => [
    { value: Deno.memoryUsage().rss },
  ]);
  metrics.gauge(
    { name: "process_start_time_seconds", help: "When the process started, Unix seconds." },
    () => [
      { value: startedAtMs / 1_000 },
    ],
  );
}
