// A file lock that ends with the process.

/** Maximum time to wait for a lock, ms: the runtime cannot try without waiting. */
const PATIENCE_MS = 2_000;

export type FileLock = { kind: "taken"; release(): void } | { kind: "held"; by: string };

/**
 * Locks the file, which is created if missing (mode 0600), and writes this process and `text` to it. The lock is
 * flock(2)'s: SQLite does not use it, and closing another descriptor of the file does not release it. Throws if the
 * file cannot be opened or its file system has no locks.
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
    // On a full disk the lock works, but the holder's text is missing.
  }
  return { kind: "taken", release: () => file.close() };
}

/** The text of the holder of a lock; null if there is none, or if that cannot be determined. */
export async function lockHolder(path: string): Promise<string | null> {
  let file: Deno.FsFile;
  try {
    file = Deno.openSync(path);
  } catch {
    return null; // nobody has ever locked it, or this user may not look
  }
  try {
    // Shared, so that two checks do not conflict.
    return await isTaken(file.lock(false)) ? null : Deno.readTextFileSync(path);
  } finally {
    file.close();
  }
}

/** Whether the lock was acquired in time; closing the file cancels the attempt. */
async function isTaken(locking: Promise<void>): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), PATIENCE_MS);
  try {
    return await Promise.race([locking.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
