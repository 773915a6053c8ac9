// Where tests make their folders: in memory where there is room, because a test waits for each write to reach the disk.
import { statfsSync } from "node:fs";

const MEMORY = "/dev/shm";
const NEEDED_BYTES = 2e9;

/** The folder that temporary folders are made in; the system's own where this is empty. */
export const TEMPORARY: { dir?: string } = hasRoom() ? { dir: MEMORY } : {};

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= NEEDED_BYTES;
  } catch {
    return false; // there is no such folder
  }
}
