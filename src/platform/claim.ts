// A claim on a file that lasts as long as the process: who else wants it waits, and nobody has to clean up.

/** A claim that was made. */
export interface Claim {
  /** Resolves when nobody else holds it; never, while somebody does. Rejects where the file system knows no locks. */
  taken: Promise<void>;
  /** Gives it up; what waits for it in this process goes on to wait until the process ends. */
  release(): void;
}

/**
 * Claims the file, made where it is not there (mode 0600). The holder's lock is flock(2)'s: it goes with the process,
 * however that ends, and other files that are closed take nothing of it, as they do of the locks that SQLite uses. Once it
 * is held, the process's number and `text` stand in the file for {@link readClaim}. Throws when the file cannot be made.
 */
export function claimFile(path: string, text: string): Claim {
  const file = Deno.openSync(path, { read: true, write: true, create: true, mode: 0o600 });
  let isReleased = false;
  let isHeld = false;
  const taken = file.lock(true).then(() => {
    if (isReleased) return;
    isHeld = true;
    try {
      file.truncateSync(0);
      file.writeSync(new TextEncoder().encode(`process ${Deno.pid}, ${text}`));
    } catch {
      // A full disk: the lock holds all the same, and only says less of whose it is.
    }
  });
  return {
    taken,
    release() {
      isReleased = true;
      try {
        // Who claims it next may only read it, and would seem to be this one.
        if (isHeld) file.truncateSync(0);
      } catch {
        // As above: it says whose it was, which is known to be over when the lock is gone.
      }
      file.close();
    },
  };
}

/**
 * {@link claimFile} for who may not write: claims a file that is there, or a folder, and says nothing of who does. Throws
 * when it cannot be opened.
 */
export function claimToRead(path: string): Claim {
  const file = Deno.openSync(path);
  return { taken: file.lock(true), release: () => file.close() };
}

/** A claim that is held; null where somebody else holds it for longer than a time (ms). */
export async function takeWithin(path: string, text: string, withinMs: number): Promise<Claim | null> {
  const claim = claimFile(path, text);
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), withinMs);
  const isTaken = await Promise.race([claim.taken.then(() => true), late.promise]);
  clearTimeout(timer);
  if (!isTaken) claim.release();
  return isTaken ? claim : null;
}

/** What stands in a claimed file; empty where it cannot be read. */
export function readClaim(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return ""; // whose it is matters less than that it is somebody's
  }
}

/** Whether somebody holds a claim on the file, as far as can be told within a time (ms). */
export async function isClaimed(path: string, withinMs: number): Promise<boolean> {
  let file: Deno.FsFile;
  try {
    file = Deno.openSync(path);
  } catch {
    return false; // nobody has ever claimed it, or nobody lets us look
  }
  const late = Promise.withResolvers<true>();
  const timer = setTimeout(() => late.resolve(true), withinMs);
  // Shared, so that those who look do not see each other.
  const isHeld = await Promise.race([file.lock(false).then(() => false), late.promise]);
  clearTimeout(timer);
  file.close();
  return isHeld;
}
