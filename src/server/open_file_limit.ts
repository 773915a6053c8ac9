// Watches how many more files the process can open: idle HTTP connections use them without a limit.
import type { Metrics } from "../domain/ports/metrics.ts";
import type { Clock, Log } from "../domain/ports/ports.ts";

/** With fewer, the database, sources and receivers may soon get none. */
const SPARE_FILES = 200;
/** Time between two checks, ms. A check takes about 3 ms, because the number can only be found by trying. */
const LOOK_MS = 10_000;
/** Time between two warnings, ms. */
const SAY_AGAIN_MS = 3_600_000;

/** What watching needs. */
export interface FileWatch {
  /** Whether this many more files can be opened. */
  hasFiles(count: number): boolean;
  log: Log;
  clock: Clock;
  metrics: Metrics;
}

/** Checks until the signal aborts; logs when files become scarce, and when that is over. */
export async function watchOpenFiles(
  { hasFiles, log, clock, metrics }: FileWatch,
  signal: AbortSignal,
): Promise<void> {
  let isScarce = false;
  let saidAtMs = -Infinity;
  metrics.gauge(
    { name: "regfeed_files_scarce", help: `Whether fewer than ${SPARE_FILES} more files can be opened.` },
    () => [{ value: isScarce ? 1 : 0 }],
  );
  for (;;) {
    await clock.sleep(LOOK_MS, signal);
    if (signal.aborted) return;
    const was = isScarce;
    isScarce = !hasFiles(SPARE_FILES);
    if (isScarce && clock.nowMs() - saidAtMs >= SAY_AGAIN_MS) {
      saidAtMs = clock.nowMs();
      log.warn(
        `fewer than ${SPARE_FILES} more files can be opened: raise the limit (LimitNOFILE in the unit, or ` +
          "`ulimit -n`), and use a reverse proxy, which closes idle connections",
      );
    }
    if (was && !isScarce) log.info("enough files can be opened again");
  }
}
