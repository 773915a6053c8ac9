// An upgrade: a store of every earlier schema, with data in it, is backed up and brought up to date by `serve`.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openVaultFile } from "../../src/platform/vault.ts";
import { Connection } from "../../src/store/sqlite/connection.ts";
import { migrate, SCHEMA_VERSION, schemaVersion } from "../../src/store/sqlite/migrate.ts";
import { regfeed, regfeedJson, serve, withFolder, writeConfig } from "../support/process.ts";

const KEY = `rgf_${"ab".repeat(32)}`;

/** The first schema, as the Regfeed of that time made it. */
const FIRST = Deno.readTextFileSync(
  new URL("../../src/store/sqlite/migrations/0001_foundation.sql", import.meta.url),
);

/** What a store of the first schema held: a customer, an event, a subscription, a delivery that waits and one that is done. */
async function firstData(receiver: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(KEY));
  const hash = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const event = (number: number) =>
    JSON.stringify({
      id: `evt_0000000000000000000000000${number}`,
      source_id: "board",
      event_type: "guidance",
      topics: ["gpai"],
      severity: "high",
      title_en: `Notice ${number}`,
      summary_en: "Text.",
      url_official: `https://board.example/${number}`,
      ai_act_articles: ["Art. 53"],
      published_at: 1_785_000_000_000 + number,
      published_at_estimated: false,
      ingested_at: 1_785_000_000_000,
      version: 1,
      language_versions: ["en"],
      external_id: `item-${number}`,
      supersedes: null,
      language: "en",
      translations: {},
    });
  const provenance = JSON.stringify({ rules_version: "1" });
  const rows = [1, 2].map((number) => `
    insert into events (id, source_id, external_id, version, severity, published_at, json, provenance)
    values ('evt_0000000000000000000000000${number}', 'board', 'item-${number}', 1, 3, ${
    1_785_000_000_000 + number
  },
      '${event(number)}', '${provenance}');
    insert into publications (source_id, key, external_id, content_hash, version, latest_seq)
    values ('board', 'guid:item-${number}', 'item-${number}', 'hash-${number}', 1, ${number});
    insert into event_words (rowid, words) values (${number}, 'Notice ${number} Text.');
    insert into deliveries (id, subscription_id, event_id, sequence, status, attempts, next_attempt_at, quota_month,
      created_at, finished_at)
    values ('dlv_0000000000000000000000000${number}', 'sub_00000000000000000000000001', 'evt_0000000000000000000000000${number}',
      ${number}, '${number === 1 ? "delivered" : "pending"}', ${
    2 - number
  }, 1785000000000, '2026-07', 1785000000000,
      ${number === 1 ? 1_785_000_001_000 : "null"});
    insert into delivery_bodies (delivery_seq, body) values (${number}, '{"number":${number}}');`).join("");
  return `
    insert into customers (id, email, tier, enabled, limits, created_at)
    values ('cus_00000000000000000000000001', 'ana@example.org', 'team', 1, '{}', 1785000000000);
    insert into api_keys (hash, customer_id, last_four, created_at)
    values ('${hash}', 'cus_00000000000000000000000001', 'abab', 1785000000000);
    insert into sources (id, cursor, identity_rule, first_success_at, last_attempt_at, last_success_at, next_due_at)
    values ('board', null, 'guid', 1785000000000, 1785000000000, 1785000000000, 1785000000000);
    insert into subscriptions (id, customer_id, webhook_url, webhook_secret, topics, source_filter, severity_min,
      language, identity, created_at, after_seq, next_sequence)
    values ('sub_00000000000000000000000001', 'cus_00000000000000000000000001', '${receiver}',
      '${"cd".repeat(32)}', '[]', '[]', 'info', 'en', 'one', 1785000000000, 0, 3);
    ${rows}`;
}

for (let schema = 1; schema < SCHEMA_VERSION; schema++) {
  Deno.test(`serve backs up a store of schema ${schema} and brings it up to date with all that it holds`, async () => {
    const arrived: { id: string | null; body: string }[] = [];
    const heard = Promise.withResolvers<void>();
    const receiver = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
      arrived.push({ id: request.headers.get("webhook-id"), body: await request.text() });
      heard.resolve();
      return new Response();
    });
    await withFolder(async (folder) => {
      await writeConfig(
        folder,
        `
        [server]
        listen = "127.0.0.1:0"
        [delivery]
        allow_http = true
        allow_networks = ["127.0.0.0/8"]
      `,
      );
      await Deno.mkdir(join(folder, "data"));
      const file = join(folder, "data", "regfeed.db");
      const old = new DatabaseSync(file);
      old.exec("pragma auto_vacuum = incremental; pragma journal_mode = wal;");
      old.exec(FIRST);
      old.exec(await firstData(`http://127.0.0.1:${receiver.addr.port}/hook`));
      old.exec("pragma user_version = 1");
      old.close();
      const connection = new Connection(file);
      migrate(connection, (options) => openVaultFile(`${file}.key`, options), { upTo: schema });
      assert.equal(schemaVersion(connection), schema);
      connection.close();

      const server = await serve(folder);
      assert.equal((await (await fetch(`${server.address}/readyz`)).json()).status, "ready");
      const answer = await fetch(`${server.address}/v1/events?q=notice`, {
        headers: { authorization: `Bearer ${KEY}` },
      });
      const { events } = await answer.json();
      assert.deepEqual(events.map(({ title_en }: { title_en: string }) => title_en), [
        "Notice 2",
        "Notice 1",
      ]);
      await heard.promise;
      const { code, log } = await server.end("SIGTERM");
      assert.equal(code, 0, log);
      assert.deepEqual(arrived, [{ id: "dlv_00000000000000000000000002", body: '{"number":2}' }]);

      const [backup = ""] = [...Deno.readDirSync(join(folder, "data", "backups"))].map(({ name }) => name);
      assert.match(backup, new RegExp(`^before-schema-${SCHEMA_VERSION}-regfeed-\\d{8}T\\d{6}Z\\.tar\\.gz$`));
      const verified = await regfeedJson<{ schema: number; rows: Record<string, number> }>(folder, [
        "backup",
        "verify",
        join("data", "backups", backup),
      ]);
      assert.deepEqual([verified.schema, verified.rows["events"], verified.rows["deliveries"]], [
        schema,
        2,
        2,
      ]);
    });
    await receiver.shutdown();
  });
}

Deno.test("a store of a newer schema is refused by name and left as it is", async () => {
  await withFolder(async (folder) => {
    await writeConfig(folder, '[server]\nlisten = "127.0.0.1:0"\n');
    await Deno.mkdir(join(folder, "data"));
    const file = join(folder, "data", "regfeed.db");
    const newer = new Connection(file);
    migrate(newer, (options) => openVaultFile(`${file}.key`, options));
    newer.script(`
      insert into schema_history (schema, version) values (${SCHEMA_VERSION + 1}, '7.8.9');
      pragma user_version = ${SCHEMA_VERSION + 1};
    `);
    newer.close();
    const before = await Deno.readFile(file);
    const { code, stderr } = await regfeed(folder, ["serve"]);
    assert.equal(code, 1);
    assert.match(stderr, /start Regfeed 7\.8\.9 or a newer one/);
    assert.deepEqual(await Deno.readFile(file), before);
  });
});
