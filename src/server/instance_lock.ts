// Ensures that a store has only one server: the server holds a lock on a file next to the database while it runs.
import { lockFile, lockHolder } from "../platform/files/file_lock.ts";
import { CommandError } from "./command_context.ts";

export const lockPath = (store: string): string => `${store}.server`;

/**
 * Locks the store for a server or for exclusive work, which `text` describes. Throws a {@link CommandError} that names
 * the holder, or the system's error if the file cannot be locked.
 */
export async function lockStore(
  store: string,
  text: string,
): Promise<{ file: string; release(): void }> {
  const file = lockPath(store);
  const lock = await lockFile(file, text).catch((error: Error) => {
    throw new Error(`cannot lock ${file}: ${error.message}`, { cause: error });
  });
  if (lock.kind === "taken") return { file, release: lock.release };
  throw new CommandError(
    `the store ${store} is in use (${lock.by}): stop that process first, or use another [store] path`,
  );
}

/** Returns the lock holder's description of itself, or null if no process holds the store's lock. */
export async function storeUser(store: string): Promise<string | null> {
  return await lockHolder(lockPath(store));
}
