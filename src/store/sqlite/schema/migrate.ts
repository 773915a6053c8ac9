// Migrates a database to the schema of this version, one transaction per step.
import type { Vault, VaultSource } from "../../../domain/ports/ports.ts";
import { VERSION } from "../../../version.ts";
import type { Connection } from "../connection/connection.ts";
import { SCHEMA } from "./schema.ts";
import { openVault, openVaultWhenUsed, proveKey, writeProof } from "../sealed_secrets.ts";
import { sql } from "../connection/sql.ts";

/** A step from one schema to the next. Its SQL runs in one transaction. */
export interface Migration {
  sql: string;
  /** Whether the step replaces tables that other tables refer to. References are then checked once, at its end. */
  replacesTables?: boolean;
}

/** The steps in order. Released steps never change; later schema changes are new steps. */
export const MIGRATIONS: readonly Migration[] = [{ sql: SCHEMA }];

/** Returns the schema of an open database, or 0 if it is empty. */
export function schemaVersion(connection: Connection): number {
  return Number(connection.get(sql`pragma user_version`)?.["user_version"] ?? 0);
}

/**
 * Applies the missing steps, and returns the vault that seals the store's secrets. Throws before writing anything if
 * the database belongs to a newer version or another program, or if the key is not the database's own. If
 * `vaultWhenUsed` is set and no step is missing, the key is checked only when the vault is used.
 */
export function migrate(
  connection: Connection,
  vaultSource: VaultSource,
  { migrations = MIGRATIONS, vaultWhenUsed = false }: {
    migrations?: readonly Migration[];
    vaultWhenUsed?: boolean;
  } = {},
): Vault {
  refuseForeign(connection, migrations.length);
  if (vaultWhenUsed && schemaVersion(connection) === migrations.length) {
    connection.prepareFile();
    return openVaultWhenUsed(connection, vaultSource);
  }
  const vault = openVault(connection, vaultSource);
  connection.prepareFile();
  for (let schema = schemaVersion(connection) + 1; schema <= migrations.length; schema++) {
    const migration = migrations[schema - 1];
    if (migration !== undefined) apply(connection, migration, { schema, vault });
  }
  refuseForeign(connection, migrations.length);
  proveKey(connection, vault); // another process may have created the proof
  return vault;
}

function apply(
  connection: Connection,
  migration: Migration,
  { schema, vault }: { schema: number; vault: Vault },
): void {
  const { replacesTables = false } = migration;
  // SQLite ignores this setting inside a transaction.
  if (replacesTables) connection.script("pragma foreign_keys = off");
  try {
    connection.transaction("durable", () => {
      // Another process may have applied the step while this one waited for the lock.
      if (schemaVersion(connection) !== schema - 1) return;
      connection.script(migration.sql);
      if (schema === 1) writeProof(connection, vault);
      if (replacesTables && connection.get(sql`pragma foreign_key_check`) !== undefined) {
        throw new Error(`schema ${schema} would break references between tables`);
      }
      connection.script(`pragma user_version = ${schema}`);
      connection.run(sql`insert into schema_history (schema, version) values (${schema}, ${VERSION})`);
    });
  } finally {
    if (replacesTables) connection.script("pragma foreign_keys = on");
  }
}

/** Throws if the database belongs to another program or its schema is newer than `newest`. */
export function refuseForeign(connection: Connection, newest: number): void {
  // One statement reads one state of the file, even while another process is creating the schema.
  const file = connection.get(
    sql`select user_version, (select count(*) from sqlite_schema) as objects from pragma_user_version`,
  );
  const found = Number(file?.["user_version"]);
  if (found === 0 && Number(file?.["objects"]) > 0) {
    throw new Error("the file is another program's database: set a different store.path");
  }
  if (found > newest) {
    throw new Error(
      `the database has schema ${found}, but this version of Regfeed supports schemas up to ${newest}: ` +
        `start ${writerOf(connection, found)}`,
    );
  }
}

/** Names the version of Regfeed that created a newer schema, if the database states it. */
function writerOf(connection: Connection, schema: number): string {
  const hasHistory = connection.get(
    sql`select 1 from sqlite_schema where type = 'table' and name = 'schema_history'`,
  );
  const row = hasHistory === undefined
    ? undefined
    : connection.get(sql`select version from schema_history where schema = ${schema}`);
  if (row === undefined) return "the newer version of Regfeed that created it";
  // Builds between two releases have the same version.
  if (row["version"] === VERSION) return `a newer build of Regfeed ${VERSION}`;
  return `Regfeed ${row["version"]} or a newer one`;
}
