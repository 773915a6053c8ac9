// Backups: the contents of an archive, and the port for its files.

export interface DatabaseFacts {
  /** The schema's number; 0 for an empty file. */
  schema: number;
  rows: Record<string, number>;
  /** Problems found by SQLite's checks; empty for an intact file. */
  problems: string[];
}

export interface ArchivedFile {
  name: string;
  bytes: number;
  /** Hexadecimal. */
  sha256: string;
}

/** The first entry of every archive: its contents and origin. */
export interface BackupManifest {
  format: 1;
  version: string;
  /** Unix ms. */
  created_at: number;
  schema: number;
  rows: Record<string, number>;
  files: ArchivedFile[];
}

export const ARCHIVE_NAMES = {
  manifest: "manifest.json",
  config: "regfeed.toml",
  database: "regfeed.db",
  secretKey: "regfeed.db.key",
} as const;

/** Archives: gzipped tar files, which any system can open. */
export interface Archives {
  /** Packs the files in this order into an archive of mode 0600; resolves when it is on the disk. */
  pack(to: string, entries: readonly { name: string; path: string }[]): Promise<void>;
  /**
   * Unpacks the archive into the folder. Throws for an incomplete archive, and for an entry whose name is not among
   * `names` or is repeated: nothing is written elsewhere.
   */
  unpack(from: string, folder: string, names: readonly string[]): Promise<ArchivedFile[]>;
}

export interface DatabaseFiles {
  /**
   * Copies a database file, which is kept open until the process ends: closing it would drop this process' locks on it,
   * because the operating system counts locks by process.
   */
  copyOpened(from: string, to: string): Promise<void>;
  /** Copies a small file synchronously; false if it does not exist. */
  copyNow(from: string, to: string): boolean;
}

/** File operations of backups. Error messages contain the path. */
export interface BackupFiles {
  exists(path: string): Promise<boolean>;
  readText(path: string): Promise<string>;
  /** Writes the file atomically: readers see the old text or the new one. `mode` such as 0o600. */
  writeText(path: string, text: string, mode: number): Promise<void>;
  /** Makes the folder and its missing parents; an existing folder keeps its mode. */
  makeFolder(path: string, mode: number): Promise<void>;
  /** Makes an empty folder with a new name, for its owner alone; resolves with its path. */
  makeFolderIn(folder: string, prefix: string): Promise<string>;
  /** Whether a folder can be made in the folder: tries it, and leaves nothing. */
  mayMakeIn(folder: string): Promise<boolean>;
  removeFolder(path: string): Promise<void>;
  /** The folders whose names have the prefix, with the time of the last change in them, Unix ms. */
  findFolders(folder: string, prefix: string): Promise<{ path: string; changedAtMs: number }[]>;
  /** Gives a file or folder of root to the owner of `like`; no effect for other users. */
  chownLike(like: string, path: string): Promise<void>;
  removeFile(path: string): Promise<void>;
  /** Makes a copy for its owner alone (mode 0600). */
  copy(from: string, to: string): Promise<void>;
  /** Moves a file atomically: readers see no file or the whole file. */
  move(from: string, to: string): Promise<void>;
  /** Creates a hard link in the same folder, or else renames the file; false if the name exists. */
  keepAs(path: string, name: string): Promise<boolean>;
  /** The file's length; 0 if it does not exist. */
  sizeOf(path: string): Promise<number>;
  /** The space for this process on the volume of an existing folder; null if the system does not report it. */
  freeBytes(folder: string): Promise<number | null>;
  digest(path: string): Promise<{ bytes: number; sha256: string }>;
}

/** The files of a database and of its key for sealing secrets. */
export interface DatabaseFile {
  path: string;
  keyFile: string;
}
