// One server for each store: a lock beside the database, held as long as the process runs.
import { type FileLock, lockFile, lockHolder } from "../platform/file_lock.ts";
import { CommandError } from "./command.ts";

const lockPath = (store: string): string => `${store}.server`;

/**
 * Locks the store for a server, or for other work that no server may meet; `text` says what it is for. Throws a
 * {@link CommandError} that names the holder when there is one.
 */
export async function lockStore(
  store: string,
  text: string,
): Promise<{ file: string; release(): void }> {
  const file = lockPath(store);
  let lock: FileLock;
  try {
    lock = await lockFile(file, text);
  } catch (error) {
    const { message } = error as Error;
    throw new CommandError(
      `the store ${store} cannot be locked: ${message}; make ${file} writable for the service's user, or remove it while ` +
        "no server runs",
    );
  }
  if (lock.kind === "taken") return { file, release: lock.release };
  throw new CommandError(
    `the store ${store} is in use (${lock.by}): stop that process first, or use another [store] path`,
  );
}

/** Who has locked the store; null when nobody has. */
export async function storeUser(store: string): Promise<string | null> {
  return await lockHolder(lockPath(store));
}
