// Checks of disks and folders: space, permissions, backups.
import { dirname, join } from "node:path";
import { backupTime } from "../../backup/create.ts";
import { spaceForBackup } from "../../backup/disk_space.ts";
import { isOfLaterClock } from "../../backup/schedule.ts";
import type { Config } from "../../config/config.ts";
import { formatBytes } from "../../domain/format_bytes.ts";
import { nextRunAfter } from "../../domain/source/schedule.ts";
import { currentUser, findObstacle } from "../../platform/files/users.ts";
import { adviceOn } from "../obstacle_advice.ts";
import type { Machine } from "../../platform/files/machine.ts";
import type { Host } from "../../platform/process/process.ts";
import { formatTime } from "../../domain/format_time.ts";
import { type Finding, good, problem, warning } from "../../domain/operator/finding.ts";

/** Free space in bytes below which the finding is a problem. */
const FULL_BYTES = 100 * 1024 * 1024;
/** Free space in bytes below which the finding is a warning. */
const SCARCE_BYTES = 1024 * 1024 * 1024;
/** How long a scheduled backup may be overdue before the doctor warns, ms. */
const LATE_BACKUP_MS = 3_600_000;

/** Returns the folder if it exists, or else its nearest existing ancestor. */
function nearestFolder(path: string, machine: Pick<Machine, "rightsOf">): string {
  let folder = path;
  while (machine.rightsOf(folder) === null && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

// The store must not be on a network file system. `wantedBytes` is the space that a backup in this folder may need.
export function checkVolume(
  area: string,
  path: string,
  machine: Pick<Machine, "rightsOf" | "volumeOf">,
  wantedBytes = 0,
): Finding[] {
  const volume = machine.volumeOf(nearestFolder(path, machine));
  if (volume === null) return [];
  const { kind, freeBytes } = volume;
  if (volume.isNetwork && area === "store") {
    const todo = "move it to a local disk and change store.path: SQLite's locks do not work over a network";
    return [problem(area, `${path} is on ${kind}, a network file system`, todo)];
  }
  const space = `${formatBytes(freeBytes)} free at ${path}`;
  if (freeBytes < FULL_BYTES) {
    const todo = "free some space, or move the folder to a larger disk";
    return [{ ...problem(area, `only ${space}`, todo), cause: "disk space" }];
  }
  if (freeBytes >= Math.max(SCARCE_BYTES, wantedBytes)) return [good(area, space)];
  const needed = wantedBytes > SCARCE_BYTES ? `, but a backup may need ${formatBytes(wantedBytes)}` : "";
  return [warning(area, `${space}${needed}`, "free some space before the disk is full")];
}

/** Checks a folder that Regfeed writes to and creates if it is missing. */
export function checkFolder(area: string, path: string, machine: Pick<Machine, "rightsOf">): Finding {
  const there = nearestFolder(path, machine);
  const rights = machine.rightsOf(there);
  if (rights?.isFolder === false) {
    const todo = "move the file away, or name another folder in the config";
    return problem(area, `${there} is a file, not a folder`, todo);
  }
  if (rights?.mayWrite === true) {
    return good(area, there === path ? `${path} can be written` : `${path} will be created in ${there}`);
  }
  if (rights?.isReadOnly === true) {
    const todo =
      "see the system's log (the kernel makes a failing disk read-only), mount the disk writable, or name another folder";
    const seen = `${there} cannot be written: its file system is read-only`;
    return { ...problem(area, seen, todo), cause: "read-only disk" };
  }
  const obstacle = findObstacle(join(there, ".regfeed"));
  const cause = `folder ${there}` as const;
  if (obstacle !== null) {
    const { why, todo } = adviceOn(obstacle, { user: currentUser(), data: there });
    return { ...problem(area, why, todo), cause };
  }
  const todo = `run this as the user that runs Regfeed, or give the folder to that user: chown USER ${there}`;
  return { ...problem(area, `${there} cannot be written`, todo), cause };
}

export async function checkBackups(
  host: Pick<Host, "exists" | "list" | "sizeOf">,
  { backup, store }: Pick<Config, "backup" | "store">,
  { machine, nowMs }: { machine: Machine; nowMs: number },
): Promise<Finding[]> {
  const folder = checkFolder("backup", backup.folder, machine);
  if (folder.level === "problem") return [folder];
  const wantedBytes = spaceForBackup(await host.sizeOf(store.path).catch(() => 0)); // checkDatabase() reports a failure
  const files = await host.exists(backup.folder) ? (await host.list(backup.folder)).files : [];
  const times = files.filter(({ name }) => !isOfLaterClock(name, nowMs)).map(({ name }) => backupTime(name));
  return [
    folder,
    ...checkVolume("backup", backup.folder, machine, wantedBytes),
    checkNewest(backup, Math.max(...times.map((timeMs) => timeMs ?? -Infinity)), nowMs),
  ];
}

function checkNewest(backup: Config["backup"], newestMs: number, nowMs: number): Finding {
  const seen = newestMs === -Infinity
    ? `no backup in ${backup.folder}`
    : `the newest backup was made at ${formatTime(newestMs)} UTC`;
  if (backup.schedule === null) {
    return warning("backup", `${seen}, and there is no schedule`, 'set backup.schedule = "15 3 * * *"');
  }
  const dueMs = newestMs === -Infinity ? null : nextRunAfter(backup.schedule, newestMs);
  if (newestMs === -Infinity || (dueMs !== null && nowMs > dueMs + LATE_BACKUP_MS)) {
    const todo =
      "if the server was running when the backup was due, its log says why: look for the area backup";
    return { ...warning("backup", `a backup is overdue: ${seen}`, todo), symptomOf: "disk space" };
  }
  return good("backup", seen);
}
