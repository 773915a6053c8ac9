// Brings a database to the schema of this version, one transaction a step.
import foundation from "./migrations/0001_foundation.sql" with { type: "text" };
import mails from "./migrations/0002_mails.sql" with { type: "text" };
import latestByVersion from "./migrations/0003_latest_by_version.sql" with { type: "text" };
import accounts from "./migrations/0004_accounts.sql" with { type: "text" };
import collecting from "./migrations/0005_collecting.sql" with { type: "text" };
import schemaHistory from "./migrations/0006_schema_history.sql" with { type: "text" };
import { VERSION } from "../../version.ts";
import { Connection } from "./connection.ts";

/** The steps in order; a step that has landed is never changed. */
const MIGRATIONS: readonly string[] = [
  foundation,
  mails,
  latestByVersion,
  accounts,
  collecting,
  schemaHistory,
];

/** The schema that this version reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** The schema of an opened database; 0 for an empty one. */
export function schemaVersion(connection: Connection): number {
  return Number(connection.get("pragma user_version")?.["user_version"] ?? 0);
}

/** The schema of a database file that may be older than this version; 0 for an empty one. Nothing is written. */
export function schemaOfFile(path: string): number {
  const connection = new Connection(path);
  try {
    refuseForeign(connection);
    return schemaVersion(connection);
  } finally {
    connection.close();
  }
}

/** {@link migrate} for a file that is not open. */
export function migrateFile(path: string): void {
  const connection = new Connection(path);
  try {
    migrate(connection);
  } finally {
    connection.close();
  }
}

/**
 * Applies the steps that are missing. Throws, with nothing written, when the database was written by a newer version
 * or by another program.
 */
export function migrate(connection: Connection): void {
  refuseForeign(connection);
  connection.prepareFile();
  for (let step = schemaVersion(connection); step < SCHEMA_VERSION; step++) {
    connection.transaction("durable", () => {
      // Another process may have taken the step while this one waited for the lock.
      if (schemaVersion(connection) !== step) return;
      connection.script(MIGRATIONS[step] ?? "");
      connection.script(`pragma user_version = ${step + 1}`);
      if (!hasHistory(connection)) return; // the steps before that table are recorded by no one
      connection.run("insert into schema_history (schema, version) values (?, ?)", step + 1, VERSION);
    });
  }
  refuseForeign(connection);
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
  return row === undefined ? "the newer Regfeed that wrote it" : `Regfeed ${row["version"]} or a newer one`;
}
