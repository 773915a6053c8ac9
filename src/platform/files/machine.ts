// Inspects volumes, free space, file modes, and the permissions of this process.
import { dirname, join } from "node:path";
import { accessSync, constants, statfsSync } from "node:fs";

export interface Volume {
  /** The kind of the file system, such as "nfs" or "ext"; null if it is unknown. */
  kind: string | null;
  isNetwork: boolean;
  /** The space that this process can use, bytes. */
  freeBytes: number;
}

export interface Rights {
  isFolder: boolean;
  mode: number;
  isRoots: boolean;
  mayRead: boolean;
  /** Always false on a read-only file system. */
  mayWrite: boolean;
  isReadOnly: boolean;
}

export interface Machine {
  /** Returns the volume of an existing path, or null if the system does not report it. */
  volumeOf(path: string): Volume | null;
  /** Identifies a file, to detect a replacement: null if it is missing, "" if its inode number is not stable. */
  identityOf(path: string): string | null;
  /** Returns null if the path does not exist. */
  rightsOf(path: string): Rights | null;
}

/** Magic numbers of file systems (Linux, statfs(2)). */
const KINDS: ReadonlyMap<number, { kind: string; isNetwork: boolean }> = new Map([
  [0x6969, { kind: "nfs", isNetwork: true }],
  [0x517b, { kind: "smb", isNetwork: true }],
  [0xff534d42, { kind: "cifs", isNetwork: true }],
  [0xfe534d42, { kind: "smb2", isNetwork: true }],
  [0x01021997, { kind: "9p", isNetwork: true }],
  [0x5346414f, { kind: "afs", isNetwork: true }],
  [0x00c36400, { kind: "ceph", isNetwork: true }],
  [0x0bd00bd0, { kind: "lustre", isNetwork: true }],
  [0x47504653, { kind: "gpfs", isNetwork: true }],
  [0x73757245, { kind: "coda", isNetwork: true }],
  [0x564c, { kind: "ncp", isNetwork: true }],
  [0x65735546, { kind: "fuse", isNetwork: false }],
  [0x01021994, { kind: "tmpfs", isNetwork: false }],
  [0xef53, { kind: "ext", isNetwork: false }],
  [0x58465342, { kind: "xfs", isNetwork: false }],
  [0x9123683e, { kind: "btrfs", isNetwork: false }],
  [0x794c7630, { kind: "overlay", isNetwork: false }],
  [0x2fc12fc1, { kind: "zfs", isNetwork: false }],
]);

/** File systems with stable inode numbers. Some file systems in user space have none. */
const KEEP_NUMBERS: ReadonlySet<string | null> = new Set(["ext", "xfs", "btrfs", "zfs", "tmpfs", "overlay"]);

/** Returns the file system that a magic number stands for. Some systems report large numbers as negative. */
export function kindOf(type: number): { kind: string | null; isNetwork: boolean } {
  return KINDS.get(type >>> 0) ?? { kind: null, isNetwork: false };
}

export function createMachine(): Machine {
  const isRoot = Deno.uid() === 0;
  return {
    volumeOf(path) {
      if (Deno.build.os === "windows") return null;
      const { type, bsize, bavail } = statfsSync(path);
      return { ...kindOf(type), freeBytes: bavail * bsize };
    },
    identityOf(path) {
      const stat = statOrNull(path);
      if (stat === null) return null;
      const keepsNumbers = Deno.build.os !== "windows" &&
        KEEP_NUMBERS.has(kindOf(statfsSync(path).type).kind);
      return keepsNumbers ? `${stat.dev}:${stat.ino}` : "";
    },
    rightsOf(path) {
      const stat = statOrNull(path);
      if (stat === null) return null;
      const isReadOnly = isImmutable(stat.isDirectory ? path : dirname(path));
      return {
        isFolder: stat.isDirectory,
        mode: (stat.mode ?? 0) & 0o777,
        isRoots: stat.uid === 0,
        // The runtime checks mode bits even for root.
        mayRead: isRoot || may(path, constants.R_OK),
        mayWrite: !isReadOnly && (isRoot || may(path, constants.W_OK)) && (!stat.isDirectory || mayAdd(path)),
        isReadOnly,
      };
    },
  };
}

function statOrNull(path: string): Deno.FileInfo | null {
  try {
    return Deno.statSync(path);
  } catch (error) {
    // A path below a regular file does not exist either.
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return null;
    throw error;
  }
}

/**
 * Whether the file system of a folder is read-only. The runtime checks only modes, and the list of mounts may be
 * unreadable. The kernel, however, refuses a rename with EROFS even if the file does not exist.
 */
function isImmutable(folder: string): boolean {
  const nothing = join(folder, `.regfeed-${crypto.randomUUID()}`);
  try {
    Deno.renameSync(nothing, nothing);
    return false;
  } catch (error) {
    return (error as { code?: string }).code === "EROFS";
  }
}

function may(path: string, what: number): boolean {
  try {
    accessSync(path, what);
    return true;
  } catch {
    return false; // any error means no permission
  }
}

/** Whether this process can create files in a folder. Only trying finds out, for example in an immutable folder. */
function mayAdd(folder: string): boolean {
  try {
    Deno.removeSync(Deno.makeTempDirSync({ dir: folder, prefix: ".regfeed-" }));
    return true;
  } catch {
    return false;
  }
}

/** Whether this process can open `count` more files. Opens them, because reading the limit requires all permissions. */
export function hasFiles(count: number): boolean {
  const opened: Deno.FsFile[] = [];
  try {
    while (opened.length < count) opened.push(Deno.openSync(Deno.execPath()));
    return true;
  } catch {
    return false; // any error means that it cannot
  } finally {
    for (const file of opened) file.close();
  }
}
