// The copy of a database that cannot be read where it lies: made where there is room for it, renewed when the database
// changes, and left nowhere.
import { basename, dirname, join } from "node:path";
import { formatBytes } from "../domain/byte_format.ts";
import type { Clock, LogFields } from "../domain/ports.ts";
import { claimFile, isClaimed } from "../platform/claim.ts";
import type { Machine } from "../platform/machine.ts";
import type { Host } from "../platform/process.ts";
import { SCHEMA_VERSION, schemaOfFile } from "../store/sqlite/migrate.ts";
import type { CopyReader } from "../store/sqlite/readable_copy.ts";
import { olderSchema } from "./prepare.ts";

/** What the folders are called in which copies are made. */
const FOLDER_PREFIX = "regfeed-read-";
/** The file in them that is claimed as long as somebody makes the copy. */
const CLAIM_NAME = "maker";
/** How long a look may take that finds a claim free, ms. */
const CLAIM_LOOK_MS = 300;
/** So long after its making a folder may be without its claim, ms. */
const UNCLAIMED_MS = 60_000;

/** How long a file must not have changed to be copied, ms: longer than the steps in which file systems tell times. */
const REST_MS = 50;
/** How often a copy is begun anew because the file has changed under it. */
const MOST_TRIES = 5;
/** What the copy's own work takes beside it, bytes. */
const WORK_BYTES = 1024 * 1024;

/** How often the database is looked at for changes, ms: what is looked at is two files' times. */
const LOOK_MS = 250;
/** How long a copy is read that is known to be out of date and cannot be renewed, ms. */
const OUTDATED_MS = 10_000;
/** So long nothing is said of it, ms: whoever closes the database is in the way for a moment. */
const PASSING_MS = 1_000;

/** What copies are made with. */
export interface CopyTools {
  host: Pick<
    Host,
    | "copy"
    | "exists"
    | "findOwnFolders"
    | "makeFolderIn"
    | "mayMakeIn"
    | "removeFile"
    | "removeFolder"
    | "sizeOf"
    | "stampOf"
    | "temporaryFolder"
  >;
  machine: Pick<Machine, "volumeOf" | "availableMemoryBytes">;
  clock: Pick<Clock, "nowMs" | "sleep">;
}

/** A copy that was made. */
export interface MadeCopy {
  path: string;
  /** The state of the database that was copied, see {@link stampOf}. */
  stamp: string;
  /** Removes it; whoever has opened it, keeps it open. */
  remove(): Promise<void>;
}

/** There is no room for a copy. */
export class CopyRoomError extends Error {
  override readonly name = "CopyRoomError";
}

/**
 * Copies a database, with a log that was left beside it, into a folder of its own among the temporary ones, which nobody
 * else can look into. Null when there is nothing in it. Throws when there is no room, when it changes all the
 * time, or when it is of another schema.
 */
export async function makeCopy(path: string, tools: CopyTools): Promise<MadeCopy | null> {
  const { host } = tools;
  await removeStaleCopies(host, tools.clock.nowMs());
  const parent = host.temporaryFolder();
  await requireRoom(path, parent, tools);
  const folder = await host.makeFolderIn(parent, FOLDER_PREFIX);
  const claim = claimFile(join(folder, CLAIM_NAME), "");
  const remove = async () => {
    claim.release();
    await host.removeFolder(folder);
  };
  try {
    await claim.taken;
    const copy = join(folder, basename(path));
    const stamp = await copyAtRest(path, copy, tools);
    const schema = schemaOfFile(copy);
    if (schema === SCHEMA_VERSION) return { path: copy, stamp, remove };
    if (schema !== 0) throw new Error(olderSchema(schema));
  } catch (error) {
    await remove();
    throw error;
  }
  await remove();
  return null;
}

/** Copies when nobody writes: a file that is the same before and after, and was not written just before, was not written. */
async function copyAtRest(path: string, to: string, { host, clock }: CopyTools): Promise<string> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const stamp = await stampOf(path, host);
    await clock.sleep(REST_MS);
    if (await stampOf(path, host) !== stamp) continue;
    await host.copy(path, to);
    if (await host.exists(`${path}-wal`)) await host.copy(`${path}-wal`, `${to}-wal`);
    else if (await host.exists(`${to}-wal`)) await host.removeFile(`${to}-wal`);
    if (await stampOf(path, host) === stamp) return stamp;
  }
  throw new Error(`another process writes to ${path} all the time`);
}

/** What changes whenever the database does. */
async function stampOf(path: string, host: CopyTools["host"]): Promise<string> {
  return `${await host.stampOf(path)} ${await host.stampOf(`${path}-wal`)}`;
}

/** Throws a {@link CopyRoomError} that says what is needed and what is there. */
async function requireRoom(path: string, folder: string, { host, machine }: CopyTools): Promise<void> {
  // The log is copied, and then brought into the copy.
  const neededBytes = await host.sizeOf(path) + 2 * await host.sizeOf(`${path}-wal`) + WORK_BYTES;
  const volume = machine.volumeOf(folder);
  if (volume === null) return;
  const needs = `the copy needs about ${formatBytes(neededBytes)} in ${folder}`;
  if (volume.freeBytes < neededBytes) {
    throw new CopyRoomError(
      `${needs}, which has ${
        formatBytes(volume.freeBytes)
      } free: make room there, or set TMPDIR to a folder with more`,
    );
  }
  const memoryBytes = volume.kind === "tmpfs" ? machine.availableMemoryBytes() : null;
  // The rest is for whoever reads it, and for everybody else.
  if (memoryBytes !== null && memoryBytes < 2 * neededBytes) {
    throw new CopyRoomError(
      `${needs}, which lies in memory, and no more than half of the ${
        formatBytes(memoryBytes)
      } that are available ` +
        "is taken for it: set TMPDIR to a folder on a disk",
    );
  }
}

/**
 * Removes what this user's processes have left behind that were killed while they copied; gives the folders. Whoever still
 * copies holds its claim. Links, and what belongs to others, are left alone.
 */
export async function removeStaleCopies(
  host: Pick<Host, "exists" | "findOwnFolders" | "removeFolder" | "temporaryFolder">,
  nowMs: number,
): Promise<string[]> {
  const removed: string[] = [];
  for (const { path, changedAtMs } of await host.findOwnFolders(host.temporaryFolder(), FOLDER_PREFIX)) {
    if (changedAtMs > nowMs - UNCLAIMED_MS && !await host.exists(join(path, CLAIM_NAME))) continue;
    if (await isClaimed(join(path, CLAIM_NAME), CLAIM_LOOK_MS)) continue;
    try {
      await host.removeFolder(path);
      removed.push(path);
    } catch (error) {
      if (await host.exists(path)) throw error; // who else looked for them may have been faster
    }
  }
  return removed;
}

/** What is followed, and who hears of it. */
export interface Following {
  /** The database. */
  path: string;
  /** The state of it that is read. */
  stamp: string;
  reader: CopyReader;
  tools: CopyTools;
  say: { info(text: string, fields: LogFields): void; error(text: string, fields: LogFields): void };
}

/**
 * Has what others change in the database read, until the signal aborts or the file itself is read: where it lies, while
 * another process has it open; otherwise as a new copy, which is made for half of the time at most. A copy that is out of
 * date and cannot be renewed is read for a short time only: a key that was disabled must not go on to work.
 */
export async function followOriginal(
  { path, stamp, reader, tools, say }: Following,
  signal: AbortSignal,
): Promise<void> {
  const { host, clock } = tools;
  let read = stamp;
  let outdatedAtMs: number | null = null;
  let said = "";
  for (let pauseMs = LOOK_MS; !signal.aborted; await clock.sleep(pauseMs, signal)) {
    pauseMs = LOOK_MS;
    if (!reader.readsCopy || signal.aborted) return;
    try {
      if (read === await stampOf(path, host)) continue;
      outdatedAtMs ??= clock.nowMs();
      const beganMs = clock.nowMs();
      // Where something can be made beside it, it would be made with the file's own rights, and stay so.
      if (await host.exists(`${path}-shm`) && !await host.mayMakeIn(dirname(path))) {
        reader.readFile();
        return say.info("the database is read where it lies: another process has it open", {});
      }
      read = await renew(path, reader, tools);
      pauseMs = Math.max(LOOK_MS, clock.nowMs() - beganMs);
      say.info("the database was changed by another process: a new copy of it is read", {});
      [outdatedAtMs, said] = [null, ""];
    } catch (error) {
      const outdatedMs = clock.nowMs() - (outdatedAtMs ?? clock.nowMs());
      // Two copies may be too many where one is not.
      const isLetGo = error instanceof CopyRoomError || outdatedMs > OUTDATED_MS;
      if (isLetGo) reader.letCopyGo();
      const before = isLetGo ? "no longer is" : `is for no more than ${OUTDATED_MS / 1_000} s`;
      const message = `what another process changed cannot be read, and what it was before ${before}: ${
        (error as Error).message
      }`;
      if (outdatedMs < PASSING_MS || message === said) continue;
      say.error(message, {});
      said = message;
    }
  }
}

/** Has a new copy read; gives the state that it has. */
async function renew(path: string, reader: CopyReader, tools: CopyTools): Promise<string> {
  const made = await makeCopy(path, tools);
  if (made === null) throw new Error(`there is nothing in ${path} any more`);
  try {
    reader.readCopy(made.path);
    return made.stamp;
  } finally {
    await made.remove();
  }
}
