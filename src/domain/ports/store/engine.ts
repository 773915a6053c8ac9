// The StoreEngine port: opening, migrating, copying and inspecting a database.
import type { Act } from "../../customer/audit.ts";
import type { DatabaseFacts, DatabaseFiles } from "../backup.ts";
import type { DeclarationConflict, DeclaredCustomer } from "../../customer/declared_customers.ts";
import type { Random, VaultSource } from "../ports.ts";
import type { SourceState } from "../../source/source.ts";
import type { Undelivered } from "./deliveries.ts";
import type { StorageProblem } from "./storage_fault.ts";
import type { Store } from "./store.ts";

export interface OpenStoreOptions {
  /** Whether the file's disk has room for more than a page. */
  hasRoom?: () => boolean;
  /** Identifies the file at the path; null if there is none. Without this method, no file is replaced. */
  identifyFile?: () => string | null;
  /** Called when a storage fault begins, and with null when it ends. */
  onFault?: (problem: StorageProblem | null) => void;
  /** Whether the key may be missing until something is sealed or opened. */
  vaultWhenUsed?: boolean;
}

/** How a database is examined that a server may have open. */
export interface ExamineOptions {
  /** Nothing is written, not even the log of a killed process. */
  readOnly?: boolean;
}

/** The subscriptions that need a new secret after their store got a new key, by customer. */
export type DiscardedSecrets = Record<string, string[]>;

/** A database that can be the store. A method with a path throws when no database of its kind is there. */
export interface StoreEngine {
  readonly schemaVersion: number;
  /**
   * Opens the database, creates it when it is missing (its folder must exist), and migrates it. `:memory:` gives a
   * store of its own. Throws when the file is another program's database or of a newer schema; such a file is left as
   * it is. The vault seals secrets; {@link VaultError} when its key is not the store's.
   */
  open(path: string, vaultSource: VaultSource, options?: OpenStoreOptions): Store;
  /** The schema of a database that may be older than this version; 0 for an empty one. */
  schemaOf(path: string, options?: ExamineOptions): number;
  /** Migrates a database that is not open. */
  migrate(path: string, vaultSource: VaultSource): void;
  /** Moves the log into the file. Throws when another process has the database open. */
  release(path: string): void;
  /** Copies a database that is in use, as one state of it; its log goes to `to`-wal. */
  copy(from: string, to: string, files: DatabaseFiles): Promise<void>;
  /** Checks and counts a database that is not in use, and moves its log into the file. */
  inspect(path: string): DatabaseFacts;
  /** Advice on a fault of the database or its disk; null for an error of another kind. */
  adviceOn(error: Error, options?: { hasRoom?: () => boolean }): string | null;
  /** Throws a {@link VaultError} unless the database's key is there and its own. Nothing is written. */
  requireKey(path: string, vaultSource: VaultSource, options?: ExamineOptions): void;
  /**
   * Seals the store with a new key, and disables every subscription until its owner rotates the secret. Throws when the
   * the old key exists, or if the database does not have this version's schema.
   */
  replaceKey(
    path: string,
    vaultSource: VaultSource,
    by: { by: Act; random: Random; newMailId: () => string },
  ): DiscardedSecrets;
  sourceStates(path: string, options?: ExamineOptions): SourceState[];
  /** The deliveries that do not arrive. */
  undelivered(path: string, options?: ExamineOptions): Undelivered;
  /** The conflicts of the declared customers; null when the schema is not this version's. */
  declaredConflicts(
    path: string,
    customers: readonly DeclaredCustomer[],
    options?: ExamineOptions,
  ): DeclarationConflict[] | null;
}
