// A file lock that ends with the process.

/** Maximum time to wait for a lock, ms. The runtime cannot try a lock without waiting. */
const PATIENCE_MS = 2_000;

type FileLock = { kind: "taken"; release(): void } | { kind: "held"; by: string };

/**
 * Locks the file and writes this process's id and `text` to it. If the file is missing, creates it with mode 0600. The
 * lock uses flock(2), so closing another descriptor of the file does not release the lock. Throws if the file cannot be
 * opened or its file system has no locks.
 */
export async function lockFile(path: string, text: string): Promise<FileLock> {
  const file = Deno.openSync(path, { read: true, write: true, create: true, mode: 0o600 });
  const isOurs = await isTaken(file.lock(true)).catch((error) => {
    file.close();
    throw error;
  });
  if (!isOurs) {
    file.close();
    return { kind: "held", by: Deno.readTextFileSync(path) };
  }
  try {
    file.truncateSync(0);
    file.writeSync(new TextEncoder().encode(`process ${Deno.pid}, ${text}`));
  } catch {
    // If the disk is full, the lock works, but the holder's text is missing.
  }
  return { kind: "taken", release: () => file.close() };
}

/** Returns the text that the holder of a lock wrote, or null if no process holds the lock or this is unknown. */
export async function lockHolder(path: string): Promise<string | null> {
  let file: Deno.FsFile;
  try {
    file = Deno.openSync(path);
  } catch {
    return null; // nobody has ever locked it, or this user may not read it
  }
  try {
    // A shared lock, so that two checks do not conflict.
    return await isTaken(file.lock(false)) ? null : Deno.readTextFileSync(path);
  } finally {
    file.close();
  }
}

/** Whether the lock was acquired in time. If not, closing the file cancels the attempt. */
async function isTaken(locking: Promise<void>): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), PATIENCE_MS);
  try {
    return await Promise.race([locking.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
