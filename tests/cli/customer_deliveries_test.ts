// `customer show` of a customer whose webhook does not get through.
import assert from "node:assert/strict";
import { join } from "node:path";
import { regfeed, regfeedJson, serve, withFolder, writeConfig } from "../support/process.ts";
import { rss } from "../support/samples.ts";

const CONFIG = `[server]
listen = "127.0.0.1:0"

[delivery]
allow_http = true
allow_networks = ["127.0.0.0/8"]

[[sources]]
id = "inbox"
name_en = "Inbox"
base_url = "https://inbox.example"
fetch_strategy = "files"
path = "inbox"
`;

interface Shown {
  customer: { id: string };
  subscriptions: { id: string; undelivered: string | null; reason: string | null }[];
}

Deno.test("customer show finds the owner of a subscription, and says what does not arrive and why", () =>
  withFolder(async (folder) => {
    await writeConfig(folder, CONFIG);
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
      for (let tries = 0; tries < 60 && !shown.subscriptions[0]?.reason?.includes("503"); tries++) {
        shown = await show();
      }
      assert.equal(shown.customer.id, customer.id);
      assert.deepEqual(shown.subscriptions.map(({ id, reason }) => [id, reason]), [
        [failing, "the last attempt failed: the endpoint answered 503"],
        [idle, null],
      ]);
      assert.match(shown.subscriptions[0]?.undelivered ?? "", /^dlv_/);
      const unknown = await regfeed(folder, ["customer", "show", "sub_00000000000000000000000000"]);
      assert.equal(unknown.code, 1);
      assert.match(
        unknown.stderr,
        /no customer has, or ever had, a subscription sub_0+$/m,
      );
    } finally {
      await server.end("SIGTERM");
      await receiver.shutdown();
    }
  }));
