// Backups: the contents of an archive, and the files port for writing and reading one.

/** The result of inspecting a database file. */
export interface DatabaseFacts {
  /** The schema's number; 0 for an empty file. */
  schema: number;
  /** Rows by table. */
  rows: Record<string, number>;
  /** Problems found by SQLite's checks; empty for a sound file. */
  problems: string[];
}

/** A file of an archive, as the manifest lists it. */
export interface ArchivedFile {
  name: string;
  bytes: number;
  /** Hexadecimal. */
  sha256: string;
}

/** The first entry of every archive: its contents and origin. */
export interface BackupManifest {
  format: 1;
  /** The version of Regfeed that wrote it. */
  version: string;
  /** Unix ms. */
  created_at: number;
  /** The database's schema. */
  schema: number;
  /** Rows by table. */
  rows: Record<string, number>;
  files: ArchivedFile[];
}

/** The names of an archive's entries. */
export const ARCHIVE_NAMES = {
  manifest: "manifest.json",
  config: "regfeed.toml",
  database: "regfeed.db",
  secretKey: "regfeed.db.key",
} as const;

/** Archives: gzipped tar files, which every system opens without Regfeed. */
export interface Archives {
  /** Writes the files as one archive of mode 0600, in this order; the archive is on the disk when it resolves. */
  pack(to: string, entries: readonly { name: string; path: string }[]): Promise<void>;
  /**
   * Writes the archive's entries into the folder. Throws for a file that is no whole archive, and for an entry whose
   * name is not among `names` or came before: nothing is ever written elsewhere.
   */
  unpack(from: string, folder: string, names: readonly string[]): Promise<ArchivedFile[]>;
}

/** The files of a database while others use it. */
export interface DatabaseFiles {
  /**
   * Copies a database file. It is kept open until the process ends: closing it would drop the locks that this process
   * has on it, since the operating system counts them by process.
   */
  copyOpened(from: string, to: string): Promise<void>;
  /** Copies a small file at once, without giving way to anything else; false where there is none. */
  copyNow(from: string, to: string): boolean;
}

/** File operations of backups. Error messages name the path. */
export interface BackupFiles {
  /** Whether there is something at the path. */
  exists(path: string): Promise<boolean>;
  readText(path: string): Promise<string>;
  /** Writes the whole file or nothing: readers see the old text or the new one. `mode` such as 0o600. */
  writeText(path: string, text: string, mode: number): Promise<void>;
  /** Makes the folder, and those above it, where they are missing; one that is there keeps its mode. */
  makeFolder(path: string, mode: number): Promise<void>;
  /** Makes an empty folder of a new name in a folder, for its owner alone; resolves with its path. */
  makeFolderIn(folder: string, prefix: string): Promise<string>;
  /** Whether a folder can be made in the folder: tries it, and leaves nothing. */
  mayMakeIn(folder: string): Promise<boolean>;
  /** Removes the folder with all that is in it. */
  removeFolder(path: string): Promise<void>;
  /** The folders in a folder whose names begin so, and when they or anything in them was last changed, Unix ms. */
  findFolders(folder: string, prefix: string): Promise<{ path: string; changedAtMs: number }[]>;
  /** What root has made becomes the property of whoever owns the file or folder `like`; of others nothing changes. */
  chownLike(like: string, path: string): Promise<void>;
  removeFile(path: string): Promise<void>;
  /** Makes a copy for its owner alone (mode 0600). */
  copy(from: string, to: string): Promise<void>;
  /** Gives a file another path; whoever looks there sees nothing or the whole file. */
  move(from: string, to: string): Promise<void>;
  /**
   * Creates a hard link in the same folder; false if the name exists. If the file system has no hard links, the file is
   * renamed instead.
   */
  keepAs(path: string, name: string): Promise<boolean>;
  /** The file's length; 0 where there is none. */
  sizeOf(path: string): Promise<number>;
  /** What this process may still write on the volume of a folder that is there; null where the system does not tell. */
  freeBytes(folder: string): Promise<number | null>;
  /** The file's length and hash. */
  digest(path: string): Promise<{ bytes: number; sha256: string }>;
}

/** A database and the key that seals secrets in it, as files. */
export interface DatabaseFile {
  path: string;
  keyFile: string;
}
