// File operations for the modules and the command line.
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { BackupFiles } from "../../domain/ports/backup.ts";
import type { Files } from "../../domain/ports/ports.ts";
import { reasonOf } from "../file_errors.ts";
import { listFolder, readFileIn } from "./folder.ts";
import { createMachine } from "./machine.ts";

/** Maximum number of symbolic links that are followed, as on Linux. */
const MAX_LINKS = 40;

/** All file operations. Errors name the path and the reason. */
export interface WritableFiles extends Files, BackupFiles {
  readBytes(path: string): Promise<Uint8Array>;
  makeFile(path: string, mode: number): Promise<void>;
  writeBytes(path: string, bytes: Uint8Array, mode: number): Promise<void>;
  makeTemporaryFolder(prefix: string): Promise<string>;
  temporaryFolder(): string;
  /** Follows symbolic links to the target, even if it does not exist. Returns `path` if the links form a loop. */
  followLinks(path: string): Promise<string>;
}

export function createFiles(): WritableFiles {
  return {
    readBytes: (path) => about("read", path, () => Deno.readFile(path)),
    readText: (path) => about("read", path, () => Deno.readTextFile(path)),
    list: (folder, options = { followLinks: true }) =>
      about("list", folder, () => listFolder(folder, options)),
    readIn: (folder, name, options) =>
      about("read", join(folder, name), () => readFileIn(folder, name, options)),
    exists: (path) => about("inspect", path, async () => await statOrNull(path) !== null),
    writeText: (path, text, mode) =>
      about("write", path, () => writeAtomically(path, new TextEncoder().encode(text), mode)),
    writeBytes: (path, bytes, mode) => about("write", path, () => writeAtomically(path, bytes, mode)),
    makeFolder: (path, mode) => about("create", path, () => Deno.mkdir(path, { recursive: true, mode })),
    makeFile: async (path, mode) => {
      // Without permission, it is unknown whether the file exists.
      const isMissing = await statOrNull(path)
        .then((stat) => stat === null, (error) => !(error instanceof Deno.errors.PermissionDenied));
      const verb = isMissing ? "create" : "open";
      await about(
        verb,
        path,
        async () => (await Deno.open(path, { append: true, create: true, mode })).close(),
      );
    },
    makeTemporaryFolder: (prefix) =>
      about("create", `${prefix}… in the temporary folder`, () => Deno.makeTempDir({ prefix })),
    temporaryFolder: tmpdir,
    followLinks: (path) => about("inspect", path, () => followLinks(path)),
    makeFolderIn: (dir, prefix) => about("create a folder in", dir, () => Deno.makeTempDir({ dir, prefix })),
    mayMakeIn: (dir) =>
      Deno.makeTempDir({ dir, prefix: ".regfeed-" }).then((made) => Deno.remove(made)).then(
        () => true,
        () => false,
      ),
    removeFolder: (path) => about("remove", path, () => Deno.remove(path, { recursive: true })),
    findFolders: (folder, prefix) => about("list", folder, () => findFolders(folder, prefix)),
    chownLike: (like, path) => about("change the owner of", path, () => giveToOwnerOf(like, path)),
    removeFile: (path) => about("remove", path, () => Deno.remove(path)),
    copy: (from, to) =>
      about("copy", from, async () => {
        await Deno.copyFile(from, to);
        await Deno.chmod(to, 0o600);
      }),
    move: (from, to) => about("move", from, () => move(from, to)),
    keepAs: (path, name) => about("keep", path, () => keepAs(path, name)),
    sizeOf: (path) => about("inspect", path, async () => (await statOrNull(path))?.size ?? 0),
    freeBytes: (folder) =>
      about("inspect", folder, () => Promise.resolve(createMachine().volumeOf(folder)?.freeBytes ?? null)),
    digest: (path) => about("read", path, () => digest(path)),
  };
}

async function findFolders(folder: string, prefix: string): Promise<{ path: string; changedAtMs: number }[]> {
  const found: { path: string; changedAtMs: number }[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (!isDirectory || !name.startsWith(prefix)) continue;
    const path = join(folder, name);
    const changedAtMs = await lastChangeIn(path);
    if (changedAtMs !== null) found.push({ path, changedAtMs });
  }
  return found;
}

async function followLinks(path: string): Promise<string> {
  let found = path;
  for (let links = 0; links < MAX_LINKS; links++) {
    const next = await Deno.readLink(found).catch(() => null); // not a link, or not readable by this user
    if (next === null) return found;
    const folder = await Deno.realPath(dirname(found)); // resolved, because the target may start with ".."
    found = resolve(folder, next);
  }
  return path;
}

/** Returns when a file, or a folder with its contents, last changed (Unix ms), or null if it has been removed. */
async function lastChangeIn(path: string): Promise<number | null> {
  const stat = await statOrNull(path);
  if (stat === null) return null;
  let changedAtMs = stat.mtime?.getTime() ?? 0;
  if (!stat.isDirectory) return changedAtMs;
  try {
    for await (const { name } of Deno.readDir(path)) {
      changedAtMs = Math.max(changedAtMs, await lastChangeIn(join(path, name)) ?? 0);
    }
  } catch (error) {
    // Without permission, only the folder's own time is known.
    if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
  }
  return changedAtMs;
}

async function giveToOwnerOf(like: string, path: string): Promise<void> {
  if (Deno.uid() !== 0) return;
  const { uid, gid } = await Deno.stat(like);
  if (uid !== null && uid !== 0) await Deno.chown(path, uid, gid);
}

async function move(from: string, to: string): Promise<void> {
  try {
    await Deno.rename(from, to);
  } catch (error) {
    if ((error as { code?: string }).code !== "EXDEV") throw error;
    // The target is on another file system. Copy to a temporary name first, so that no partial file is visible.
    const draft = join(dirname(to), `.${basename(to)}.${crypto.randomUUID()}`);
    await Deno.copyFile(from, draft);
    await Deno.rename(draft, to);
    await Deno.remove(from);
  }
}

async function keepAs(path: string, name: string): Promise<boolean> {
  try {
    await Deno.link(path, name);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    // FAT and some network file systems have no hard links.
    if (await statOrNull(name) !== null) return false;
    await Deno.rename(path, name);
    return true;
  }
}

async function digest(path: string): Promise<{ bytes: number; sha256: string }> {
  using file = await Deno.open(path);
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of file.readable) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}

async function statOrNull(path: string): Promise<Deno.FileInfo | null> {
  try {
    return await Deno.stat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

async function writeAtomically(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  // The draft is in the same folder, because a rename is atomic only within one file system.
  const draft = join(dirname(path), `.${basename(path)}.${crypto.randomUUID()}`);
  try {
    using file = await Deno.open(draft, { write: true, createNew: true, mode });
    for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
    await file.sync();
    await Deno.rename(draft, path);
  } catch (error) {
    if (await statOrNull(draft) !== null) await Deno.remove(draft);
    throw error;
  }
}

async function about<T>(verb: string, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`cannot ${verb} ${path}: ${reasonOf(error)}`, { cause: error });
  }
}
