// What `customer show` and `doctor` report if webhooks do not arrive.
import assert from "node:assert/strict";
import { join } from "node:path";
import { checkDeliveries } from "../../../src/server/checks/store.ts";
import { until } from "../../support/disks.ts";
import {
  addCustomer,
  assertFails,
  callApi,
  regfeed,
  regfeedJson,
  serve,
  type Serving,
  withConfig,
} from "../../support/process.ts";
import { INBOX_CONFIG, rss } from "../../support/samples.ts";
import { LOOPBACK } from "../../support/loopback.ts";

interface Shown {
  customer: { id: string };
  usage: { api_requests: { used: number; remaining: number } };
  subscriptions: {
    id: string;
    disabled_by: string | null;
    held: number;
    failed: number;
    undelivered: string | null;
    reason: string | null;
  }[];
}

/** Runs the work with a server that has two events and one subscription. Its endpoint responds with this status. */
function withFailures(
  status: number,
  work: (
    given: Record<"folder" | "customerId" | "id" | "key" | "url", string> & { server: Serving },
  ) => Promise<void>,
): Promise<void> {
  return withConfig(INBOX_CONFIG, async (folder) => {
    await Deno.mkdir(join(folder, "inbox"));
    const items = ["one", "two"].map((name) => ({ id: name, title: `AI Act: ${name}` }));
    await Deno.writeTextFile(join(folder, "inbox", "a.xml"), rss(items));
    await regfeedJson(folder, "ingest inbox");
    const { customer, key } = await addCustomer(folder);
    const { stdout } = await regfeed(folder, "doctor --offline");
    assert.match(stdout, /^deliveries +ok {7}none are held and none have failed$/m);
    await using receiver = Deno.serve(LOOPBACK, () => new Response(null, { status }));
    const server = await serve(folder);
    try {
      const url = `http://127.0.0.1:${receiver.addr.port}/`;
      const body = { webhook_url: url, backfill_since: 0 };
      const response = await callApi(server, key, "/v1/subscriptions", body);
      const { id } = (await response.json()).subscription;
      await work({ folder, customerId: customer.id, id, key, url, server });
    } finally {
      await server.end("SIGTERM");
    }
  });
}

Deno.test("customer show finds the owner of a subscription and its undelivered delivery", () =>
  withFailures(503, async ({ folder, customerId, id, key, url, server }) => {
    const body = { webhook_url: url, severity_min: "critical" };
    const made = await callApi(server, key, "/v1/subscriptions", body);
    const idle = (await made.json()).subscription.id;
    let shown = await regfeedJson<Shown>(folder, `customer show ${id}`);
    await until("the first attempt has failed", async () => {
      shown = await regfeedJson<Shown>(folder, `customer show ${id}`);
      return shown.subscriptions[0]?.reason?.includes("503") === true;
    }, server.log);
    assert.equal(shown.customer.id, customerId);
    assert.deepEqual(shown.subscriptions.map((one) => [one.id, one.reason]), [
      [id, "the last attempt failed: the endpoint responded with 503"],
      [idle, null],
    ]);
    assert.match(shown.subscriptions[0]?.undelivered ?? "", /^dlv_/);
    const { disclaimer: _, ...usage } = await (await callApi(server, key, "/v1/usage")).json();
    assert.deepEqual({ ...shown.usage, api_requests: usage.api_requests }, usage);
    const { used, remaining } = shown.usage.api_requests;
    assert.equal(used + remaining, usage.api_requests.limit);
    const { stdout } = await regfeed(folder, `customer show ${id}`);
    assert.match(stdout, /^ {2}requests today +\d+ of 10,000\n {2}deliveries this month +2 of 5,000$/m);
    assert.doesNotMatch(stdout, /\w=|_at\b|_by\b/, "raw fields");
    await assertFails(
      folder,
      `customer show sub_${"0".repeat(26)}`,
      1,
      /there is no subscription sub_0+; `regfeed customer list`/,
    );
  }));

Deno.test("customer show and doctor count the held deliveries of disabled subscriptions", () =>
  withFailures(410, async ({ folder, id, server }) => {
    let shown: Shown["subscriptions"] = [];
    await until("the subscription is disabled", async () => {
      shown = (await regfeedJson<Shown>(folder, `customer show ${id}`)).subscriptions;
      return shown[0]?.disabled_by !== null;
    }, server.log);
    assert.deepEqual(shown.map((one) => [one.disabled_by, one.held, one.failed]), [["gone", 2, 0]]);
    const doctor = await regfeed(folder, "doctor --offline");
    assert.match(
      doctor.stdout,
      /WARNING {2}not arrived: 2 held\n +→ `regfeed delivery list --status held`/,
    );
    assert.match(doctor.stdout, new RegExp(`subscriptions that Regfeed disabled: ${id}\n`));
    const { stdout } = await regfeed(folder, "customer show ana@b.example");
    assert.match(stdout, /^ {4}state +disabled because the endpoint responded with 410; its owner/m);
    assert.match(
      stdout,
      new RegExp(`^ {4}not arrived +2 held: .regfeed delivery list --subscription\\s+${id}.$`, "m"),
    );
    assert.match(stdout, /^ {4}newest +dlv_\S+: held: the subscription/m);
  }));

Deno.test("checkDeliveries() counts by state and names the disabled subscriptions", () => {
  const off = (["gone", "gone", "failing", "tier"] as const).map((by, at) => ({ id: `sub_${at}`, by }));
  const largest = [{ customerId: "cus_1", bytes: 2_500_000 }, { customerId: "cus_2", bytes: 900 }];
  const seen = checkDeliveries({ held: 4, failed: 7, heldFull: 2, disabled: off, largest });
  assert.deepEqual(seen.map(({ area, level, seen }) => [area, level, seen]), [
    ["deliveries", "warning", "not arrived: 4 held and 7 failed"],
    [
      "deliveries",
      "warning",
      "subscriptions in the state held_full: 2; their customers have reached the limit on held deliveries, so " +
      "no further deliveries are stored, but no event is lost",
    ],
    ["deliveries", "warning", "subscriptions that Regfeed disabled: sub_0, sub_1, sub_2, sub_3"],
    ["deliveries", "good", "the customers with the most stored data: cus_1 2.5 MB, cus_2 900 bytes"],
  ]);
  assert.match(seen[0]?.todo ?? "", /delivery list --status held,failed/);
  const well = checkDeliveries({ held: 0, failed: 0, heldFull: 0, disabled: [], largest: [] });
  assert.deepEqual(well.map(({ level }) => level), ["good"]);
});
