// The SQLite schema: strict tables, records that nobody changes, settings that the promises rest on.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import type { Store } from "../../src/domain/store.ts";
import { Connection, type Durability } from "../../src/store/sqlite/connection.ts";
import { migrate } from "../../src/store/sqlite/migrate.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import {
  aClaim,
  addCustomer,
  aFailure,
  aKey,
  anEvent,
  aPublication,
  aSource,
  aSubscription,
  BY,
  claimAll,
  finishAllDue,
  JULY,
  matchAll,
  monthly,
  newMailId,
  publish,
  publishMany,
  recordIt,
  subscribe,
  T0,
} from "./contract/given.ts";
import { testVault } from "../support/vault.ts";
import { TEMPORARY } from "../support/temporary.ts";

/** A store in a file with one event, and a second connection to look at it from outside. */
async function withFile(
  work: (store: Store, outside: Connection, file: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ ...TEMPORARY, prefix: "regfeed-schema-" });
  const file = join(folder, "regfeed.db");
  const store = openStore(file, testVault);
  const outside = new Connection(file);
  try {
    await work(store, outside, file);
  } finally {
    outside.close();
    await store.close();
    await Deno.remove(folder, { recursive: true });
  }
}

function setting(connection: Connection, name: string): unknown {
  return Object.values(connection.get(`pragma ${name}`) ?? {})[0];
}

Deno.test("every table of the schema is strict", () => {
  const connection = new Connection(":memory:");
  migrate(connection, testVault);
  const tables = connection.all(
    "select name, strict from pragma_table_list where type = 'table' and name not like 'sqlite_%' and schema = 'main'",
  );
  assert.ok(tables.length > 10);
  assert.deepEqual(tables.filter((table) => table["strict"] !== 1).map((table) => table["name"]), []);
  connection.close();
});

Deno.test("an event record cannot be changed or removed, whoever tries", async () => {
  await withFile(async (store, outside) => {
    const event = anEvent("evt_1");
    await publish(store, [event]);
    const attempts = [
      "update events set json = '{}'",
      "update events set provenance = '{}'",
      "update events set published_at = 0 where id = 'evt_1'",
      "update events set seq = seq + 1",
      "delete from events where id = 'evt_1'",
      "update or replace events set id = 'evt_2'",
    ];
    for (const sql of attempts) assert.throws(() => outside.run(sql), /append-only/, sql);
    assert.deepEqual(JSON.parse((await store.findEvent("evt_1"))?.json ?? ""), event);
  });
});

Deno.test("`insert or replace` replaces no append-only row, in a connection without any settings either", async () => {
  await withFile(async (store, outside, file) => {
    await addCustomer(store); // writes a row of the audit
    await publish(store, [anEvent("evt_1")]);
    outside.run(
      `insert into event_translations (event_seq, language, title, summary, url, provenance, added_at)
       values (1, 'de', 'Titel', 'Text', 'https://board.example/de', '{}', 0)`,
    );
    const event =
      "insert or replace into events (seq, id, source_id, external_id, version, severity, published_at, " +
      "json, provenance)";
    const translation =
      "replace into event_translations (seq, event_seq, language, title, summary, url, provenance, " +
      "added_at)";
    const attempts = [
      `${event} values (null, 'evt_1', 'x', 'x', 1, 0, 0, '{}', '{}')`,
      `${event} values (1, 'evt_2', 'x', 'x', 1, 0, 0, '{}', '{}')`,
      `${event} values (null, 'evt_2', 'board', 'publication of evt_1', 1, 0, 0, '{}', '{}')`,
      `${translation} values (null, 1, 'de', 'x', 'x', 'x', '{}', 0)`,
      `${translation} values (1, 1, 'fr', 'x', 'x', 'x', '{}', 0)`,
      "insert or replace into audit (seq, at, actor, act, change) values (1, 0, 'x', 'x', '{}')",
    ];
    const contents = () =>
      ["events", "event_translations", "audit"].map((table) => outside.all(`select * from ${table}`));
    const before = contents();
    assert.deepEqual(before.map((rows) => rows.length), [1, 1, 1]);
    const plain = new DatabaseSync(file);
    try {
      plain.exec("pragma foreign_keys = off");
      for (const sql of attempts) {
        assert.throws(() => outside.run(sql), /append-only/, sql);
        assert.throws(() => plain.exec(sql), /append-only/, sql);
      }
      assert.deepEqual(contents(), before);
      // A new row is welcome.
      plain.exec("insert or replace into audit (at, actor, act, change) values (0, 'x', 'x', '{}')");
    } finally {
      plain.close();
    }
  });
});

Deno.test("the schema refuses states that cannot be", async () => {
  await withFile(async (store, outside) => {
    await addCustomer(store);
    await subscribe(store, "sub_1");
    await publishMany(store, 1, 1);
    await matchAll(store);
    const attempts: [string, RegExp][] = [
      ["update deliveries set status = 'lost'", /CHECK/],
      ["update deliveries set status = 'held'", /CHECK/],
      ["update deliveries set hold_reason = 'quota'", /CHECK/],
      ["update deliveries set subscription_id = 'sub_unknown'", /FOREIGN KEY/],
      ["update deliveries set attempts = 'many'", /cannot store TEXT/],
      ["update customers set tier = 'gold'", /CHECK/],
      ["update customers set limits = 'none'", /CHECK/],
      ["update api_keys set hash = 'abc'", /CHECK/],
      ["update delivery_usage set deliveries = -1", /CHECK/],
      ["delete from customers", /FOREIGN KEY/],
    ];
    for (const [sql, expected] of attempts) assert.throws(() => outside.run(sql), expected, sql);
  });
});

Deno.test("the file keeps a write-ahead log and gives pages back in steps", async () => {
  await withFile((_, outside) => {
    assert.equal(setting(outside, "journal_mode"), "wal");
    assert.equal(setting(outside, "auto_vacuum"), 2);
    return Promise.resolve();
  });
});

Deno.test("a file whose settings stand already is not written for them: it may be one that cannot be", async () => {
  await withFile((_, __, file) => {
    const reader = new Connection(file, { readOnly: true });
    reader.prepareFile();
    assert.equal(setting(reader, "journal_mode"), "wal");
    reader.close();
    return Promise.resolve();
  });
});

Deno.test("every connection checks references and waits for others that write", () => {
  const connection = new Connection(":memory:");
  assert.equal(setting(connection, "foreign_keys"), 1);
  assert.ok(Number(setting(connection, "busy_timeout")) >= 1_000);
  connection.close();
});

const FULL = 2;
const NORMAL = 1;

Deno.test("transaction() syncs a durable commit to the disk, and a relaxed one not by itself", () => {
  const connection = new Connection(":memory:");
  const during = (durability: Durability) =>
    connection.transaction(durability, () => setting(connection, "synchronous"));
  assert.equal(
    setting(connection, "synchronous"),
    FULL,
    "unless it is told otherwise, everything is durable",
  );
  assert.deepEqual(
    [during("relaxed"), during("relaxed"), during("durable"), during("relaxed"), during("durable")],
    [NORMAL, NORMAL, FULL, NORMAL, FULL],
  );
  connection.close();
});

Deno.test("transaction() keeps other writers out from its beginning on, so that what it reads stays true", async () => {
  await withFile((_, outside) => {
    const file = String(outside.get("select file from pragma_database_list where name = 'main'")?.["file"]);
    const other = new Connection(file);
    other.script("pragma busy_timeout = 0");
    const write = () => other.run("insert into event_outbox (event_seq) values (1)");
    outside.transaction("durable", () => assert.throws(write, /locked/));
    assert.throws(write, /FOREIGN KEY/, "and lets them in after it");
    other.close();
    return Promise.resolve();
  });
});

Deno.test("transaction() keeps nothing after a throw, and the next one works", () => {
  const connection = new Connection(":memory:");
  connection.script("create table t (id integer primary key) strict");
  assert.throws(() =>
    connection.transaction("durable", () => {
      connection.run("insert into t (id) values (1)");
      throw new Error("in the middle");
    }), /in the middle/);
  assert.equal(connection.transaction("durable", () => connection.run("insert into t (id) values (2)")), 1);
  assert.deepEqual(connection.all("select id from t").map((row) => row["id"]), [2]);
  connection.close();
});

Deno.test("tuples() gives the values of each row in the order of the columns, and others their names still", () => {
  const connection = new Connection(":memory:");
  const sql = "select 7 as b, 'x' as a, null as c where ? union all select 8, 'y', x'01'";
  const named = () => connection.all(sql, 1).map((row) => Object.entries(row));
  const before = named();
  assert.deepEqual(before[0], [["b", 7], ["a", "x"], ["c", null]]);
  assert.deepEqual(connection.tuples(sql, 1), [[7, "x", null], [8, "y", Uint8Array.of(1)]]);
  assert.deepEqual(named(), before);
  assert.deepEqual(connection.tuples(sql, 0), [[8, "y", Uint8Array.of(1)]]);
  assert.throws(() => connection.tuples("select abs(-9223372036854775807 - 1)"), /overflow/);
  assert.equal(connection.get("select 1 as one")?.["one"], 1);
  connection.close();
});

Deno.test("a connection keeps only the statements used last, and forgetting one breaks nothing", () => {
  const connection = new Connection(":memory:");
  for (let round = 0; round < 2; round++) {
    for (let number = 0; number < 600; number++) {
      assert.equal(connection.get(`select ${number} as value`)?.["value"], number);
    }
  }
  connection.close();
});

/** What somebody was promised is durable; what the next minute repeats is not. */
const PROMISED: [string, Durability, (store: Store) => Promise<unknown>][] = [
  ["addCustomer()", "durable", (store) => addCustomer(store, "2")],
  ["changeCustomer()", "durable", (store) => store.changeCustomer("cus_1", { tier: "gpai" }, BY)],
  ["replaceKeys()", "durable", (store) => store.replaceKeys("cus_1", aKey("a"), BY)],
  ["addSubscription()", "durable", (store) => store.addSubscription(aSubscription("sub_2"), 9)],
  [
    "recordPublications()",
    "durable",
    (store) => store.recordPublications("board", [aPublication("k", "h")], recordIt(anEvent("evt_x"))),
  ],
  [
    "finishFetch()",
    "durable",
    (store) => store.finishFetch(aFailure("board", T0, { nextDueAtMs: T0 })),
  ],
  ["matchEvents()", "durable", (store) => matchAll(store, { limit: 1, tiers: monthly(1) })],
  [
    "extendLease()",
    "relaxed",
    (store) => store.extendLease({ sourceId: "board", holder: "prc_1", untilMs: T0 }),
  ],
  [
    "claimSources()",
    "relaxed",
    (store) => store.claimSources(aClaim(["board"])),
  ],
  ["claimDeliveries()", "relaxed", (store) => claimAll(store)],
  ["finishAttempts()", "durable", (store) => finishAllDue(store, { kind: "delivered" }, T0 + 1e9)],
  [
    "addRequests()",
    "relaxed",
    (store) => store.addRequests([{ customerId: "cus_1", day: "2026-07-20", requests: 1 }]),
  ],
  [
    "deleteSubscription()",
    "durable",
    (store) => store.deleteSubscription("cus_1", "sub_2", { nowMs: T0, activeLimit: 100 }),
  ],
  ["releaseHeld()", "durable", async (store) => {
    await matchAll(store, { tiers: monthly(1) });
    await store.releaseHeld({ nowMs: T0, month: JULY, tiers: monthly(9), newMailId });
  }],
];

Deno.test("what the service promises to somebody is committed durably", async () => {
  const store = openStore(":memory:", testVault);
  await store.registerSources([aSource("board")], T0);
  await addCustomer(store);
  await subscribe(store, "sub_1");
  await publishMany(store, 1, 3);
  const original = Connection.prototype.transaction;
  let used: Durability[] = [];
  Connection.prototype.transaction = function <T>(
    this: Connection,
    durability: Durability,
    work: () => T,
  ): T {
    used.push(durability);
    return original.call(this, durability, work) as T;
  };
  try {
    for (const [name, expected, call] of PROMISED) {
      used = [];
      await call(store);
      assert.equal(used.at(-1), expected, name);
    }
  } finally {
    Connection.prototype.transaction = original;
    await store.close();
  }
});

/** SHA-256 of each step that has landed: stores out there were made with it, so what changes is a further step. */
const LANDED: Readonly<Record<string, string>> = {
  "0001_foundation.sql": "927d1ba4fd9c2097f43ad6a406a1a6d0ba5af5567983c18a9fdaa63124047ed9",
  "0002_mails.sql": "5ee59f28aaaf2128906f4f9ab0884617e5d0cb162b3c228e5a866eb82dc3296e",
  "0003_latest_by_version.sql": "7e705f9cf58da8fc3f665943e2dfac732a366abb0e7724169129ac7c4f43ee56",
  "0004_accounts.sql": "8146170e4da28f1c374fb37c758dba46c222b487f94c8113eba03910770e4058",
  "0005_collecting.sql": "d17ff3940286e7db7d4919fd7567e731cc16522c57c23586ddb5f6db208bf7da",
  "0006_schema_history.sql": "b7cc215637714feef17e4719e3f0e98054a9fb46e26b75963e98e4a7c2f5650d",
  "0007_delivery_life.sql": "52dec094846ed1a4854a0af883820c971c3c299b1ddd02581bed9fe52ab600bf",
  "0008_catch_up.sql": "f98f204c0116be299a19febaf1bb6d32bc98ebc7b589525712acd615d570a111",
  "0009_source_health.sql": "66da45a3f33675fccc5bfed39dc8420dd26ca389640b0e191ced1c74a7db9ad2",
  "0010_tier_holds.sql": "130b565f8f0e97bb0e5e0b366a4564f5ef3247124772fdd6fadb932b0dbd6f1a",
  "0011_source_moves.sql": "1cd5607b12685194c4b5f0aa684de5d87f17bfbc2a07f143c57cbff5c1f7859f",
  "0012_later_schedule.sql": "1d73647bbc0d0728c85c986b9b4af52086e1dab6baaabb5113f1d8cfe239d93a",
  "0013_revision_floods.sql": "6b5de020c9cab53d5a70b048a230ce148a34817a5804fe77886735ce9f5b3bd1",
  "0014_mail_life.sql": "592df07d8440856cac9e7349e3750e7a183b57df04251525671892592967ce99",
  "0015_mail_tries.sql": "b5052291fd3fa7ad4253ca9863766f1145c7b4770a2ab438580bb0a0600d96d0",
  "0016_source_gaps.sql": "a9d4b36429967efe72ec3acfce66cf76f1b243f1baa5dcd694b64419b750ab2f",
  "0017_guessed_pauses.sql": "bda05a9fecc8aa75373f250d6860dd182e38619cfd3615f2381ff7f737fa9d81",
  "0018_shared_endings.sql": "14e29d8f94f18f5f0b22dbbe5f92e8eff2345a46dac78af2fecce59cd5b9077d",
  "0019_replace_is_refused.sql": "3b4346e0e01a31989a96bf4d260f7c42b7fd2910f89a208e4fc5e2faa1c171e2",
  "0020_daily_usage.sql": "2f17a4d568952223f5868bb677e126b4cb91e639a91f7c774cf656a9ee3724e4",
  "0021_fair_slots.sql": "4d00cdd1083668a6c13b802e756532eebd17850b1a1aae9f14af127349fdf504",
  "0022_catch_up_places.sql": "59a9c3c7cfaefc1b92503695566002dab25dea5c80485ac341b078b854f218cc",
  "0023_customer_storage.sql": "9977dbe13acc79692514428c2120662b33dd590c09f959f2349a46a19c6fd936",
};

Deno.test("a migration that has landed is never changed", async () => {
  const folder = new URL("../../src/store/sqlite/migrations/", import.meta.url);
  for (const [name, hash] of Object.entries(LANDED)) {
    const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(new URL(name, folder)));
    const found = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
    assert.equal(found, hash, `${name} has changed: take it back and write the change as a step of its own`);
  }
});
