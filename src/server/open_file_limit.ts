// How many files the process may still open: idle connections over plain HTTP take them, and nothing bounds those.
import type { Metrics } from "../domain/ports/metrics.ts";
import type { Clock, Log } from "../domain/ports/ports.ts";

/** With fewer left, connections are about to take those of the database, of sources and of receivers. */
const SPARE_FILES = 200;
/** Between two looks, ms: one takes some 3 ms, for a process cannot read how many it has. */
const LOOK_MS = 10_000;
/** How often it is said again, ms. */
const SAY_AGAIN_MS = 3_600_000;

/** What is looked with, and who hears of it. */
export interface FileWatch {
  /** Whether so many files can still be opened. */
  hasFiles(count: number): boolean;
  log: Log;
  clock: Clock;
  metrics: Metrics;
}

/** Looks until the signal aborts; says when files become few, what to do, and when that is over. */
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
