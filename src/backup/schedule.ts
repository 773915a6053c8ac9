// Scheduled backups: when the next one is due, and which old ones are removed.
import { join } from "node:path";
import type { Clock, FolderListing, Log } from "../domain/ports/ports.ts";
import { nextRunAfter, type Schedule } from "../domain/source/schedule.ts";
import { backupTime, isScheduled, scheduledName } from "./create.ts";

/** Pause after a failure, ms. */
const RETRY_MS = 600_000;
/** Maximum sleep, so that changes to the clock are noticed, ms. */
const LOOK_AGAIN_MS = 30_000;
/** A backup at most this many ms in the future still counts, because the clock may have been adjusted. */
const SET_RIGHT_MS = 3_600_000;

interface BackupPlan {
  /** An absolute path. */
  folder: string;
  schedule: Schedule;
  /** How many of the newest scheduled backups are kept. */
  keep: number;
}

interface BackupLoop {
  plan: BackupPlan;
  clock: Clock;
  log: Log;
  files: {
    exists(path: string): Promise<boolean>;
    list(folder: string): Promise<FolderListing>;
    removeFile(path: string): Promise<void>;
  };
  create(to: string, nowMs: number): Promise<void>;
}

/**
 * Returns when the next backup is due, Unix ms: at the first run after the newest backup or, without one, after the
 * start. A missed run is due at once. After a failure, a pause comes first. If the clock has been set back, a start in
 * the future counts as now, and a failure in the future is ignored. Returns null if the schedule has no runs.
 */
export function nextBackupAt(
  schedule: Schedule,
  { newestMs, startedMs, failedMs, nowMs }: {
    newestMs: number | null;
    startedMs: number;
    failedMs: number | null;
    nowMs: number;
  },
): number | null {
  const dueMs = nextRunAfter(schedule, newestMs ?? Math.min(startedMs, nowMs));
  if (dueMs === null) return null;
  return failedMs === null || failedMs > nowMs ? dueMs : Math.max(dueMs, failedMs + RETRY_MS);
}

/**
 * Returns the scheduled backups to remove: all except the newest `keep`. Also keeps backups from the future, see
 * {@link isOfLaterClock}.
 */
export function findSuperfluous(names: readonly string[], keep: number, nowMs: number): string[] {
  return names.filter((name) => isScheduled(name) && !isOfLaterClock(name, nowMs)).sort().reverse().slice(
    keep,
  );
}

/** Whether the name states a time over an hour in the future, which means that the clock was or is wrong. */
export function isOfLaterClock(name: string, nowMs: number): boolean {
  return (backupTime(name) ?? 0) > nowMs + SET_RIGHT_MS;
}

/** Creates due backups until the signal aborts. After a failure, logs it, keeps all old backups, and retries later. */
export async function runBackups(loop: BackupLoop, signal: AbortSignal): Promise<void> {
  const { plan, clock, log } = loop;
  const startedMs = clock.nowMs();
  let failedMs: number | null = null;
  while (!signal.aborted) {
    try {
      const nowMs = clock.nowMs();
      const newest = await findNewestBackup(plan.folder, { files: loop.files, nowMs, counts: isScheduled });
      const newestMs = newest?.timeMs ?? null;
      const dueMs = nextBackupAt(plan.schedule, { newestMs, startedMs, failedMs, nowMs });
      if (dueMs === null || nowMs < dueMs) {
        await clock.sleep(Math.min((dueMs ?? Infinity) - nowMs, LOOK_AGAIN_MS), signal);
        continue;
      }
      await makeOne(loop, nowMs);
      failedMs = null;
    } catch (error) {
      if (signal.aborted) return;
      failedMs = clock.nowMs();
      log.error("backup failed, will retry", {
        cause: error instanceof Error ? error.message : String(error),
        retry_ms: RETRY_MS,
      });
    }
  }
}

async function makeOne({ plan, clock, log, files, create }: BackupLoop, nowMs: number): Promise<void> {
  const to = join(plan.folder, scheduledName(nowMs));
  await create(to, nowMs);
  log.info("backup created", { file: to, duration_ms: clock.nowMs() - nowMs });
  const listing = await files.list(plan.folder);
  for (const name of findSuperfluous(listing.files.map((file) => file.name), plan.keep, nowMs)) {
    try {
      await files.removeFile(join(plan.folder, name));
      log.info("old backup removed", { file: name });
    } catch (error) {
      // This is not a failure of the new backup, and the operator can remove the old ones.
      log.warn("an old backup cannot be removed: remove it, or allow the service's user to do so", {
        file: name,
        cause: error instanceof Error ? error.message : String(error),
      });
    }
  }
}

/** Returns a folder's newest backup, or null if there is none. Ignores backups from the future. */
export async function findNewestBackup(
  folder: string,
  { files, nowMs, counts = () => true }: {
    files: Pick<BackupLoop["files"], "exists" | "list">;
    nowMs: number;
    counts?(name: string): boolean;
  },
): Promise<{ name: string; timeMs: number } | null> {
  if (!await files.exists(folder)) return null;
  const listing = await files.list(folder);
  const backups = listing.files.map(({ name }) => ({ name, timeMs: backupTime(name) ?? -Infinity })).filter((
    { name, timeMs },
  ) => timeMs > -Infinity && counts(name) && !isOfLaterClock(name, nowMs));
  return backups.sort((a, b) => b.timeMs - a.timeMs)[0] ?? null;
}
