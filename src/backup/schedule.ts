// Scheduled backups: when the next one is due, and which old ones are removed.
import { join } from "node:path";
import type { Clock, FolderListing, Log } from "../domain/ports/ports.ts";
import { nextRunAfter, type Schedule } from "../domain/source/schedule.ts";
import { backupTime, isScheduled, scheduledName } from "./create.ts";

/** Pause after a failure, ms. */
const RETRY_MS = 600_000;
/** The longest sleep, ms: changes of the clock are noticed within this time. */
const LOOK_AGAIN_MS = 30_000;
/** A backup from the future counts if the clock was set back by less than this, ms. */
const SET_RIGHT_MS = 3_600_000;

export interface BackupPlan {
  /** Absolute. */
  folder: string;
  schedule: Schedule;
  /** How many of the newest are kept. */
  keep: number;
}

export interface BackupLoop {
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
 * When the next backup is due, Unix ms: at the first run of the schedule after the newest backup, or else after the
 * start. A missed one is due at once. Null for a schedule without runs. A start or failure in the future, before the
 * clock was set back, does not count.
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
 * The backups of a folder to remove: scheduled ones except the newest. Those from the future ({@link isOfLaterClock})
 * stay and do not count as the newest.
 */
export function findSuperfluous(names: readonly string[], keep: number, nowMs: number): string[] {
  return names.filter((name) => isScheduled(name) && !isOfLaterClock(name, nowMs)).sort().reverse().slice(
    keep,
  );
}

/** Whether a backup is from the future: the clock has been set back since, or is wrong now. */
export function isOfLaterClock(name: string, nowMs: number): boolean {
  return (backupTime(name) ?? 0) > nowMs + SET_RIGHT_MS;
}

/** Creates due backups until the signal aborts. After a failure, which is logged and retried, old backups stay. */
export async function runBackups(loop: BackupLoop, signal: AbortSignal): Promise<void> {
  const { plan, clock, log } = loop;
  const startedMs = clock.nowMs();
  let failedMs: number | null = null;
  while (!signal.aborted) {
    try {
      const nowMs = clock.nowMs();
      const newestMs = await findNewestBackup(plan.folder, { files: loop.files, nowMs, counts: isScheduled });
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
      // The new backup exists; old ones can be removed by hand.
      log.warn("an old backup cannot be removed: remove it, or allow the service's user to do so", {
        file: name,
        cause: error instanceof Error ? error.message : String(error),
      });
    }
  }
}

/** The time in the name of the newest backup of a folder, Unix ms; null if there is none. Future ones do not count. */
export async function findNewestBackup(
  folder: string,
  { files, nowMs, counts = () => true }: {
    files: Pick<BackupLoop["files"], "exists" | "list">;
    nowMs: number;
    counts?(name: string): boolean;
  },
): Promise<number | null> {
  if (!await files.exists(folder)) return null;
  const listing = await files.list(folder);
  const names = listing.files.map(({ name }) => name).filter((name) =>
    counts(name) && !isOfLaterClock(name, nowMs)
  );
  const times = names.map(backupTime).filter((ms) => ms !== null);
  return times.length === 0 ? null : Math.max(...times);
}
