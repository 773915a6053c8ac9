// An invented next version of Regfeed with two more schema steps. As a program, this file is that version's command
// line.
import { runCli } from "../../src/cli/cli.ts";
import { createHost } from "../../src/platform/process/process.ts";
import { listenForSignals } from "../../src/platform/process/signals.ts";
import { createSqliteEngine } from "../../src/store/sqlite/engine.ts";
import { type Migration, MIGRATIONS } from "../../src/store/sqlite/schema/migrate.ts";

/** The schema steps of the next version: a new column, and the replacement of a referenced table. */
export const NEXT_MIGRATIONS: readonly Migration[] = [
  ...MIGRATIONS,
  { sql: "alter table customers add column note text" },
  {
    sql: `
      create table keys_next (
        hash text primary key check (length(hash) = 64),
        customer_id text not null references customers (id),
        last_four text not null check (length(last_four) = 4),
        label text,
        scope text not null default '',
        created_at integer not null,
        valid_until integer,
        disabled_at integer,
        last_used_at integer
      ) strict, without rowid;
      insert into keys_next (hash, customer_id, label, last_four, created_at, valid_until, disabled_at, last_used_at)
        select hash, customer_id, label, last_four, created_at, valid_until, disabled_at, last_used_at from api_keys;
      drop table api_keys;
      alter table keys_next rename to api_keys;
      create index api_keys_by_customer on api_keys (customer_id, created_at);
    `,
    replacesTables: true,
  },
];

if (import.meta.main) {
  const host = createHost(listenForSignals());
  host.exit(await runCli(host, () => Promise.resolve(createSqliteEngine(NEXT_MIGRATIONS))));
}
