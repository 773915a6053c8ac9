// Sees that files hold something else than before.
import type { Clock } from "../domain/ports/ports.ts";

/**
 * How often the files are looked at, ms. What they hold is compared, nothing else: the notifications of the operating
 * system follow one file, not its name, and so miss what editors and container platforms do, which put a new file or
 * link in its place; they do not come from network and overlay file systems; and times of change are too coarse or are
 * set back by tools that copy. Some kilobytes a second cost nothing.
 */
export const LOOK_EVERY_MS = 1_000;

/** What is watched, and who hears of it. */
export interface Watched {
  /** The files' digests by path, as they are known; null while nothing is watched. */
  known(): ReadonlyMap<string, string> | null;
  digest(path: string): Promise<string>;
  clock: Clock;
  /** Afterwards {@link Watched.known} gives what was read then. */
  onChange(): Promise<void>;
}

/** Looks until the signal aborts. A change counts when it is seen alike twice: whoever is still writing is waited for. */
export async function watchFiles(
  { known, digest, clock, onChange }: Watched,
  signal: AbortSignal,
): Promise<void> {
  let lately: string | null = null;
  while (!signal.aborted) {
    await clock.sleep(LOOK_EVERY_MS, signal);
    const before = known();
    if (signal.aborted || before === null) continue;
    const paths = [...before.keys()];
    const now = (await Promise.all(paths.map(digest))).join(" ");
    const isChanged = now !== [...before.values()].join(" ");
    if (isChanged && now === lately) {
      lately = null;
      await onChange();
    } else lately = isChanged ? now : null;
  }
}
