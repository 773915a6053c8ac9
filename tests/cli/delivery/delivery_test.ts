// The `delivery` commands while a server runs.
import assert from "node:assert/strict";
import { join } from "node:path";
import { readSince } from "../../../src/cli/time_argument.ts";
import { CommandError } from "../../../src/server/command_context.ts";
import {
  addCustomer,
  callApi,
  type Finished,
  regfeed,
  regfeedJson,
  serve,
  withConfig,
} from "../../support/process.ts";
import { INBOX_CONFIG, rss } from "../../support/samples.ts";
import { LOOPBACK } from "../../support/loopback.ts";

/** The operator must see neither the receiver's response nor this part of its URL. */
const ANSWER = "Dear Ana, the import of 7 rows broke";
const PATH_SECRET = "hook-4711-of-ana";
const UNKNOWN = "00000000000000000000000000";

interface Row {
  id: string;
  status: string;
  reason: string | null;
  created_at: number;
  event_id: string;
  customer_id: string;
  subscription_id: string;
}

type Json = Record<string, unknown>;

interface Given {
  folder: string;
  /** Calls the API as the subscription's owner. */
  // deno-lint-ignore no-explicit-any
  ask(path: string, body?: unknown, method?: string): Promise<any>;
  /** The received requests, and the status to respond with. */
  receiver: { arrived: { id: string | null; body: string }[]; status: number };
  subscription: { id: string; webhook_secret: string };
  customerId: string;
}

/** Runs the work with a server, one event and one subscription. */
async function withDelivery(work: (given: Given) => Promise<void>): Promise<void> {
  await withConfig(INBOX_CONFIG, async (folder) => {
    await Deno.mkdir(join(folder, "inbox"));
    await Deno.writeTextFile(join(folder, "inbox", "a.xml"), rss([{ id: "1", title: "AI Act: one" }]));
    await regfeedJson(folder, "ingest inbox");
    const { customer, key } = await addCustomer(folder);
    const receiver: Given["receiver"] = { arrived: [], status: 503 };
    const endpoint = Deno.serve(LOOPBACK, async (request) => {
      receiver.arrived.push({ id: request.headers.get("webhook-id"), body: await request.text() });
      return new Response(receiver.status === 503 ? ANSWER : null, { status: receiver.status });
    });
    const server = await serve(folder);
    try {
      const ask: Given["ask"] = async (path, body, method) => {
        return await (await callApi(server, key, path, body, method)).json();
      };
      const hook = `http://127.0.0.1:${endpoint.addr.port}/${PATH_SECRET}`;
      const made = await ask("/v1/subscriptions", { webhook_url: hook, backfill_since: 0 });
      await work({ folder, ask, receiver, subscription: made.subscription, customerId: customer.id });
    } finally {
      await server.end("SIGTERM");
      await endpoint.shutdown();
    }
  });
}

/** Repeats a request until its response meets the condition. */
async function until<T>(ask: () => Promise<T>, isWanted: (answer: T) => boolean): Promise<T> {
  for (let tries = 0; tries < 600; tries++) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    await new Promise((again) => setTimeout(again, 50));
  }
  return assert.fail("the condition was not met in time");
}

/** Returns the first delivery of the subscription once it meets the condition. */
async function firstDelivery({ ask }: Given, isWanted: (row: Row) => boolean): Promise<Row> {
  const { deliveries } = await until<{ deliveries: Row[] }>(
    () => ask("/v1/deliveries"),
    ({ deliveries: [row] }) => row !== undefined && isWanted(row),
  );
  return deliveries[0] as Row;
}

const isDelivered = ({ ask }: Given, { id }: Row) =>
  until(() => ask(`/v1/deliveries/${id}`), ({ delivery }) => delivery.status === "delivered");

const lines = ({ stdout }: Finished): string[] => stdout.trimEnd().split("\n");

async function checkLists({ folder, ask, subscription, customerId }: Given, row: Row): Promise<void> {
  const list = (...more: string[]) =>
    regfeedJson<{ deliveries: Row[]; next: string | null }>(folder, ["delivery", "list", ...more]);
  const { deliveries: [own] } = await ask("/v1/deliveries");
  const { deliveries, next } = await list();
  assert.deepEqual([deliveries, next], [[{ ...own, customer_id: customerId }], null]);
  const found: string[][] = [
    ["--customer", "ana@b.example"],
    ["--customer", customerId, "--subscription", subscription.id],
    ["--subscription", subscription.id, "--status", "pending"],
    ["--status", "failed,pending", "--since", "1h"],
    ["--event", row.event_id, "--since", new Date(row.created_at).toISOString()],
    ["--since", "2026-01-01", "--limit", "1"],
  ];
  for (const options of found) {
    assert.deepEqual((await list(...options)).deliveries.map(({ id }) => id), [row.id], options.join(" "));
  }
  const none: string[][] = [
    ["--status", "delivered,failed,held,cancelled"],
    ["--since", String(row.created_at + 1)],
    ["--event", `evt_${UNKNOWN}`],
    ["--before", row.id],
    ["--customer", customerId, "--since", String(row.created_at + 1)],
  ];
  for (const options of none) assert.deepEqual((await list(...options)).deliveries, [], options.join(" "));
  const shown = lines(await regfeed(folder, "delivery list"));
  assert.equal(shown.length, 2);
  assert.match(
    shown[1] ?? "",
    new RegExp(`^${row.id} .* pending +2 .*${customerId} +the endpoint responded with 503$`),
  );
}

async function checkWrongUse({ folder, customerId }: Given, row: Row): Promise<void> {
  const rows: [args: string[], code: number, said: RegExp][] = [
    [["list", "--status", "sent"], 2, /--status must be one or more of pending, delivered, .*, not "sent"/],
    [["list", "--since", "yesterday"], 2, /--since must be a duration before now \(36h, 7d\)/],
    [["list", "--event", "sub_1"], 2, /--event must be an event id/],
    [["list", "--limit", "0"], 2, /--limit must be a whole number of at least 1/],
    [["list", "--before", `dlv_${UNKNOWN}`], 1, /there is no delivery dlv_0+;/],
    [["list", "--customer", "cus_nobody"], 1, /there is no customer cus_nobody/],
    [
      ["list", "--subscription", `sub_${UNKNOWN}`],
      1,
      /there is no subscription sub_0+; `regfeed customer show/,
    ],
    [["show", "evt_1"], 1, /there is no delivery evt_1; `regfeed delivery list` lists all deliveries/],
    [["show", `dlv_${UNKNOWN}`], 1, /there is no delivery dlv_0+/],
    [["show"], 2, /DELIVERY is missing/],
    [["replay", `dlv_${UNKNOWN}`], 1, /there is no delivery dlv_0+/],
    [
      ["replay", row.id],
      1,
      /is not sent again: it is pending and will be sent automatically; `regfeed delivery show` shows/,
    ],
  ];
  for (const [args, code, said] of rows) {
    const ended = await regfeed(folder, ["delivery", ...args]);
    assert.deepEqual([ended.code, ended.stdout], [code, ""], args.join(" "));
    assert.match(ended.stderr, said, args.join(" "));
  }
  const other = await regfeedJson<{ customer: { id: string } }>(folder, [
    ...["customer", "add", "--email", "bob@b.example"],
  ]);
  const foreign = ["--customer", other.customer.id, "--subscription", row.subscription_id];
  const { code, stderr } = await regfeed(folder, ["delivery", "list", ...foreign]);
  assert.deepEqual([code, stderr.includes(`belongs to ${customerId}`)], [1, true], stderr);
}

Deno.test("delivery list and show print what the API returns, except the endpoint's response", () =>
  withDelivery(async (given) => {
    const { folder, ask, subscription, customerId } = given;
    const row = await firstDelivery(given, ({ reason }) => reason?.includes("503") === true);
    // The second attempt is due after five seconds, the third after a minute.
    await until(() => ask(`/v1/deliveries/${row.id}`), ({ delivery }) => delivery.attempts.length === 2);
    const { delivery: own } = await ask(`/v1/deliveries/${row.id}`);
    assert.equal(own.attempts[0].answer, ANSWER, "the owner sees it");
    const { delivery } = await regfeedJson<{ delivery: Json }>(folder, [
      ...["delivery", "show", row.id],
    ]);
    const endpoint = String(delivery["endpoint"]);
    assert.match(endpoint, /^http:\/\/127\.0\.0\.1:\d+$/);
    const attempts = own.attempts.map(({ answer: _, ...rest }: { answer: string }) => rest);
    const { payload, ...rest } = own;
    assert.deepEqual(delivery, { ...rest, customer_id: customerId, endpoint, attempts });
    const sent = await regfeed(folder, `delivery show ${row.id} --payload`);
    assert.equal(sent.stdout, `${payload}\n`);
    const whole = await regfeedJson<{ delivery: Json }>(folder, `delivery show ${row.id} --payload`);
    assert.equal(whole.delivery["payload"], given.receiver.arrived[0]?.body);
    const shown = await regfeed(folder, `delivery show ${row.id}`);
    assert.match(shown.stdout, /^ {2}status {8}pending\n {2}why {11}the last attempt failed: .*503$/m);
    assert.match(
      shown.stdout,
      /^ {2}endpoint +http:\/\/\S+, failing since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/m,
    );
    assert.match(
      shown.stdout,
      /^ {2}2 {2}2\d{3}-\d\d-\d\d [\d:]{8} +\d+ +503 {2}the endpoint responded with 503$/m,
    );
    for (const text of [JSON.stringify(delivery), shown.stdout]) {
      for (const secret of [ANSWER, PATH_SECRET, subscription.webhook_secret]) {
        assert.ok(!text.includes(secret), `${secret} in ${text}`);
      }
    }
    await checkLists(given, row);
    await checkWrongUse(given, row);
  }));

Deno.test("delivery replay sends a finished delivery again with the same id and bytes, and is audited", () =>
  withDelivery(async (given) => {
    const { folder, ask, receiver, subscription, customerId } = given;
    const row = await firstDelivery(given, ({ reason }) => reason?.includes("503") === true);
    assert.equal((await regfeed(folder, `delivery send ${row.id}`)).code, 0);
    receiver.status = 204;
    await checkReplay(given, row);
    const { audit } = await regfeedJson<{ audit: Record<string, unknown>[] }>(folder, "audit list");
    const [entry] = audit;
    assert.deepEqual(audit.find(({ act }) => act === "delivery.send")?.["change"], { delivery: row.id });
    assert.match(String(entry?.["actor"]), /^cli:/);
    assert.deepEqual(
      [entry?.["act"], entry?.["customer"], entry?.["change"]],
      ["delivery.replay", customerId, { delivery: row.id }],
    );
    await isDelivered(given, row);
    await ask(`/v1/subscriptions/${subscription.id}`, { enabled: false }, "PATCH");
    const off = await regfeed(folder, `delivery replay ${row.id}`);
    assert.equal(off.code, 1);
    assert.match(
      off.stderr,
      /is not sent again: its subscription sub_\S+ is disabled; `regfeed customer show cus_/,
    );
    const disabled = await regfeed(folder, `customer disable ${customerId}`);
    assert.equal(disabled.code, 0, disabled.stderr);
    const kept = await regfeed(folder, `delivery replay ${row.id}`);
    assert.equal(kept.code, 1);
    assert.match(
      kept.stderr,
      /is not sent again: its customer cus_\S+ is disabled or has not paid; `regfeed customer show cus_/,
    );
  }));

Deno.test("delivery replay explains how to send deliveries of a subscription disabled by a 410", () =>
  withDelivery(async (given) => {
    const { folder, ask, receiver, subscription, customerId } = given;
    receiver.status = 410;
    const row = await firstDelivery(given, ({ status }) => status === "held");
    const held = await regfeed(folder, `delivery replay ${row.id}`);
    assert.equal(held.code, 1);
    assert.match(
      held.stderr,
      /it is held because its subscription sub_\S+ is disabled \(gone\); it is sent when the owner/,
    );
    assert.match(held.stderr, /enables it with PATCH \/v1\/subscriptions\/\{id\} and \{"enabled": true\}/);
    assert.doesNotMatch(held.stderr, /by itself/);
    assert.equal((await regfeed(folder, `customer disable ${customerId}`)).code, 0);
    const kept = await regfeed(folder, `delivery replay ${row.id}`);
    assert.match(kept.stderr, /its customer cus_\S+ is disabled or has not paid/);
    assert.equal((await regfeed(folder, `customer enable ${customerId}`)).code, 0);
    receiver.status = 204;
    await ask(`/v1/subscriptions/${subscription.id}`, { enabled: true }, "PATCH");
    await isDelivered(given, row);
  }));

async function checkReplay(given: Given, row: Row): Promise<void> {
  const { folder, receiver } = given;
  await isDelivered(given, row);
  const before = receiver.arrived.length;
  const last = receiver.arrived.at(-1);
  const replayed = await regfeedJson<{ delivery: Row }>(folder, `delivery replay ${row.id}`);
  assert.deepEqual([replayed.delivery.id, replayed.delivery.status], [row.id, "pending"]);
  await until(() => Promise.resolve(receiver.arrived.length), (count) => count > before);
  assert.deepEqual(receiver.arrived.at(-1), last, "the same webhook-id and the same bytes");
  assert.equal(last?.id, row.id);
  await isDelivered(given, row);
  const again = await regfeed(folder, `delivery replay ${row.id}`);
  assert.deepEqual([again.code, again.stdout], [0, `${row.id} is queued: a running server sends it now\n`]);
}

Deno.test("--since accepts durations, dates and times, and rejects ambiguous values", () => {
  const nowMs = Date.parse("2026-08-01T10:00:00Z");
  const rows: [text: string, expected: string | null][] = [
    ["36h", "2026-07-30T22:00:00.000Z"],
    ["7d", "2026-07-25T10:00:00.000Z"],
    ["90s", "2026-08-01T09:58:30.000Z"],
    ["2026-07-31", "2026-07-31T00:00:00.000Z"],
    ["2026-07-31 12:00", "2026-07-31T12:00:00.000Z"],
    ["2026-07-31 12:00:15", "2026-07-31T12:00:15.000Z"],
    ["2026-07-31T12:00:15.250Z", "2026-07-31T12:00:15.250Z"],
    ["2026-07-31T12:00+02:00", "2026-07-31T10:00:00.000Z"],
    ["1785542400000", "2026-08-01T00:00:00.000Z"],
    ["1785542400", null], // Unix seconds
    ["2026-02-30", null],
    ["2026-13-01", null],
    ["2026-07-31 25:00", null],
    ["31.07.2026", null],
    ["7", null],
    ["0d", null],
    ["", null],
    ["yesterday", null],
  ];
  for (const [text, expected] of rows) {
    if (expected === null) {
      assert.throws(
        () => readSince("--since", text, nowMs),
        (error) => error instanceof CommandError && error.exitCode === 2,
        text,
      );
    } else assert.equal(new Date(readSince("--since", text, nowMs)).toISOString(), expected, text);
  }
});
