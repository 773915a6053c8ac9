// Recovery from a lost key file, with a real store and server, until deliveries have valid signatures again.
import assert from "node:assert/strict";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import {
  addCustomer,
  regfeed,
  regfeedJson,
  serve,
  type Serving,
  withFolder,
  writeConfig,
} from "../../support/process.ts";
import { LOCAL_CONFIG, LOOPBACK } from "../../support/loopback.ts";

const CONFIG = `${LOCAL_CONFIG}
[[sources]]
id = "board"
name_en = "Board"
path = "items"
base_url = "https://board.example"
fetch_strategy = "files"
schedule = "* * * * * *"
relevance = "all"
notify_first_fetch = true
`;

const item = (name: string): string =>
  `<rss version="2.0"><channel><title>Board</title><item><guid isPermaLink="false">${name}</guid>
   <link>https://board.example/${name}</link><title>Notice ${name} on the AI Act</title>
   <pubDate>Fri, 31 Jul 2026 12:00:00 GMT</pubDate></item></channel></rss>`;

async function ask(
  server: Serving,
  key: string,
  method: string,
  path: string,
  body?: unknown,
  again?: string,
) {
  const response = await fetch(server.address + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      ...(again === undefined ? {} : { "idempotency-key": again }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, ...await response.json() };
}

function startReceiver() {
  const arrived: { body: string; headers: Record<string, string> }[] = [];
  let heard: () => void = () => {};
  const next = new Promise<void>((resolve) => heard = resolve);
  const server = Deno.serve(LOOPBACK, async (request) => {
    arrived.push({ body: await request.text(), headers: Object.fromEntries(request.headers) });
    heard();
    return new Response(null, { status: 204 });
  });
  return {
    arrived,
    next,
    address: `http://127.0.0.1:${server.addr.port}/`,
    close: () => server.shutdown(),
  };
}

interface Given {
  folder: string;
  keyFile: string;
  key: string;
  customerId: string;
  hook: string;
  /** The enabled subscription, which was created with an `Idempotency-Key`, and its secret. */
  id: string;
  lost: string;
  offId: string;
}

async function prepare(folder: string, hook: string): Promise<Given> {
  await Deno.mkdir(join(folder, "items"));
  await writeConfig(folder, CONFIG);
  const unmade = await regfeed(folder, "store new-key --yes");
  assert.deepEqual([unmade.code, /no database at/.test(unmade.stderr)], [1, true], unmade.stderr);
  const { key, customer } = await addCustomer(folder, "a@board.example");
  const server = await serve(folder);
  const request = { webhook_url: hook, headers: { "x-key": "0wn" } };
  const made = await ask(server, key, "POST", "/v1/subscriptions", request, "first");
  const { id, webhook_secret: lost } = made.subscription;
  const off = await ask(server, key, "POST", "/v1/subscriptions", { webhook_url: `${hook}off` });
  const offId = off.subscription.id;
  await ask(server, key, "PATCH", `/v1/subscriptions/${offId}`, { enabled: false });
  const busy = await regfeed(folder, "store new-key --yes");
  assert.match(busy.stderr, /no new key is needed/);
  await server.end("SIGTERM");
  const keyFile = join(folder, "data/regfeed.db.key");
  return { folder, keyFile, key, customerId: customer.id, hook, id, lost, offId };
}

/** Follows the operator's steps. */
async function giveUp({ folder, keyFile, customerId, id, offId }: Given): Promise<void> {
  await Deno.rename(keyFile, `${keyFile}.gone`);
  const refused = await regfeed(folder, "serve");
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /key file .* is missing.*`regfeed store new-key --yes` creates a new key/);
  // Commands that do not use sealed data need no key, and create none.
  const { customers } = await regfeedJson<{ customers: { id: string }[] }>(folder, "customer list");
  assert.deepEqual(customers.map((one) => one.id), [customerId]);
  for (
    const line of [`customer show ${customerId}`, `customer set-tier ${customerId} team`, "delivery list"]
  ) {
    const { code, stderr } = await regfeed(folder, line);
    assert.equal(code, 0, stderr);
  }
  const ill = await regfeed(folder, "doctor --offline");
  assert.match(ill.stdout, /If the key is lost permanently, .*`regfeed store new-key --yes`/);
  const asked = await regfeed(folder, "store new-key");
  assert.equal(asked.code, 2);
  assert.match(asked.stderr, /add --yes to confirm: this permanently discards the secrets/);
  await assert.rejects(Deno.stat(keyFile));

  const done = await regfeedJson<{ backup: string; customers: Record<string, string[]> }>(
    folder,
    "store new-key --yes",
  );
  assert.deepEqual(done.customers, { [customerId]: [id, offId].sort() });
  assert.equal((await Deno.stat(keyFile)).mode! & 0o777, 0o600);
  assert.ok((await Deno.stat(done.backup)).size > 0);
  const well = await regfeed(folder, "doctor --offline");
  assert.match(well.stdout, /regfeed\.db\.key is the database's key/);
  const audit = await regfeedJson<{ audit: { act: string }[] }>(folder, "audit list");
  assert.deepEqual(audit.audit.slice(0, 2).map(({ act }) => act), ["secrets.give-up", "store.new-key"]);
  const { mails } = await regfeedJson<{ mails: { kind: string }[] }>(folder, "mail list");
  const told = mails.filter(({ kind }) => kind === "delivery-disabled");
  assert.equal(told.length, 1, "the owner of the enabled subscription");
}

/** Follows the customer's steps, and returns the new secret. */
async function renew(server: Serving, { key, id, hook }: Given): Promise<string> {
  const path = `/v1/subscriptions/${id}`;
  const listed = await ask(server, key, "GET", "/v1/subscriptions");
  assert.deepEqual(
    listed.subscriptions.map((one: { disabled_by: string }) => one.disabled_by),
    ["key-lost", "key-lost"],
  );
  assert.deepEqual(listed.subscriptions.map((one: { header_names: string[] }) => one.header_names), [[
    "x-key",
  ], []]);
  const early = await ask(server, key, "PATCH", path, { enabled: true });
  assert.equal(early.code, "subscription_key_lost");
  assert.equal((await ask(server, key, "POST", `${path}/test`)).status, 409);
  const repeated = await ask(server, key, "POST", "/v1/subscriptions", { webhook_url: hook }, "first");
  assert.notEqual(repeated.subscription?.id, id, "the stored response with the lost secret is removed");
  await ask(server, key, "DELETE", `/v1/subscriptions/${repeated.subscription.id}`);
  const rotated = await ask(server, key, "POST", `${path}/rotate-secret`);
  assert.deepEqual(
    [rotated.status, rotated.subscription.disabled_by, rotated.previous_secret_until],
    [200, "owner", null],
  );
  const without = await ask(server, key, "PATCH", path, { enabled: true });
  assert.deepEqual([without.status, without.errors[0].field], [400, "headers"]);
  assert.match(without.detail, /must be sent again, because the operator has lost their values/);
  const enabled = await ask(server, key, "PATCH", path, { enabled: true, headers: { "x-key": "new" } });
  assert.equal(enabled.status, 200);
  return rotated.subscription.webhook_secret;
}

Deno.test("after the key is lost, the error names the solution, and new deliveries have valid signatures", () =>
  withFolder(async (folder) => {
    const receiver = startReceiver();
    try {
      const given = await prepare(folder, receiver.address);
      await giveUp(given);
      const server = await serve(folder);
      await Deno.writeTextFile(join(folder, "items/one.xml"), item("one"));
      const secret = await renew(server, given);
      await receiver.next;
      const [delivery] = receiver.arrived;
      assert.ok(delivery !== undefined);
      assert.equal(delivery.headers["webhook-signature"]?.split(" ").length, 2);
      assert.equal(delivery.headers["x-key"], "new");
      new Webhook(secret).verify(delivery.body, delivery.headers);
      new Webhook(secret, { format: "raw" }).verify(delivery.body, delivery.headers);
      assert.throws(() => new Webhook(given.lost).verify(delivery.body, delivery.headers));
      assert.equal((await server.end("SIGTERM")).code, 0);

      // The old key is found too late: it no longer fits the store, and the error says so.
      await Deno.rename(`${given.keyFile}.gone`, given.keyFile);
      const wrong = await regfeed(folder, "doctor --offline");
      assert.equal(wrong.code, 1);
      assert.match(wrong.stdout, /PROBLEM {2}the key file does not belong to this database/);
    } finally {
      await receiver.close();
    }
  }));
