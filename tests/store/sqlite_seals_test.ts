// What is sealed in the SQLite file: no secret is found in the bytes of any of its files, also not an old one.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Store } from "../../src/domain/store.ts";
import { createVault, openVaultFile } from "../../src/platform/vault.ts";
import { Connection } from "../../src/store/sqlite/connection.ts";
import { SCHEMA_VERSION, schemaVersion } from "../../src/store/sqlite/migrate.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { testVault } from "../support/vault.ts";
import {
  addCustomer,
  anEvent,
  aSubscription,
  claimAll,
  matchAll,
  publishMany,
  subscribe,
  T0,
} from "./contract/given.ts";
import { TEMPORARY } from "../support/temporary.ts";

const FOUNDATION = new URL("../../src/store/sqlite/migrations/0001_foundation.sql", import.meta.url);

async function withFolder(work: (folder: string, file: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ ...TEMPORARY, prefix: "regfeed-seals-" });
  try {
    await work(folder, join(folder, "regfeed.db"));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The names of a folder's files that hold a text. */
async function filesWith(folder: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    const bytes = await Deno.readFile(join(folder, name));
    if (new TextDecoder("latin1").decode(bytes).includes(text)) found.push(name);
  }
  return found;
}

/** 64 hexadecimal characters that occur nowhere else. */
const secretOf = (number: number): string => (number + 0xabc000).toString(16).repeat(11).slice(0, 64);

Deno.test("no webhook secret and no remembered answer stands in the file or its log in clear", () =>
  withFolder(async (folder, file) => {
    const store = openStore(file, testVault);
    await addCustomer(store);
    const secrets = Array.from({ length: 40 }, (_, at) => secretOf(at));
    for (const [at, webhookSecret] of secrets.entries()) {
      const answer = {
        key: `key-${at}`,
        requestHash: "h",
        json: JSON.stringify({ webhook_secret: webhookSecret }),
      };
      await store.addSubscription(aSubscription(`sub_${at}`, { webhookSecret }), 99, { answer });
    }
    await store.deleteSubscription("cus_1", "sub_3", { nowMs: T0, activeLimit: 100 });
    await store.forgetAnswers(T0);
    const files = await filesWith(folder, "https://sub-1.example");
    assert.ok(files.length > 0, "what is no secret stands there, so the search finds what is there");
    for (const secret of secrets) assert.deepEqual(await filesWith(folder, secret), [], secret);
    assert.equal((await store.findSubscription("cus_1", "sub_7"))?.webhookSecret, secrets[7]);
    await store.close();
    for (const secret of secrets) assert.deepEqual(await filesWith(folder, secret), [], secret);
  }));

Deno.test("claimDeliveries() opens the secret that stands, also when it has changed since the last claim", () =>
  withFolder(async (_, file) => {
    const store = openStore(file, testVault);
    const outside = new Connection(file);
    const place = { table: "subscriptions", id: "sub_1" };
    const vault = testVault();
    await addCustomer(store);
    const { webhookSecret } = await subscribe(store, "sub_1");
    await publishMany(store, 1, 3);
    await matchAll(store);
    const claimOne = async (nowMs: number) => (await claimAll(store, nowMs, { limit: 1 }))[0]?.webhookSecrets;
    assert.deepEqual(await claimOne(T0), [webhookSecret]);
    const next = secretOf(1);
    outside.run(
      `update subscriptions set previous_secret = secret, previous_secret_until = ?, secret = ? where id = 'sub_1'`,
      T0 + 1_000,
      vault.seal(next, place),
    );
    assert.deepEqual(await claimOne(T0 + 999), [next, webhookSecret], "both sign until the time");
    assert.deepEqual(await claimOne(T0 + 1_000), [next]);
    outside.close();
    await store.close();
  }));

/** A database as schema 1 left it, with secrets in clear, also in pages that are free. */
async function oldDatabase(file: string, secrets: readonly string[]): Promise<void> {
  const connection = new Connection(file);
  connection.prepareFile();
  connection.script(await Deno.readTextFile(FOUNDATION));
  connection.run("insert into customers values ('cus_1', 'a@example.org', 'team', 1, '{}', 0)");
  for (const [at, secret] of secrets.entries()) {
    connection.run(
      `insert into subscriptions (id, customer_id, webhook_url, webhook_secret, topics, source_filter, severity_min,
         language, identity, created_at, after_seq, disabled_at)
       values (?, 'cus_1', 'https://a.example/', ?, '[]', '[]', 'info', 'en', ?, 1, 0, ?)`,
      `sub_${at}`,
      secret,
      String(at),
      at === 1 ? 5 : null,
    );
    connection.run(
      "insert into remembered_answers values ('cus_1', ?, 'h', ?, ?)",
      `key-${at}`,
      JSON.stringify({ webhook_secret: secret, padding: "x".repeat(3_000) }),
      at,
    );
  }
  connection.run(
    `insert into events (seq, id, source_id, external_id, version, severity, published_at, json, provenance)
     values (1, 'evt_1', 's', 'x', 1, 0, 0, ?, '{}'), (2, 'evt_2', 's', 'y', 1, 0, 0, ?, '{}')`,
    ...["evt_1", "evt_2"].map((id) => JSON.stringify(anEvent(id))),
  );
  connection.run(
    `insert into deliveries (seq, id, subscription_id, event_id, sequence, status, hold_reason, attempts,
       next_attempt_at, quota_month, created_at, finished_at)
     values (7, 'dlv_1', 'sub_0', 'evt_1', 1, 'delivered', null, 2, 9, '2026-07', 3, 8),
            (9, 'dlv_2', 'sub_1', 'evt_1', 1, 'held', 'disabled', 0, 9, null, 4, null)`,
  );
  connection.run("insert into delivery_bodies values (7, 'one'), (9, 'two')");
  connection.run("insert into attempts values ('dlv_1', 1, 5, 6, 500, 'no'), ('dlv_1', 2, 7, 6, 200, null)");
  connection.run("delete from remembered_answers where created_at > 20");
  connection.script("pragma user_version = 1");
  connection.close();
}

Deno.test("a database with secrets in clear is sealed when it is opened, and keeps none of them anywhere", () =>
  withFolder(async (folder, file) => {
    const secrets = Array.from({ length: 200 }, (_, at) => secretOf(at));
    await oldDatabase(file, secrets);
    assert.deepEqual(await filesWith(folder, secrets[150] ?? ""), ["regfeed.db"]);
    const store: Store = openStore(file, (options) => openVaultFile(`${file}.key`, options));
    for (const secret of secrets) assert.deepEqual(await filesWith(folder, secret), [], secret);
    assert.equal((await store.findSubscription("cus_1", "sub_0"))?.webhookSecret, secrets[0]);
    assert.equal((await store.findSubscription("cus_1", "sub_1"))?.disabledBy, "gone");
    const answer = await store.findAnswer("cus_1", "key-4", 0);
    assert.equal(JSON.parse(answer?.json ?? "{}").webhook_secret, secrets[4]);
    assert.equal(await store.findAnswer("cus_1", "key-40", 0), null);
    await store.close();

    const connection = new Connection(file);
    assert.equal(schemaVersion(connection), SCHEMA_VERSION);
    assert.deepEqual(connection.all("pragma foreign_key_check"), []);
    assert.deepEqual(connection.all("pragma integrity_check").map((row) => row["integrity_check"]), ["ok"]);
    const kept = connection.all(
      `select seq, id, customer_id as customer, status, attempts, tries, arrived_at as arrived, finished_at as finished
       from deliveries order by seq`,
    ).map((row) => ({ ...row }));
    assert.deepEqual(kept, [
      {
        seq: 7,
        id: "dlv_1",
        customer: "cus_1",
        status: "delivered",
        attempts: 2,
        tries: 2,
        arrived: 8,
        finished: 8,
      },
      {
        seq: 9,
        id: "dlv_2",
        customer: "cus_1",
        status: "held",
        attempts: 0,
        tries: 0,
        arrived: null,
        finished: null,
      },
    ]);
    assert.equal(connection.get("select count(*) as bodies from delivery_bodies")?.["bodies"], 2);
    assert.equal(connection.get("select count(*) as attempts from attempts")?.["attempts"], 2);
    const next = connection.get(
      `insert into deliveries (id, customer_id, subscription_id, event_id, sequence, status, next_attempt_at, decided_at,
         created_at) values ('dlv_3', 'cus_1', 'sub_2', 'evt_2', 1, 'pending', 0, 0, 0) returning seq`,
    );
    assert.equal(next?.["seq"], 10, "no number is given twice");
    connection.close();
  }));

Deno.test("openStore() refuses a lost and a wrong key in clear words, and changes nothing", () =>
  withFolder(async (folder, file) => {
    const source = (options: { mayMake: boolean }) => openVaultFile(`${file}.key`, options);
    const store = openStore(file, source);
    await addCustomer(store);
    await subscribe(store, "sub_1");
    await store.close();
    const before = await Deno.readFile(file);
    const key = await Deno.readFile(`${file}.key`);
    await Deno.remove(`${file}.key`);
    assert.throws(() => openStore(file, source), /key file .* is missing.*made with --secret-key/);
    const other = createVault(new Uint8Array(32).fill(9));
    assert.throws(() => openStore(file, () => other), /key file does not belong to this database/);
    assert.deepEqual(await Deno.readFile(file), before);
    await Deno.writeFile(join(folder, "restored.key"), key, { mode: 0o600 });
    await openStore(file, (options) => openVaultFile(join(folder, "restored.key"), options)).close();
  }));
