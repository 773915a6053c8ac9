// Sealed data: the files never contain a secret in plain text, not even an old one.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createVault, openVaultFile } from "../../../src/platform/vault.ts";
import { Connection } from "../../../src/store/sqlite/connection/connection.ts";
import { sql } from "../../../src/store/sqlite/connection/sql.ts";
import { openStore } from "../../../src/store/sqlite/store.ts";
import { testVault } from "../../support/vault.ts";
import {
  addCustomer,
  addSubscriber,
  aSubscription,
  claimAll,
  publishMatched,
  subscribe,
  T0,
} from "../contract/given.ts";
import { withFile } from "./files.ts";

async function filesWith(folder: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    const bytes = await Deno.readFile(join(folder, name));
    if (new TextDecoder("latin1").decode(bytes).includes(text)) found.push(name);
  }
  return found;
}

/** Returns 64 hexadecimal characters that occur nowhere else. */
const secretOf = (number: number): string => (number + 0xabc000).toString(16).repeat(11).slice(0, 64);

const hashOf = (number: number): string => (number + 0xdef000).toString(16).repeat(11).slice(0, 64);

const headerOf = (number: number): string => `key-of-owner-${number}-`.repeat(3);

Deno.test("the file and its log contain no webhook secret, no custom header, no stored response and no hash of a request in plain text", () =>
  withFile(async (file, folder) => {
    const store = openStore(file, testVault);
    await addCustomer(store);
    const secrets = Array.from({ length: 40 }, (_, at) => secretOf(at));
    for (const [at, webhookSecret] of secrets.entries()) {
      const answer = {
        key: `key-${at}`,
        requestHash: hashOf(at),
        json: JSON.stringify({ webhook_secret: webhookSecret }),
      };
      const own = { headers: { "x-key": headerOf(at) }, headerNames: ["x-key"] };
      const subscription = aSubscription(`sub_${at}`, { webhookSecret, ...own });
      await store.addSubscription(subscription, 99, { response: answer });
    }
    await store.deleteSubscription("cus_1", "sub_3", { nowMs: T0, activeLimit: 100 });
    await store.removeResponses(T0);
    const files = await filesWith(folder, "https://sub-1.example");
    assert.ok(files.length > 0, "the search can find data that is not secret");
    const hidden = secrets.flatMap((secret, at) => [secret, headerOf(at), hashOf(at)]);
    for (const secret of hidden) assert.deepEqual(await filesWith(folder, secret), [], secret);
    const found = await store.findSubscription("cus_1", "sub_7");
    assert.deepEqual([found?.webhookSecret, found?.headers], [secrets[7], { "x-key": headerOf(7) }]);
    await store.close();
    for (const secret of hidden) assert.deepEqual(await filesWith(folder, secret), [], secret);
  }));

Deno.test("a deleted subscription keeps no custom headers, not even sealed", () =>
  withFile(async (file) => {
    const store = openStore(file, testVault);
    const outside = new Connection(file);
    await addCustomer(store);
    await subscribe(store, "sub_1", { headers: { "x-key": "s3cret" }, headerNames: ["x-key"] });
    const sealed = () => outside.all(sql`select 1 from subscriptions where headers is not null`).length;
    assert.equal(sealed(), 1);
    await store.deleteSubscription("cus_1", "sub_1", { nowMs: T0, activeLimit: 100 });
    assert.equal(sealed(), 0);
    outside.close();
    await store.close();
  }));

Deno.test("claimDeliveries() returns the current secret, even if it has changed since the last claim", () =>
  withFile(async (file) => {
    const store = openStore(file, testVault);
    const outside = new Connection(file);
    const place = { table: "subscriptions", id: "sub_1" };
    const vault = testVault();
    await addCustomer(store);
    const { webhookSecret } = await subscribe(store, "sub_1");
    await publishMatched(store, 1, 3);
    const claimOne = async (nowMs: number) => (await claimAll(store, nowMs, { limit: 1 }))[0]?.webhookSecrets;
    assert.deepEqual(await claimOne(T0), [webhookSecret]);
    const next = secretOf(1);
    outside.run(
      sql`update subscriptions set previous_secret = secret, previous_secret_until = ${
        T0 + 1_000
      }, secret = ${vault.seal(next, place)} where id = 'sub_1'`,
    );
    assert.deepEqual(await claimOne(T0 + 999), [next, webhookSecret], "both sign until the given time");
    assert.deepEqual(await claimOne(T0 + 1_000), [next]);
    outside.close();
    await store.close();
  }));

Deno.test("openStore() refuses a missing or wrong key with a clear message, and changes nothing", () =>
  withFile(async (file, folder) => {
    const source = (options: { mayMake: boolean }) => openVaultFile(`${file}.key`, options);
    const store = openStore(file, source);
    await addSubscriber(store);
    await store.close();
    const before = await Deno.readFile(file);
    const key = await Deno.readFile(`${file}.key`);
    await Deno.remove(`${file}.key`);
    assert.throws(() => openStore(file, source), /key file .* is missing.*created with --secret-key/);
    const other = createVault(new Uint8Array(32).fill(9));
    assert.throws(() => openStore(file, () => other), /key file does not belong to this database/);
    assert.deepEqual(await Deno.readFile(file), before);
    await Deno.writeFile(join(folder, "restored.key"), key, { mode: 0o600 });
    await openStore(file, (options) => openVaultFile(join(folder, "restored.key"), options)).close();
  }));
