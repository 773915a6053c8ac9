// Reads and compares database files without SQLite.
import { Buffer } from "node:buffer";
import type { DatabaseFiles } from "../../domain/ports/backup.ts";

const CHUNK_BYTES = 1 << 20;

/**
 * Opens database files and keeps them open. POSIX releases all locks of a process on a file when the process closes any
 * descriptor of the file. The runtime's asynchronous calls use and close a second descriptor, so a database file must
 * be read only with synchronous calls.
 */
export function createDatabaseFiles(): DatabaseFiles & { close(): void } {
  const opened = new Map<string, Deno.FsFile>();

  /** Opens the file, or reopens it if it was replaced, for example by a restore. */
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
 * Ranges of the header that do not describe the content (SQLite's file format, section 1.3): write and read versions,
 * change counter, version-valid-for and version number.
 */
const UNIMPORTANT: readonly (readonly [from: number, to: number])[] = [[18, 20], [24, 28], [92, 100]];

/** Whether two closed databases have the same pages. Neither may have a write-ahead log. */
export async function holdTheSame(one: string, other: string): Promise<boolean> {
  using first = await Deno.open(one);
  using second = await Deno.open(other);
  if ((await first.stat()).size !== (await second.stat()).size) return false;
  const [left, right] = [new Uint8Array(CHUNK_BYTES), new Uint8Array(CHUNK_BYTES)];
  for (let isHead = true;; isHead = false) {
    const count = await readWhole(first, left);
    if (count !== await readWhole(second, right)) return false;
    if (count === 0) return true;
    if (isHead) {
      for (const [from, to] of UNIMPORTANT) for (const chunk of [left, right]) chunk.fill(0, from, to);
    }
    if (Buffer.compare(left.subarray(0, count), right.subarray(0, count)) !== 0) return false;
  }
}

async function readWhole(file: Deno.FsFile, chunk: Uint8Array): Promise<number> {
  let at = 0;
  while (at < chunk.length) {
    const count = await file.read(chunk.subarray(at));
    if (count === null) break;
    at += count;
  }
  return at;
}
