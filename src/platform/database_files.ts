// The files of a database in use, read and written through past the database.
import { dirname } from "node:path";
import type { WrittenFile } from "../domain/ports.ts";
import type { DatabaseFiles } from "../domain/backup.ts";

/** Read at once while copying, bytes. */
const CHUNK_BYTES = 1 << 20;

/**
 * The opened files of this process: POSIX drops all locks of a process on a file as soon as it closes one of its
 * descriptors. The runtime's asynchronous calls on an open file work on a second descriptor, which they close: only the
 * synchronous ones may be used on a database.
 */
export function createDatabaseFiles(): DatabaseFiles & { close(): void } {
  const opened = new Map<string, Deno.FsFile>();

  /** The open file at the path, which may be another one than last time: a restored database. */
  function open(path: string): Deno.FsFile {
    const known = opened.get(path);
    if (known !== undefined) {
      const [now, then] = [Deno.statSync(path), known.statSync()];
      if (now.ino === then.ino && now.dev === then.dev) return known;
      known.close();
    }
    const file = Deno.openSync(path);
    opened.set(path, file);
    return file;
  }

  return {
    async copyOpened(from, to) {
      const file = open(from);
      file.seekSync(0, Deno.SeekMode.Start);
      using copy = await Deno.open(to, { write: true, createNew: true, mode: 0o600 });
      const chunk = new Uint8Array(CHUNK_BYTES);
      for (let count = file.readSync(chunk); count !== null; count = file.readSync(chunk)) {
        for (let at = 0; at < count;) at += await copy.write(chunk.subarray(at, count));
      }
    },
    copyNow(from, to) {
      try {
        Deno.copyFileSync(from, to);
        return true;
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return false;
        throw error;
      }
    },
    close() {
      for (const file of opened.values()) file.close();
      opened.clear();
    },
  };
}

/**
 * Whether a file can be opened to be written: tries it. Not for a database that this process has open, see
 * {@link createDatabaseFiles}.
 */
export function mayWriteFile(path: string): boolean {
  try {
    Deno.openSync(path, { append: true }).close();
    return true;
  } catch {
    return false; // that it fails is the answer
  }
}

/**
 * The same of a database that this process has open: its log is tried, for no lock is on that one. Without a log it is
 * whether a file can be made beside it.
 */
export function mayWriteBeside(path: string): boolean {
  if (mayWriteFile(`${path}-wal`)) return true;
  try {
    Deno.statSync(`${path}-wal`);
    return false;
  } catch {
    return mayMakeIn(dirname(path));
  }
}

function mayMakeIn(folder: string): boolean {
  try {
    Deno.removeSync(Deno.makeTempDirSync({ dir: folder, prefix: ".regfeed-" }));
    return true;
  } catch {
    return false; // that it fails is the answer
  }
}

/** Opens a file of a database to write it through, which another thread waits for. */
export function openWritten(path: string): WrittenFile {
  const file = Deno.openSync(path);
  return { writeThrough: () => file.syncData(), close: () => file.close() };
}
