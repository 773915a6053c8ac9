// A database's file that is not in its place any more: what is left at its path goes, and what was removed is kept.
import type { Clock, Log } from "../domain/ports.ts";
import { holdFile, removeBeside } from "../platform/database_files.ts";
import type { Machine } from "../platform/machine.ts";
import type { WhenMoved } from "../store/sqlite/trouble.ts";

/** A database that is opened. */
export interface MovingDatabase {
  path: string;
  /** The path as the config has it: a link may stand there. */
  name: string;
  machine: Pick<Machine, "identityOf">;
  clock: Pick<Clock, "nowMs">;
  log: Pick<Log, "error">;
}

/**
 * Holds the file at the path, and does what has to be done once it is not in its place. One that was copied to another disk
 * and removed, or that another was renamed over, has no name any more: all that was acknowledged is in it, and in nothing
 * else, until the last process that has it open ends.
 */
export function watchMoved({ path, name, machine, clock, log }: MovingDatabase): WhenMoved {
  const held = holdFile(path, machine.identityOf(name));
  let hasMoved = false;
  let isKept = false;
  const keep = () => {
    if (held === null || isKept || !held.isRemoved()) return;
    const to = `${path}.removed-${stampOf(clock.nowMs())}`;
    try {
      held.saveAs(to);
      isKept = true;
      log.error(
        "the database's file was removed: all that it held is kept in another, to be put in its place with the server stopped",
        { file: to },
      );
    } catch (error) {
      log.error(
        "the database's file was removed, and what it held cannot be kept; it is tried again at the end",
        {
          file: to,
          cause: (error as Error).message,
        },
      );
    }
  };
  return {
    removeBeside(side) {
      // Where a link leads elsewhere now, the file is in its place all the same.
      if (machine.identityOf(path) === machine.identityOf(name)) removeBeside(path, side);
    },
    keepRemoved(identity) {
      hasMoved = held !== null && identity === held.identity;
      if (hasMoved) keep();
    },
    closed() {
      if (hasMoved) keep();
      held?.close();
    },
  };
}

/** To the second, as in the names of backups. */
function stampOf(nowMs: number): string {
  return new Date(nowMs).toISOString().replace(/\.\d+Z$/, "Z").replace(/[-:]/g, "");
}
