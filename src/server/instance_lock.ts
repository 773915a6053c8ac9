// One server for each store: a lock beside the database, held as long as the process runs.
import { lockFile, lockHolder } from "../platform/files/file_lock.ts";
import { CommandError } from "./call.ts";

/** The file whose lock the server of a store holds. */
export const lockPath = (store: string): string => `${store}.server`;

/**
 * Locks the store for a server, or for other work that no server may meet; `text` says what it is for. Throws a
 * {@link CommandError} that names the holder when there is one, and the system's error when the file cannot be locked.
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

/** Who has locked the store; null when nobody has. */
export async function storeUser(store: string): Promise<string | null> {
  return await lockHolder(lockPath(store));
}
