// Captures the statements of the SQLite engine, and reads their query plans.
import { Connection } from "../../../../src/store/sqlite/connection/connection.ts";
import { Sql } from "../../../../src/store/sqlite/connection/sql.ts";
import { openStore } from "../../../../src/store/sqlite/store.ts";
import { testVault } from "../../../support/vault.ts";

const METHODS = ["all", "get", "run"] as const;

/** Runs `work` and returns the text of each statement that a connection ran, without repetitions. */
export async function statementsOf(work: () => Promise<unknown>): Promise<Set<string>> {
  const seen = new Set<string>();
  const originals = METHODS.map((name) => Connection.prototype[name]);
  for (const [at, name] of METHODS.entries()) {
    const original = originals[at] as (statement: Sql) => unknown;
    const watched = function (this: Connection, statement: Sql): unknown {
      seen.add(statement.text);
      return original.call(this, statement);
    };
    Object.assign(Connection.prototype, { [name]: watched });
  }
  try {
    await work();
  } finally {
    for (const [at, name] of METHODS.entries()) {
      Object.assign(Connection.prototype, { [name]: originals[at] });
    }
  }
  return seen;
}

export async function plansOf(statements: Iterable<string>): Promise<{ sql: string; lines: string[] }[]> {
  const file = await Deno.makeTempFile({ prefix: "regfeed-plans-" });
  await openStore(file, testVault).close();
  const connection = new Connection(file);
  try {
    return [...statements]
      .filter((sql) => !/^(begin|commit|rollback|pragma)\b/.test(sql))
      .map((sql) => ({
        sql: sql.replace(/\s+/g, " ").trim(),
        lines: connection.all(new Sql(`explain query plan ${sql}`)).map((row) => String(row["detail"])),
      }));
  } finally {
    connection.close();
    await Deno.remove(file);
  }
}
