// Brings a database to the schema of this version, one transaction a step.
import foundation from "./migrations/0001_foundation.sql" with { type: "text" };
import type { Connection } from "./connection.ts";

/** The steps in order; a step that has landed is never changed. */
const MIGRATIONS: readonly string[] = [foundation];

/** The schema that this version reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** The schema of an opened database; 0 for an empty one. */
export function schemaVersion(connection: Connection): number {
  return Number(connection.get("pragma user_version")?.["user_version"] ?? 0);
}

/** Applies the steps that are missing. Throws when the database was written by a newer version. */
export function migrate(connection: Connection): void {
  if (schemaVersion(connection) === SCHEMA_VERSION) return;
  for (let step = schemaVersion(connection); step < SCHEMA_VERSION; step++) {
    connection.transaction("durable", () => {
      // Another process may have taken the step while this one waited for the lock.
      if (schemaVersion(connection) !== step) return;
      connection.script(MIGRATIONS[step] ?? "");
      connection.script(`pragma user_version = ${step + 1}`);
    });
  }
  const found = schemaVersion(connection);
  if (found > SCHEMA_VERSION) {
    throw new Error(
      `the database has schema ${found}, this version of Regfeed knows schemas up to ${SCHEMA_VERSION}: ` +
        "start the newer Regfeed that wrote it",
    );
  }
}
