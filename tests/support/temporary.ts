// Where tests create temporary folders: in memory, if there is enough space.
import { statfsSync } from "node:fs";

const MEMORY = "/dev/shm";
const NEEDED_BYTES = 2e9;

/** Options of `Deno.makeTempDir`. Without `dir`, the system's default applies. */
export const TEMPORARY: { dir?: string } = hasRoom() ? { dir: MEMORY } : {};

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= NEEDED_BYTES;
  } catch {
    return false; // the folder does not exist
  }
}
