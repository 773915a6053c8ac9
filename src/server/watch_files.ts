// Detects changes to the config's files by comparing their content.
import type { Clock } from "../domain/ports/ports.ts";

/**
 * Interval of the checks, ms. The content is compared, because the system's notifications miss files and links that
 * editors and container platforms replace. Modification times are too coarse, and copying can reset them.
 */
export const LOOK_EVERY_MS = 1_000;

export interface Watched {
  /** Returns the known digests by path, or null if nothing is watched. */
  known(): ReadonlyMap<string, string> | null;
  digest(path: string): Promise<string>;
  clock: Clock;
  /** Called after a change. Must update {@link Watched.known}. */
  onChange(): Promise<void>;
}

/** Checks until the signal aborts. A change counts once two successive checks find it, so that writes are complete. */
export async function watchFiles(
  { known, digest, clock, onChange }: Watched,
  signal: AbortSignal,
): Promise<void> {
  let pending: string | null = null;
  while (!signal.aborted) {
    await clock.sleep(LOOK_EVERY_MS, signal);
    const before = known();
    if (signal.aborted || before === null) continue;
    const paths = [...before.keys()];
    const now = (await Promise.all(paths.map(digest))).join(" ");
    const isChanged = now !== [...before.values()].join(" ");
    if (isChanged && now === pending) {
      pending = null;
      await onChange();
    } else pending = isChanged ? now : null;
  }
}
