// Options of `makeTempDir`. Without `dir`, the system's default applies.
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
    return false; // the folder does not exist
  }
}
