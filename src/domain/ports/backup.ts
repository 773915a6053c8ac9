// Backups: the contents of an archive, and the port for its files.

export interface DatabaseFacts {
  /** The version of the schema; 0 for an empty file. */
  schema: number;
  rows: Record<string, number>;
  /** The problems that SQLite's checks found; empty if the file is intact. */
  problems: string[];
}

export interface ArchivedFile {
  name: string;
  bytes: number;
  sha256: string;
}

/** The first entry of every archive, which states its contents and origin. */
export interface BackupManifest {
  format: 1;
  version: string;
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

/** Archives, which are gzipped tar files, so that any system can open them. */
export interface Archives {
  /** Packs the files in the given order into an archive with mode 0600. Resolves once the archive is on the disk. */
  pack(to: string, entries: readonly { name: string; path: string }[]): Promise<void>;
  /**
   * Unpacks the archive into the folder. Throws if the archive is incomplete, or if the name of an entry is repeated or
   * not among `names`, so that nothing is written elsewhere.
   */
  unpack(from: string, folder: string, names: readonly string[]): Promise<ArchivedFile[]>;
}

export interface DatabaseFiles {
  /**
   * Copies a database file, and keeps the original open until the process ends. Closing the original would release all
   * locks that this process has on it, because the operating system assigns locks to processes.
   */
  copyOpened(from: string, to: string): Promise<void>;
  /** Copies a small file synchronously. Returns false if `from` does not exist. */
  copyNow(from: string, to: string): boolean;
}

/** File operations for backups. Error messages contain the path. */
export interface BackupFiles {
  exists(path: string): Promise<boolean>;
  readText(path: string): Promise<string>;
  /** Writes the file atomically: readers see either the old text or the new one. `mode` is, for example, 0o600. */
  writeText(path: string, text: string, mode: number): Promise<void>;
  /** Creates the folder and its missing parents. An existing folder keeps its mode. */
  makeFolder(path: string, mode: number): Promise<void>;
  /** Creates an empty folder with a unique name, which only its owner can use. Resolves with its path. */
  makeFolderIn(folder: string, prefix: string): Promise<string>;
  /** Whether folders can be created in `folder`. To find out, creates one and removes it. */
  mayMakeIn(folder: string): Promise<boolean>;
  removeFolder(path: string): Promise<void>;
  /** Finds the folders whose names start with the prefix, and returns when something in each last changed, Unix ms. */
  findFolders(folder: string, prefix: string): Promise<{ path: string; changedAtMs: number }[]>;
  /** Gives the file or folder to the owner of `like` if this process runs as root; otherwise does nothing. */
  chownLike(like: string, path: string): Promise<void>;
  removeFile(path: string): Promise<void>;
  /** Copies a file and gives the copy mode 0600. */
  copy(from: string, to: string): Promise<void>;
  /** Moves a file atomically, so that readers see either no file or the whole file. */
  move(from: string, to: string): Promise<void>;
  /** Gives the file a second name, or renames it if hard links are not supported. Returns false if `name` exists. */
  keepAs(path: string, name: string): Promise<boolean>;
  /** Returns the file's size in bytes; 0 if it does not exist. */
  sizeOf(path: string): Promise<number>;
  /** Returns the space available to this process on the volume of an existing folder, bytes, or null if unknown. */
  freeBytes(folder: string): Promise<number | null>;
  digest(path: string): Promise<{ bytes: number; sha256: string }>;
}

/** The files of a database and of the key that seals its secrets. */
export interface DatabaseFile {
  path: string;
  keyFile: string;
}
