// The operator's pages of a running server do what the command line does, with the same audit entries.
import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../../support/disks.ts";
import { LOOPBACK } from "../../support/loopback.ts";
import { callApi, regfeed, regfeedJson, serve, type Serving, withConfig } from "../../support/process.ts";
import { INBOX_CONFIG, rss } from "../../support/samples.ts";
import type { World } from "../../support/world.ts";
import { type Browser, createBrowser } from "../../web/sign_in/browser.ts";

// deno-lint-ignore no-explicit-any
type Json = any;

interface Console {
  folder: string;
  server: Serving;
  browser: Browser;
  receiver: { status: number };
  cli(words: string): Promise<Json>;
  /** Fetches the source with the command. */
  fetch(): Promise<void>;
  /** Fills and sends the form with this action on a page. */
  send(path: string, action: string, fields?: Record<string, string>): Promise<string>;
}

const items = (name: string, count: number) =>
  rss(Array.from({ length: count }, (_, at) => ({ id: `${name}-${at}`, title: `AI Act: ${name} ${at}` })));

/** Runs `work` with a server, and a browser in which an operator has signed in. */
function withConsole(work: (console: Console) => Promise<void>): Promise<void> {
  return withConfig(INBOX_CONFIG, async (folder) => {
    await Deno.mkdir(join(folder, "inbox"));
    await Deno.writeTextFile(join(folder, "inbox", "a.xml"), items("first", 3));
    const receiver = { status: 503 };
    await using endpoint = Deno.serve(LOOPBACK, () => new Response(null, { status: receiver.status }));
    const cli = (words: string) => regfeedJson<Json>(folder, words);
    const server = await serve(folder);
    try {
      const app = { fetch: (request: Request) => fetch(request) };
      const browser = createBrowser({ app } as unknown as World, server.address);
      const { url } = await cli("console link --name olga");
      const { pathname } = new URL(url);
      await browser.submit(await browser.open(pathname), pathname);
      const send: Console["send"] = async (path, action, fields) => {
        const page = await browser.open(path);
        assert.equal(page.status, 200, `${path}: ${page.text}`);
        const reply = await browser.submit(page, action, fields);
        if (reply.status !== 303) return reply.text;
        return (await browser.open(reply.headers.get("location") ?? "")).text;
      };
      // While the server fetches the source, the command cannot.
      const isFetched = async () => (await regfeed(folder, "ingest inbox")).code === 0;
      const fetchInbox = () => until("the source is fetched", isFetched, server.log);
      await fetchInbox();
      const { customer, key } = await cli("customer add --email ana@b.example --tier team");
      await callApi(server, key, "/v1/subscriptions", {
        webhook_url: `http://127.0.0.1:${endpoint.addr.port}/`,
        backfill_since: 0,
      });
      await until("a delivery has failed", async () => {
        const { deliveries } = await cli(`delivery list --customer ${customer.id}`);
        return deliveries.some(({ attempt_count }: Json) => attempt_count > 0);
      }, server.log);
      await work({ folder, server, browser, receiver, cli, send, fetch: fetchInbox });
    } finally {
      await server.end("SIGTERM");
    }
  });
}

/** Returns the newest audit entry, without what differs between two acts of the same kind. */
async function newestAct({ cli }: Console, isByConsole: boolean): Promise<Json> {
  const { audit: [entry] } = await cli("audit list --limit 1");
  assert.match(entry.actor, isByConsole ? /^console:olga$/ : /^cli:/, JSON.stringify(entry));
  assert.equal(entry.address, isByConsole ? "127.0.0.1" : null);
  const text = JSON.stringify({ act: entry.act, change: entry.change });
  return text.replace(/"(last_four|valid_until)":[^,}]+/g, '"$1":""').replace(/\["[0-9a-f]{4}"\]/g, "[]")
    .replace(/regfeed-\d{8}T\d{6}Z/g, "regfeed").replace(/(cus|dlv)_\w{26}/g, "$1");
}

Deno.test("the operator's pages act as the command line does, with the same audit entries", () =>
  withConsole(async (given) => {
    const { cli, send, receiver, folder } = given;
    const put = async (name: string) => {
      await Deno.writeTextFile(join(folder, "inbox", `${name}.xml`), items(name, 30));
      await given.fetch();
    };
    const both = async (byCli: () => Promise<unknown>, byPage: () => Promise<string>) => {
      await byCli();
      const expected = await newestAct(given, false);
      const shown = await byPage();
      assert.equal(await newestAct(given, true), expected, shown);
      return shown;
    };
    const customers = "/operator/customers";
    let one = "";
    const added = await both(
      async () => one = (await cli("customer add --email one@b.example --tier team")).customer.id,
      () => send(`${customers}/new`, `${customers}/new`, { email: "two@b.example", tier: "team" }),
    );
    assert.match(added, /rgf_[0-9a-f]{64}/);
    const two = `${customers}/${/cus_\w{26}/.exec(added)?.[0]}`;
    const rows: [words: string, action: string, fields?: Record<string, string>][] = [
      [`customer set-tier ${one} gpai`, "tier", { tier: "gpai" }],
      [`customer set-email ${one} uno@b.example`, "email", { email: "due@b.example" }],
      [`customer disable ${one}`, "disable"],
      [`customer enable ${one}`, "enable"],
      [`key add ${one} --label staging`, "keys/add", { label: "staging" }],
      [`key rotate ${one} --key default --overlap 24h`, "keys/rotate", { overlap: "24" }],
      [`key disable ${one} --key staging`, "keys/disable"],
      [`console link --customer ${one}`, "link"],
    ];
    for (const [words, action, fields] of rows) {
      await both(() => cli(words), async () => {
        const page = await given.browser.open(two);
        const hash = action === "keys/disable" ? hashOf(page.text, "staging") : hashOf(page.text, "default");
        const more = action === "keys/rotate" || action === "keys/disable" ? { hash } : {};
        return await send(two, `${two}/${action}`, { ...fields, ...more });
      });
    }
    await both(
      given.fetch,
      () => send("/operator/sources/inbox", "/operator/sources/inbox/fetch"),
    );
    for (const [end, option] of [["deliver", "--deliver"], ["discard", "--discard"]] as const) {
      await put(`cli-${end}`);
      await both(() => cli(`source release inbox ${option}`), async () => {
        await put(`page-${end}`);
        return await send("/operator/sources/inbox", "/operator/sources/inbox/release", { end });
      });
    }
    const { deliveries } = await cli("delivery list --status pending");
    const [delivery] = deliveries;
    const path = `/operator/deliveries/${delivery.id}`;
    await both(() => cli(`delivery send ${delivery.id}`), () => send(path, `${path}/send`));
    receiver.status = 204;
    const isDelivered = () =>
      until(
        "the delivery has arrived",
        async () => (await cli(`delivery show ${delivery.id}`)).delivery.status === "delivered",
        given.server.log,
      );
    await cli(`delivery send ${delivery.id}`);
    await isDelivered();
    await both(async () => {
      await cli(`delivery replay ${delivery.id}`);
      await isDelivered();
    }, () => send(path, `${path}/replay`));
    await both(() => cli("backup create"), async () => {
      await new Promise((later) => setTimeout(later, 1_100)); // the names of backups contain the second
      return await send("/operator/backups", "/operator/backups/create");
    });
    const [archive] = await Array.fromAsync(Deno.readDir(join(folder, "data", "backups")));
    const name = archive?.name ?? "";
    assert.match(await send("/operator/backups", "/operator/backups/verify", { name }), /can be restored/);
    const id = two.slice(customers.length + 1);
    assert.match(await send(two, `${two}/erase`, { confirm: "yes" }), /must be cus_/);
    await both(() => cli(`customer erase ${one} --yes`), () => send(two, `${two}/erase`, { confirm: id }));
    const findings = await send("/operator/health", "/operator/health");
    assert.match(findings, /regfeed\.toml is valid/);
    assert.doesNotMatch(JSON.stringify(await cli("audit list")), /rgf_|@b\.example|sign-in\/link/);
  }));

/** Returns the hash of the key with this label, from the forms of the page. */
function hashOf(text: string, label: string): string {
  const row = text.split("<tr ").find((one) => one.includes(`>${label} <code>`)) ?? "";
  return /name="hash" value="([0-9a-f]{64})"/.exec(row)?.[1] ?? "";
}
