// Reads and writes archives, which are gzipped tar files. Writes an archive either completely or not at all.
import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import type { TarPackController } from "modern-tar";
import { ARCHIVE_NAMES, type ArchivedFile, type Archives } from "../../domain/ports/backup.ts";
import { formatBytes } from "../../domain/format_bytes.ts";
import { createMachine } from "./machine.ts";

/** Only the owner can read archives and extracted files. */
const MODE = 0o600;

export function createArchives(): Archives {
  return { pack, unpack };
}

function loadTar(): Promise<typeof import("modern-tar")> {
  return import("modern-tar");
}

async function pack(to: string, entries: readonly { name: string; path: string }[]): Promise<void> {
  const { createTarPacker } = await loadTar();
  const draft = join(dirname(to), `.${basename(to)}.${crypto.randomUUID()}`);
  try {
    using file = await Deno.open(draft, { write: true, createNew: true, mode: MODE });
    const { readable, controller } = createTarPacker();
    const written = readable.pipeThrough(new CompressionStream("gzip") as ReadableWritablePair)
      .pipeTo(writableOf(file));
    await Promise.all([written, addAll(entries, controller)]);
    await file.sync();
    await Deno.rename(draft, to);
  } catch (error) {
    await Deno.remove(draft).catch(() => {}); // it may not exist; the first error is the one to report
    throw new Error(`cannot write the archive ${to}: ${(error as Error).message}`, { cause: error });
  }
}

async function addAll(
  entries: readonly { name: string; path: string }[],
  controller: TarPackController,
): Promise<void> {
  try {
    for (const { name, path } of entries) {
      using source = await Deno.open(path);
      const { size, mtime } = await source.stat();
      const into = controller.add({ name, size, mode: MODE, ...(mtime === null ? {} : { mtime }) });
      // Fails if the file grows or shrinks while it is read.
      await source.readable.pipeTo(into);
    }
    controller.finalize();
  } catch (error) {
    controller.error(error);
    throw error;
  }
}

/** Wraps the file in a stream that does not close the file, so that the caller can sync it. */
function writableOf(file: Deno.FsFile): WritableStream<Uint8Array> {
  return new WritableStream({
    async write(bytes) {
      for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
    },
  });
}

async function unpack(from: string, folder: string, names: readonly string[]): Promise<ArchivedFile[]> {
  const { createTarDecoder } = await loadTar();
  const unpacked: ArchivedFile[] = [];
  try {
    using file = await Deno.open(from);
    const other = await whatElse(file);
    if (other !== null) throw new OtherFile(`it is ${other}; ${WANTED}`);
    const entries = file.readable.pipeThrough(new DecompressionStream("gzip") as ReadableWritablePair)
      .pipeThrough(createTarDecoder({ strict: true }));
    for await (const { header, body } of entries) {
      const isExpected = names.includes(header.name) && (header.type ?? "file") === "file";
      if (!isExpected || unpacked.some(({ name }) => name === header.name)) {
        throw new Error(`it contains an entry that is not part of a backup: ${JSON.stringify(header.name)}`);
      }
      requireSize(header, folder);
      unpacked.push(await writeEntry(header.name, body, join(folder, header.name)));
    }
  } catch (error) {
    throw new Error(`cannot read the archive ${from}: ${explain(error)}`, { cause: error });
  }
  return unpacked;
}

/** Maximum size of any entry except the database, bytes. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Throws if an entry is too large or exceeds the folder's free space. An archive may expand a thousandfold. */
export function requireSize({ name, size }: { name: string; size: number }, folder: string): void {
  if (name !== ARCHIVE_NAMES.database && size > MOST_BYTES) {
    throw new Error(`its ${name} is too large for a backup (${formatBytes(size)})`);
  }
  const freeBytes = createMachine().volumeOf(folder)?.freeBytes ?? Infinity;
  if (size > freeBytes) throw new Error(`no space left on device for its ${name} (${formatBytes(size)})`);
}

const WANTED = "a backup is a gzipped tar file created by `regfeed backup create`";
/** Number of bytes read to identify a file. They include the magic number of tar, which is at offset 257. */
const HEAD_BYTES = 512;
const OTHERS: readonly [at: number, mark: string, what: string][] = [
  [0, "SQLite format 3\0", "a database, not an archive"],
  [257, "ustar", "a tar file that is not gzipped (compress it with `gzip FILE`)"],
  [0, "PK\x03\x04", "a zip file"],
];

class OtherFile extends Error {}

/** Describes a file that is not gzipped. Returns null if the file is gzipped. Seeks back to the start. */
async function whatElse(file: Deno.FsFile): Promise<string | null> {
  if ((await file.stat()).isDirectory) return "a folder";
  const head = new Uint8Array(HEAD_BYTES);
  let length = 0;
  for (let read: number | null = 0; read !== null && length < HEAD_BYTES; length += read ?? 0) {
    read = await file.read(head.subarray(length));
  }
  await file.seek(0, Deno.SeekMode.Start);
  if (length === 0) return "empty";
  if (head[0] === 0x1f && head[1] === 0x8b) return null; // RFC 1952, section 2.3.1
  const text = new TextDecoder("latin1").decode(head.subarray(0, length));
  const known = OTHERS.find(([at, mark]) => text.startsWith(mark, at))?.[2];
  // deno-lint-ignore no-control-regex -- text files contain none
  const isText = !/[\u0000-\u0008\u000e-\u001a]/.test(text);
  return known ?? (isText ? "a text file" : "not a gzip file");
}

/** Matches the messages of gzip and the tar reader for truncated or damaged files. */
const BROKEN = /gzip|deflate|end of file|unexpected eof|tar\b|checksum|corrupt|failed to write whole buffer/i;

function explain(error: unknown): string {
  const { message } = error as Error;
  return BROKEN.test(message) && !(error instanceof OtherFile)
    ? `it is truncated or damaged (${message}): copy it again, or use another backup`
    : message;
}

async function writeEntry(
  name: string,
  body: ReadableStream<Uint8Array>,
  path: string,
): Promise<ArchivedFile> {
  using file = await Deno.open(path, { write: true, createNew: true, mode: MODE });
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of body) {
    hash.update(chunk);
    bytes += chunk.length;
    for (let at = 0; at < chunk.length;) at += await file.write(chunk.subarray(at));
  }
  await file.sync();
  return { name, bytes, sha256: hash.digest("hex") };
}
