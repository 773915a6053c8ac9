// The machine under the files: volumes, free space, modes, what this process may do with a path.
import { dirname, join } from "node:path";
import { accessSync, constants, statfsSync } from "node:fs";

/** A volume that holds files. */
export interface Volume {
  /** What its file system is, as far as the number that it gives is known: "nfs", "ext", "tmpfs". */
  kind: string | null;
  /** Whether its bytes lie on another machine. */
  isNetwork: boolean;
  /** What this process may still write, bytes. */
  freeBytes: number;
}

/** A file or folder as its owner's rights go. */
export interface Rights {
  isFolder: boolean;
  /** The permission bits. */
  mode: number;
  /** Whether root owns it, as what the system's administrator lays out for a service. */
  isRoots: boolean;
  mayRead: boolean;
  /** False as well where nobody may: see `isReadOnly`. */
  mayWrite: boolean;
  /** Whether its file system takes no changes, whoever wants to make them. */
  isReadOnly: boolean;
}

/** The machine's answers. */
export interface Machine {
  /** The volume of a path that is there; null where the system does not tell. */
  volumeOf(path: string): Volume | null;
  /**
   * What tells a file that somebody has open from every other that may come to its place; null for a path at which
   * nothing is. On file systems that do not keep their numbers for files, every file is the same.
   */
  identityOf(path: string): string | null;
  /** Null for a path at which nothing is. */
  rightsOf(path: string): Rights | null;
}

/** The numbers of file systems (Linux, statfs(2)) that tell something to somebody who keeps a database. */
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

/** File systems on which a file keeps its number for as long as it is there; in user space some make up new ones. */
const KEEP_NUMBERS: ReadonlySet<string | null> = new Set(["ext", "xfs", "btrfs", "zfs", "tmpfs", "overlay"]);

/** What the number of a file system says; its sign is lost on some systems. */
export function kindOf(type: number): { kind: string | null; isNetwork: boolean } {
  return KINDS.get(type >>> 0) ?? { kind: null, isNetwork: false };
}

/** This machine, with the rights of this process. */
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
        // The runtime reads the bits of the mode for root too.
        mayRead: isRoot || may(path, constants.R_OK),
        mayWrite: !isReadOnly && (isRoot || may(path, constants.W_OK)),
        isReadOnly,
      };
    },
  };
}

function statOrNull(path: string): Deno.FileInfo | null {
  try {
    return Deno.statSync(path);
  } catch (error) {
    // Below a file there is nothing either.
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return null;
    throw error;
  }
}

/**
 * Whether the file system of a folder is mounted read-only, or has been made so. The runtime looks at modes only, and the
 * list of mounts is not for a process with few rights to read; but the kernel refuses a change there (EROFS) before it
 * sees that there is nothing to change.
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
    return false; // the reason is what was asked
  }
}

/** Whether this process can open so many files more: tries it. (The limit itself is in a file that only Deno's -A reads.) */
export function hasFiles(count: number): boolean {
  const opened: Deno.FsFile[] = [];
  try {
    while (opened.length < count) opened.push(Deno.openSync(Deno.execPath()));
    return true;
  } catch {
    return false; // that it fails is the answer
  } finally {
    for (const file of opened) file.close();
  }
}
