// `serve` of an invented next version backs up and migrates a store with data.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openVaultFile } from "../../../src/platform/vault.ts";
import { createSqliteEngine } from "../../../src/store/sqlite/engine.ts";
import { Connection } from "../../../src/store/sqlite/connection/connection.ts";
import { sql } from "../../../src/store/sqlite/connection/sql.ts";
import { schemaVersion } from "../../../src/store/sqlite/schema/migrate.ts";
import { addCustomer, aKey, BY, matchAll, publishMany, subscribe } from "../../store/contract/given.ts";
import { NEXT_MIGRATIONS } from "../../support/next_version.ts";
import {
  assertFails,
  callApi,
  regfeedJson,
  serve,
  withConfig,
  withFolder,
  writeConfig,
} from "../../support/process.ts";
import { LOCAL_CONFIG, LOOPBACK } from "../../support/loopback.ts";

const KEY = `rgf_${"ab".repeat(32)}`;
const NEXT_VERSION = fileURLToPath(new URL("../../support/next_version.ts", import.meta.url));
const SCHEMA = createSqliteEngine().schemaVersion;

/** Creates a store with a customer and two events. Each event has a pending delivery to the URL. */
async function fill(file: string, webhookUrl: string): Promise<void> {
  const store = createSqliteEngine().open(file, (options) => openVaultFile(`${file}.key`, options));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(KEY));
  const hash = new Uint8Array(digest).toHex();
  await addCustomer(store);
  await store.addKey("cus_1", aKey("a", { hash, lastFour: "abab", label: "second" }), BY);
  await subscribe(store, "sub_1", { webhookUrl });
  await publishMany(store, 1, 2);
  await matchAll(store);
  await store.close();
}

Deno.test("serve of the next version backs up and migrates a store completely", async () => {
  const arrived: (string | null)[] = [];
  const heard = Promise.withResolvers<void>();
  const receiver = Deno.serve(LOOPBACK, async (request) => {
    await request.text();
    arrived.push(request.headers.get("webhook-id"));
    if (arrived.length === 2) heard.resolve();
    return new Response();
  });
  await withFolder(async (folder) => {
    await writeConfig(folder, LOCAL_CONFIG);
    await Deno.mkdir(join(folder, "data"));
    const file = join(folder, "data", "regfeed.db");
    await fill(file, `http://127.0.0.1:${receiver.addr.port}/hook`);

    const server = await serve(folder, {}, [], NEXT_VERSION);
    assert.equal((await (await fetch(`${server.address}/readyz`)).json()).status, "ready");
    const response = await callApi(server, KEY, "/v1/events");
    assert.equal((await response.json()).events.length, 2);
    await heard.promise;
    const { code, log } = await server.end("SIGTERM");
    assert.equal(code, 0, log);
    assert.equal(new Set(arrived).size, 2);

    const migrated = new Connection(file);
    assert.equal(schemaVersion(migrated), NEXT_MIGRATIONS.length);
    assert.equal(migrated.get(sql`select scope from api_keys where last_four = 'abab'`)?.["scope"], "");
    migrated.close();
    const [backup = ""] = [...Deno.readDirSync(join(folder, "data", "backups"))].map(({ name }) => name);
    assert.match(
      backup,
      new RegExp(`^before-schema-${NEXT_MIGRATIONS.length}-regfeed-\\d{8}T\\d{6}Z\\.tar\\.gz$`),
    );
    const verified = await regfeedJson<{ schema: number; rows: Record<string, number> }>(folder, [
      ...["backup", "verify", join("data", "backups", backup)],
    ]);
    assert.deepEqual([verified.schema, verified.rows["events"], verified.rows["deliveries"]], [SCHEMA, 2, 2]);
  });
  await receiver.shutdown();
});

Deno.test("a store with a newer schema is refused and not changed", async () => {
  await withConfig('[server]\nlisten = "127.0.0.1:0"\n', async (folder) => {
    await Deno.mkdir(join(folder, "data"));
    const file = join(folder, "data", "regfeed.db");
    createSqliteEngine(NEXT_MIGRATIONS).migrate(file, (options) => openVaultFile(`${file}.key`, options));
    const newer = new Connection(file);
    newer.script(`update schema_history set version = '7.8.9' where schema = ${NEXT_MIGRATIONS.length}`);
    newer.close();
    const before = await Deno.readFile(file);
    await assertFails(folder, "serve", 1, /start Regfeed 7\.8\.9 or a newer one/);
    assert.deepEqual(await Deno.readFile(file), before);
  });
});
