// SQLite as a store engine: opening, migrating, copying and inspecting database files.
import type { ExamineOptions, StoreEngine } from "../../domain/ports/store/engine.ts";
import { Connection } from "./connection/connection.ts";
import { copyDatabase } from "./connection/copy.ts";
import { conflictsOf } from "./customers/declared_customers.ts";
import { adviceOn } from "./connection/faults.ts";
import { inspectDatabase, releaseDatabase } from "./connection/inspect.ts";
import { migrate, type Migration, MIGRATIONS, refuseForeign, schemaVersion } from "./schema/migrate.ts";
import { replaceKey, requireKey } from "./new_key.ts";
import { listStates } from "./sources/sources.ts";
import { openStore } from "./store.ts";
import { findUndelivered } from "./deliveries/undelivered.ts";

/** Creates the engine. Only tests pass `migrations`. */
export function createSqliteEngine(migrations: readonly Migration[] = MIGRATIONS): StoreEngine {
  const schema = migrations.length;
  return {
    schemaVersion: schema,
    open: (path, vaultSource, options) => openStore(path, vaultSource, { ...options, migrations }),
    schemaOf: (path, options) =>
      withConnection(path, options, (connection) => {
        refuseForeign(connection, schema);
        return schemaVersion(connection);
      }),
    migrate: (path, vaultSource) =>
      withConnection(path, {}, (connection) => void migrate(connection, vaultSource, { migrations })),
    release: releaseDatabase,
    copy: copyDatabase,
    inspect: inspectDatabase,
    adviceOn,
    requireKey: (path, vaultSource, options) =>
      withConnection(path, options, (connection) => requireKey(connection, vaultSource)),
    replaceKey: (path, vaultSource, by) =>
      withConnection(path, {}, (connection) => {
        const found = schemaVersion(connection);
        if (found !== schema) {
          throw new Error(
            `the database has schema ${found}, but this version uses ${schema}: run this command with the ` +
              "version of Regfeed that last used the database, then update",
          );
        }
        return replaceKey(connection, vaultSource, by);
      }),
    sourceStates: (path, options) => withConnection(path, options, listStates),
    undelivered: (path, options) => withConnection(path, options, findUndelivered),
    declaredConflicts: (path, customers, options) =>
      withConnection(
        path,
        options,
        (connection) =>
          schemaVersion(connection) === schema
            ? customers.flatMap((customer) => conflictsOf(connection, customer))
            : null,
      ),
  };
}

function withConnection<T>(
  path: string,
  options: ExamineOptions | undefined,
  work: (connection: Connection) => T,
): T {
  const connection = new Connection(path, options);
  try {
    return work(connection);
  } finally {
    connection.close();
  }
}
