// Lists and reads the files of watched folders, to which other programs write.
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join, sep } from "node:path";
import type { FolderListing, FolderOptions } from "../../domain/ports/ports.ts";
import { reasonOf } from "../file_errors.ts";

const LEADS_OUT = "it links to a file outside the folder; follow_links = true allows this";

/** Maximum number of entries of a folder. Each fetch compares all entries and stores them in a cursor. */
const MAX_ENTRIES = 50_000;

/** Lists a folder without opening any file, because opening a pipe would wait for a writer. */
export async function listFolder(
  folder: string,
  { followLinks }: FolderOptions,
  maxEntries = MAX_ENTRIES,
): Promise<FolderListing> {
  let entries = 0;
  const listing: FolderListing = { files: [], unreadable: [] };
  const root = await Deno.realPath(folder);
  for await (const entry of Deno.readDir(root)) {
    if (++entries > maxEntries) {
      throw new Error(`it has more than ${maxEntries} entries; move old files to another folder`);
    }
    const { name } = entry;
    if (name.startsWith(".") || entry.isDirectory) continue;
    try {
      const path = await Deno.realPath(join(root, name));
      const stat = await Deno.stat(path);
      if (stat.isDirectory) continue;
      const reason = !followLinks && !isInside(path, root) ? LEADS_OUT : notRegular(stat);
      if (reason === null) {
        listing.files.push({ name, sizeBytes: stat.size, modifiedAtMs: stat.mtime?.getTime() ?? 0 });
      } else listing.unreadable.push({ name, reason });
    } catch (error) {
      const reason = error instanceof Deno.errors.NotFound ? whyMissing(entry) : reasonOf(error);
      if (reason !== null) listing.unreadable.push({ name, reason });
    }
  }
  const byName = (one: { name: string }, other: { name: string }) => one.name < other.name ? -1 : 1;
  listing.files.sort(byName);
  listing.unreadable.sort(byName);
  return listing;
}

/**
 * Reads a file in a folder. Throws if it is not a regular file, if it is larger than `maxBytes`, if it is replaced
 * while being opened, or if it is a link out of the folder and `followLinks` is false. Hard links cannot be detected.
 */
export async function readFileIn(
  folder: string,
  name: string,
  { followLinks, maxBytes }: FolderOptions & { maxBytes: number },
): Promise<Uint8Array> {
  const root = await Deno.realPath(folder);
  const path = await Deno.realPath(join(root, name));
  if (!followLinks && !isInside(path, root)) throw new Error(LEADS_OUT);
  const checked = Deno.lstatSync(path);
  const reason = notRegular(checked);
  if (reason !== null) throw new Error(reason);
  // If a pipe has replaced the file, O_NONBLOCK prevents waiting for a writer. Deno 2.4 ignores this flag, so nothing
  // else may run between the check and this call.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const opened = await file.stat();
    const isSame = opened.isFile() && opened.dev === checked.dev && opened.ino === checked.ino &&
      await Deno.realPath(path) === path;
    if (!isSame) throw new Error("it was replaced while being opened");
    return await readUpTo(file, maxBytes);
  } finally {
    await file.close();
  }
}

async function readUpTo(file: FileHandle, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const chunk = new Uint8Array(65_536);
    const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) break;
    size += bytesRead;
    if (size > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
    chunks.push(chunk.subarray(0, bytesRead));
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

function isInside(path: string, root: string): boolean {
  return path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** Returns why an entry is not read as a file, or null if it is a regular file. */
function notRegular({ isFile, isFifo, isSymlink }: Deno.FileInfo): string | null {
  if (isFile) return null;
  if (isSymlink) return "it was replaced while being opened";
  return isFifo ? "it is a pipe" : "it is a device or a socket";
}

/** Returns why a listed entry cannot be found, or null if it was removed in the meantime. */
function whyMissing({ name, isSymlink }: Deno.DirEntry): string | null {
  // The runtime replaces invalid UTF-8 in names with this character, and then cannot find the file.
  if (name.includes("\ufffd")) return "its name is not UTF-8; rename it";
  return isSymlink ? "it is a broken link" : null;
}
