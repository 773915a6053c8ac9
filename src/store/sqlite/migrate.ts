// Brings a database to the schema of this version, one transaction a step.
import foundation from "./migrations/0001_foundation.sql" with { type: "text" };
import mails from "./migrations/0002_mails.sql" with { type: "text" };
import latestByVersion from "./migrations/0003_latest_by_version.sql" with { type: "text" };
import accounts from "./migrations/0004_accounts.sql" with { type: "text" };
import collecting from "./migrations/0005_collecting.sql" with { type: "text" };
import type { Connection } from "./connection.ts";

/** The steps in order; a step that has landed is never changed. */
const MIGRATIONS: readonly string[] = [foundation, mails, latestByVersion, accounts, collecting];

/** The schema that this version reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** The schema of an opened database; 0 for an empty one. */
export function schemaVersion(connection: Connection): number {
  return Number(connection.get("pragma user_version")?.["user_version"] ?? 0);
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
        "start the newer Regfeed that wrote it",
    );
  }
}
