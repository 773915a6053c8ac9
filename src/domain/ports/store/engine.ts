// The StoreEngine port, which opens, migrates, copies and inspects a database.
import type { Act } from "../../customer/audit.ts";
import type { DatabaseFacts, DatabaseFiles } from "../backup.ts";
import type { DeclarationConflict, DeclaredCustomer } from "../../customer/declared_customers.ts";
import type { Random, VaultSource } from "../ports.ts";
import type { SourceState } from "../../source/source.ts";
import type { Undelivered } from "./deliveries.ts";
import type { StorageProblem } from "./storage_fault.ts";
import type { Store } from "./store.ts";

export interface OpenStoreOptions {
  /** Whether the file's disk has room for more than one page. */
  hasRoom?: () => boolean;
  /** Identifies the file at the path, or returns null if there is none. If absent, a replaced file is not detected. */
  identifyFile?: () => string | null;
  /** Called when a storage fault begins, and with null when it ends. */
  onFault?: (problem: StorageProblem | null) => void;
  /** Whether the key may be missing until something is sealed or opened. */
  vaultWhenUsed?: boolean;
}

/** How to examine a database that a server may have open. */
export interface ExamineOptions {
  /** If true, the file is only read. Even the write-ahead log of a killed process is not moved into it. */
  readOnly?: boolean;
}

/** The subscriptions that need a new secret after their store got a new key, by customer. */
export type DiscardedSecrets = Record<string, string[]>;

/** A kind of database that can be the store. Methods throw if the file at the path is not a database of this kind. */
export interface StoreEngine {
  readonly schemaVersion: number;
  /**
   * Opens the database and migrates it. Creates a missing file, but not its folder. `:memory:` opens a new store in
   * memory. If the file is another program's database or has a newer schema, throws and leaves the file as it is. The
   * vault seals secrets; throws a {@link VaultError} if its key is not the store's.
   */
  open(path: string, vaultSource: VaultSource, options?: OpenStoreOptions): Store;
  /** Returns the version of a database's schema, which may be older than this program's; 0 if the database is empty. */
  schemaOf(path: string, options?: ExamineOptions): number;
  /** Migrates a database that is not open. */
  migrate(path: string, vaultSource: VaultSource): void;
  /** Moves the write-ahead log into the file. Throws if another process has the database open. */
  release(path: string): void;
  /** Copies a consistent state of a database that is in use. Copies its write-ahead log to a file named `to`-wal. */
  copy(from: string, to: string, files: DatabaseFiles): Promise<void>;
  /** Checks a database that is not in use, counts its rows, and moves its write-ahead log into the file. */
  inspect(path: string): DatabaseFacts;
  /** Returns advice on a fault of the database or its disk, or null for any other error. */
  adviceOn(error: Error, options?: { hasRoom?: () => boolean }): string | null;
  /** Throws a {@link VaultError} if the database's key is missing or belongs to another store. Writes nothing. */
  requireKey(path: string, vaultSource: VaultSource, options?: ExamineOptions): void;
  /**
   * Seals the store with a new key, and disables every subscription until its owner rotates the secret and enables it.
   * Throws if the old key exists, or if the database does not have this program's schema.
   */
  replaceKey(
    path: string,
    vaultSource: VaultSource,
    by: { by: Act; random: Random; newMailId: () => string },
  ): DiscardedSecrets;
  sourceStates(path: string, options?: ExamineOptions): SourceState[];
  undelivered(path: string, options?: ExamineOptions): Undelivered;
  /** Returns the conflicts of the declared customers, or null if the schema is not this program's. */
  declaredConflicts(
    path: string,
    customers: readonly DeclaredCustomer[],
    options?: ExamineOptions,
  ): DeclarationConflict[] | null;
}
