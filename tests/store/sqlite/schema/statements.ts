// What the SQLite engine does under its methods: the statements it runs, and the plans that SQLite makes for them.
import { Connection } from "../../../../src/store/sqlite/connection/connection.ts";
import { openStore } from "../../../../src/store/sqlite/store.ts";
import { testVault } from "../../../support/vault.ts";

const METHODS = ["all", "tuples", "get", "run"] as const;

/** Runs `work` and returns the text of every statement that a connection ran meanwhile, each once. */
export async function statementsOf(work: () => Promise<unknown>): Promise<Set<string>> {
  const seen = new Set<string>();
  const originals = METHODS.map((name) => Connection.prototype[name]);
  for (const [at, name] of METHODS.entries()) {
    const original = originals[at] as (sql: string, ...values: unknown[]) => unknown;
    const watched = function (this: Connection, sql: string, ...values: unknown[]): unknown {
      seen.add(sql);
      return original.call(this, sql, ...values);
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

/** The plans of statements on the schema of this version, each as its lines. */
export async function plansOf(statements: Iterable<string>): Promise<{ sql: string; lines: string[] }[]> {
  const file = await Deno.makeTempFile({ prefix: "regfeed-plans-" });
  await openStore(file, testVault).close();
  const connection = new Connection(file);
  try {
    return [...statements]
      // What a migration moves out of the file, it keeps in tables that are gone after it.
      .filter((sql) => !/\bclear_(secrets|answers)\b/.test(sql))
      .filter((sql) => !/^(begin|commit|rollback|pragma)\b/.test(sql))
      .map((sql) => ({
        sql: sql.replace(/\s+/g, " ").trim(),
        lines: connection.all(`explain query plan ${sql}`).map((row) => String(row["detail"])),
      }));
  } finally {
    connection.close();
    await Deno.remove(file);
  }
}
