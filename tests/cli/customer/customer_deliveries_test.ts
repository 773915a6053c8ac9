// `customer show` and `doctor` where webhooks do not get through.
import assert from "node:assert/strict";
import { join } from "node:path";
import { checkDeliveries } from "../../../src/cli/doctor/store.ts";
import { until } from "../../support/disks.ts";
import { regfeed, regfeedJson, serve, withFolder, writeConfig } from "../../support/process.ts";
import { INBOX_CONFIG, rss } from "../../support/samples.ts";

interface Shown {
  customer: { id: string };
  subscriptions: {
    id: string;
    disabled_by: string | null;
    held: number;
    failed: number;
    undelivered: string | null;
    reason: string | null;
  }[];
}

Deno.test("customer show finds the owner of a subscription and its undelivered delivery", () =>
  withFolder(async (folder) => {
    await writeConfig(folder, INBOX_CONFIG);
    await Deno.mkdir(join(folder, "inbox"));
    await Deno.writeTextFile(join(folder, "inbox", "a.xml"), rss([{ id: "1", title: "AI Act: one" }]));
    await regfeedJson(folder, ["ingest", "inbox"]);
    const add = ["customer", "add", "--email", "ana@b.example", "--tier", "team"];
    const { customer, key } = await regfeedJson<{ customer: { id: string }; key: string }>(folder, add);
    const receiver = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      () => new Response(null, { status: 503 }),
    );
    const server = await serve(folder);
    try {
      const subscribe = async (body: Record<string, unknown>): Promise<string> => {
        const response = await fetch(`${server.address}/v1/subscriptions`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify({ webhook_url: `http://127.0.0.1:${receiver.addr.port}/`, ...body }),
        });
        return (await response.json()).subscription.id;
      };
      const failing = await subscribe({ backfill_since: 0 });
      const idle = await subscribe({ severity_min: "critical" });
      const show = () => regfeedJson<Shown>(folder, ["customer", "show", failing]);
      let shown = await show();
      await until("the first attempt has failed", async () => {
        shown = await show();
        return shown.subscriptions[0]?.reason?.includes("503") === true;
      }, () => server.log());
      assert.equal(shown.customer.id, customer.id);
      assert.deepEqual(shown.subscriptions.map(({ id, reason }) => [id, reason]), [
        [failing, "the last attempt failed: the endpoint responded with 503"],
        [idle, null],
      ]);
      assert.match(shown.subscriptions[0]?.undelivered ?? "", /^dlv_/);
      const unknown = await regfeed(folder, ["customer", "show", "sub_00000000000000000000000000"]);
      assert.equal(unknown.code, 1);
      assert.match(
        unknown.stderr,
        /unknown subscription sub_0+$/m,
      );
    } finally {
      await server.end("SIGTERM");
      await receiver.shutdown();
    }
  }));

Deno.test("customer show and doctor count the held deliveries of disabled subscriptions", () =>
  withFolder(async (folder) => {
    await writeConfig(folder, INBOX_CONFIG);
    await Deno.mkdir(join(folder, "inbox"));
    const items = ["one", "two"].map((name) => ({ id: name, title: `AI Act: ${name}` }));
    await Deno.writeTextFile(join(folder, "inbox", "a.xml"), rss(items));
    await regfeedJson(folder, ["ingest", "inbox"]);
    const add = ["customer", "add", "--email", "ana@b.example", "--tier", "team"];
    const { key } = await regfeedJson<{ key: string }>(folder, add);
    const said = async () => (await regfeed(folder, ["doctor", "--offline"])).stdout;
    assert.match(await said(), /^deliveries\n {2}ok {7}none is held, none has failed$/m);
    const receiver = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      () => new Response(null, { status: 410 }),
    );
    const server = await serve(folder);
    try {
      const response = await fetch(`${server.address}/v1/subscriptions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ webhook_url: `http://127.0.0.1:${receiver.addr.port}/`, backfill_since: 0 }),
      });
      const { id } = (await response.json()).subscription;
      const show = () => regfeedJson<Shown>(folder, ["customer", "show", id]);
      let shown = await show();
      for (let tries = 0; tries < 60 && shown.subscriptions[0]?.disabled_by === null; tries++) {
        shown = await show();
      }
      const [{ disabled_by, held, failed } = {}] = shown.subscriptions as Partial<
        Shown["subscriptions"][0]
      >[];
      assert.deepEqual([disabled_by, held, failed], ["gone", 2, 0]);
      const lines = await said();
      assert.match(
        lines,
        /WARNING {2}2 held: they have not arrived\n +→ `regfeed delivery list --status held`/,
      );
      assert.match(lines, new RegExp(`subscriptions that the service disabled: ${id}\n`));
    } finally {
      await server.end("SIGTERM");
      await receiver.shutdown();
    }
    const { stdout } = await regfeed(folder, ["customer", "show", "ana@b.example"]);
    assert.match(stdout, /^subscription .* disabled_by=gone .* held=2 undelivered=dlv_/m);
    assert.doesNotMatch(stdout, /failed=/);
  }));

Deno.test("checkDeliveries() counts by state and names the disabled subscriptions", () => {
  const off = (["gone", "gone", "failing", "tier"] as const).map((by, at) => ({ id: `sub_${at}`, by }));
  const largest = [{ customerId: "cus_1", bytes: 2_500_000 }, { customerId: "cus_2", bytes: 900 }];
  const seen = checkDeliveries({ held: 4, failed: 7, heldFull: 2, disabled: off, largest });
  assert.deepEqual(seen.map(({ area, level, seen }) => [area, level, seen]), [
    ["deliveries", "warning", "4 held and 7 failed: they have not arrived"],
    [
      "deliveries",
      "warning",
      "subscriptions in the state held_full: 2; their customer's limit of held deliveries is reached, and no further ones " +
      "are stored; no event is lost",
    ],
    [
      "deliveries",
      "warning",
      "subscriptions that the service disabled: sub_0, sub_1, sub_2, sub_3",
    ],
    ["deliveries", "good", "the customers with the most stored data: cus_1 2.5 MB, cus_2 900 bytes"],
  ]);
  assert.match(seen[0]?.todo ?? "", /delivery list --status held,failed/);
  const well = checkDeliveries({ held: 0, failed: 0, heldFull: 0, disabled: [], largest: [] });
  assert.deepEqual(well.map(({ level }) => level), ["good"]);
});
