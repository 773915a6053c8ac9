// The place of temporary folders: in memory if possible, because tests wait for each write.
import { statfsSync } from "node:fs";

const MEMORY = "/dev/shm";
const NEEDED_BYTES = 2e9;

/** The parent of temporary folders; empty: the system's. */
export const TEMPORARY: { dir?: string } = hasRoom() ? { dir: MEMORY } : {};

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= NEEDED_BYTES;
  } catch {
    return false; // there is no such folder
  }
}
