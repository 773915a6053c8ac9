// Brings a database to the schema of this version, one transaction a step.
import foundation from "./migrations/0001_foundation.sql" with { type: "text" };
import mails from "./migrations/0002_mails.sql" with { type: "text" };
import latestByVersion from "./migrations/0003_latest_by_version.sql" with { type: "text" };
import accounts from "./migrations/0004_accounts.sql" with { type: "text" };
import collecting from "./migrations/0005_collecting.sql" with { type: "text" };
import schemaHistory from "./migrations/0006_schema_history.sql" with { type: "text" };
import deliveryLife from "./migrations/0007_delivery_life.sql" with { type: "text" };
import catchUp from "./migrations/0008_catch_up.sql" with { type: "text" };
import sourceHealth from "./migrations/0009_source_health.sql" with { type: "text" };
import tierHolds from "./migrations/0010_tier_holds.sql" with { type: "text" };
import sourceMoves from "./migrations/0011_source_moves.sql" with { type: "text" };
import laterSchedule from "./migrations/0012_later_schedule.sql" with { type: "text" };
import revisionFloods from "./migrations/0013_revision_floods.sql" with { type: "text" };
import mailLife from "./migrations/0014_mail_life.sql" with { type: "text" };
import mailTries from "./migrations/0015_mail_tries.sql" with { type: "text" };
import sourceGaps from "./migrations/0016_source_gaps.sql" with { type: "text" };
import guessedPauses from "./migrations/0017_guessed_pauses.sql" with { type: "text" };
import sharedEndings from "./migrations/0018_shared_endings.sql" with { type: "text" };
import replaceIsRefused from "./migrations/0019_replace_is_refused.sql" with { type: "text" };
import dailyUsage from "./migrations/0020_daily_usage.sql" with { type: "text" };
import fairSlots from "./migrations/0021_fair_slots.sql" with { type: "text" };
import catchUpPlaces from "./migrations/0022_catch_up_places.sql" with { type: "text" };
import customerStorage from "./migrations/0023_customer_storage.sql" with { type: "text" };
import eventIndex from "./migrations/0024_event_index.sql" with { type: "text" };
import type { Vault, VaultSource } from "../../domain/ports.ts";
import { VERSION } from "../../version.ts";
import { Connection } from "./connection.ts";
import { indexAll } from "./event_index.ts";
import { openVault, openVaultWhenUsed, proveKey, sealWhatWasClear } from "./seals.ts";

/** A step: its SQL, and what only a program can do after it; both in one transaction. */
interface Migration {
  sql: string;
  then?(connection: Connection, vault: Vault): void;
  /** The step replaces tables that others refer to: references are checked at its end instead of at each statement. */
  replacesTables?: boolean;
  /** What the step removes must not be found in the file: freed pages are overwritten and given back. */
  leavesNothing?: boolean;
}

/** The steps in order; a step that has landed is never changed. */
const MIGRATIONS: readonly Migration[] = [
  { sql: foundation },
  { sql: mails },
  { sql: latestByVersion },
  { sql: accounts },
  { sql: collecting },
  { sql: schemaHistory },
  { sql: deliveryLife, then: sealWhatWasClear, replacesTables: true, leavesNothing: true },
  { sql: catchUp },
  { sql: sourceHealth },
  { sql: tierHolds, replacesTables: true },
  { sql: sourceMoves },
  { sql: laterSchedule },
  { sql: revisionFloods },
  { sql: mailLife, replacesTables: true },
  { sql: mailTries },
  { sql: sourceGaps },
  { sql: guessedPauses },
  { sql: sharedEndings, replacesTables: true },
  { sql: replaceIsRefused },
  { sql: dailyUsage },
  { sql: fairSlots },
  { sql: catchUpPlaces },
  { sql: customerStorage },
  { sql: eventIndex, then: indexAll },
];

/** The schema that this version reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** The schema of an opened database; 0 for an empty one. */
export function schemaVersion(connection: Connection): number {
  return Number(connection.get("pragma user_version")?.["user_version"] ?? 0);
}

/**
 * The schema of a database file that may be older than this version; 0 for an empty one. Nothing is written, with
 * `readOnly` not even a log that a killed process left ({@link Connection}).
 */
export function schemaOfFile(path: string, options: { readOnly?: boolean } = {}): number {
  const connection = new Connection(path, options);
  try {
    refuseForeign(connection);
    return schemaVersion(connection);
  } finally {
    connection.close();
  }
}

/** {@link migrate} for a file that is not open. */
export function migrateFile(path: string, vaultSource: VaultSource): void {
  const connection = new Connection(path);
  try {
    migrate(connection, vaultSource);
  } finally {
    connection.close();
  }
}

/**
 * Applies the steps that are missing, and gives the vault that the store's secrets are sealed in. Throws, with nothing
 * written, when the database was written by a newer version or by another program, or when the key is not its own.
 * `upTo` stops at an earlier schema, as a version of that time left it. `vaultWhenUsed`: of a database that lacks no
 * step, the vault is opened by {@link openVaultWhenUsed}.
 */
export function migrate(
  connection: Connection,
  vaultSource: VaultSource,
  { upTo = SCHEMA_VERSION, vaultWhenUsed = false }: { upTo?: number; vaultWhenUsed?: boolean } = {},
): Vault {
  refuseForeign(connection);
  if (vaultWhenUsed && schemaVersion(connection) === SCHEMA_VERSION) {
    connection.prepareFile();
    return openVaultWhenUsed(connection, vaultSource);
  }
  const vault = openVault(connection, vaultSource);
  connection.prepareFile();
  const steps = MIGRATIONS.slice(schemaVersion(connection), upTo);
  const leavesNothing = steps.some((step) => step.leavesNothing);
  if (leavesNothing) {
    connection.script("pragma secure_delete = on");
    // Before a step takes a freed page for something else, and keeps in its unused parts what it held.
    connection.all("pragma incremental_vacuum");
  }
  try {
    for (const step of steps) take(connection, step, vault);
  } finally {
    if (leavesNothing) connection.script("pragma secure_delete = fast");
  }
  if (leavesNothing) {
    connection.all("pragma incremental_vacuum");
    connection.all("pragma wal_checkpoint(truncate)");
  }
  refuseForeign(connection);
  proveKey(connection, vault); // another process may have sealed it meanwhile
  return vault;
}

function take(connection: Connection, migration: Migration, vault: Vault): void {
  const step = MIGRATIONS.indexOf(migration);
  // The setting holds outside of transactions only.
  if (migration.replacesTables) connection.script("pragma foreign_keys = off");
  try {
    connection.transaction("durable", () => {
      // Another process may have taken the step while this one waited for the lock.
      if (schemaVersion(connection) !== step) return;
      connection.script(migration.sql);
      migration.then?.(connection, vault);
      if (migration.replacesTables && connection.get("pragma foreign_key_check") !== undefined) {
        throw new Error(`schema ${step + 1} would break references between tables`);
      }
      connection.script(`pragma user_version = ${step + 1}`);
      if (!hasHistory(connection)) return; // the steps before that table are recorded by no one
      connection.run("insert into schema_history (schema, version) values (?, ?)", step + 1, VERSION);
    });
  } finally {
    if (migration.replacesTables) connection.script("pragma foreign_keys = on");
  }
}

function refuseForeign(connection: Connection): void {
  // One statement, so one state of the file: another process may be creating the schema at this moment.
  const file = connection.get(
    "select user_version, (select count(*) from sqlite_schema) as objects from pragma_user_version",
  );
  const found = Number(file?.["user_version"]);
  if (found === 0 && Number(file?.["objects"]) > 0) {
    throw new Error("the file is the database of another program: give a path of its own for Regfeed's");
  }
  if (found > SCHEMA_VERSION) {
    throw new Error(
      `the database has schema ${found}, this version of Regfeed knows schemas up to ${SCHEMA_VERSION}: ` +
        `start ${writerOf(connection, found)}`,
    );
  }
}

function hasHistory(connection: Connection): boolean {
  const table = "select 1 from sqlite_schema where type = 'table' and name = 'schema_history'";
  return connection.get(table) !== undefined;
}

/** The Regfeed that made a newer schema, as the database itself says. */
function writerOf(connection: Connection, schema: number): string {
  const row = hasHistory(connection)
    ? connection.get("select version from schema_history where schema = ?", schema)
    : undefined;
  if (row === undefined) return "the newer Regfeed that wrote it";
  // Before a release two builds have one version.
  if (row["version"] === VERSION) return `a newer build of Regfeed ${VERSION}`;
  return `Regfeed ${row["version"]} or a newer one`;
}
