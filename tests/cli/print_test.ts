// Commands print no control characters.
import assert from "node:assert/strict";
import { join } from "node:path";
import { nameProgram, withSafeOutput } from "../../src/cli/print.ts";
import type { Host } from "../../src/platform/process/process.ts";
import { addCustomer, regfeed, serve, withFolder, writeConfig } from "../support/process.ts";
import { LOOPBACK } from "../support/loopback.ts";

const HOSTILE = "\x1b]0;owned\x07\x9b31mred\u202eexe.fdp\u2066";
// deno-lint-ignore no-control-regex -- the test searches for them
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

Deno.test("withSafeOutput() escapes control characters except our own colours", () => {
  const printed: string[] = [];
  const keep = (text: string) => void printed.push(text);
  const host = withSafeOutput({ out: keep, err: keep, program: "regfeed", args: [] } as unknown as Host);
  host.out(`a ${HOSTILE}\n`);
  host.err(`b ${HOSTILE}\n`);
  host.out(`\x1b[32mc\x1b[0m \x1b[2J${HOSTILE}\n`, { hasColours: true });
  const shown = "\\u001b]0;owned\\u0007\\u009b31mred\\u202eexe.fdp\\u2066\n";
  assert.deepEqual(printed, [`a ${shown}`, `b ${shown}`, `\x1b[32mc\x1b[0m \\u001b[2J${shown}`]);
});

Deno.test("suggested commands name the program and the --config that it was started with", () => {
  const rows: [args: string[], text: string, expected: string][] = [
    [["doctor"], "see `regfeed source list`", "see `deno task regfeed source list`"],
    [["doctor", "--config", "a b.toml"], "`regfeed check`", "`deno task regfeed check --config 'a b.toml'`"],
    [["doctor", "--config=c.toml"], "`regfeed init` `regfeed check`", "`P init` `P check --config c.toml`"],
    [["--config=c.toml"], "`regfeed serve --config d.toml`", "`P serve --config d.toml`"],
    [["doctor", "--config"], "`regfeed check`", "`P check`"],
  ];
  for (const [args, text, expected] of rows) {
    const program = "deno task regfeed";
    assert.equal(nameProgram({ program, args }, text), expected.replaceAll("`P ", "`deno task regfeed "));
  }
});

/** Starts a publisher and an endpoint that send hostile text. */
function openHostile(): { address: string; close(): Promise<void> } {
  const server = Deno.serve(LOOPBACK, async (request) => {
    await request.body?.cancel();
    switch (new URL(request.url).pathname) {
      case "/feed":
        return new Response(
          `<rss version="2.0"><channel><title>x</title><item><guid>${HOSTILE}</guid>
           <link>https://board.example/1</link><title>The AI Act ${HOSTILE}</title>
           <description>Art. 50 ${HOSTILE}</description></item></channel></rss>`,
          { headers: { "content-type": "text/xml; charset=utf-8" } },
        );
      case "/api":
        return new Response(`{"found": [${HOSTILE}`, { headers: { "content-type": "application/json" } });
      default:
        return new Response(HOSTILE, { status: 500 });
    }
  });
  return { address: `http://127.0.0.1:${server.addr.port}`, close: () => server.shutdown() };
}

const configOf = (address: string) => `
[server]
listen = "127.0.0.1:0"
[ingest]
allow_private = true
host_spacing = "0s"
[delivery]
allow_http = true
allow_networks = ["127.0.0.0/8"]
[[sources]]
id = "board"
name_en = "Board"
url = "${address}/feed"
relevance = "all"
[[sources]]
id = "api"
name_en = "API"
url = "${address}/api"
fetch_strategy = "json"
[sources.json]
items = "found"
title = "t"
link = "l"
`;

Deno.test("no command prints a control character from a publisher or an endpoint", () =>
  withFolder(async (folder) => {
    const hostile = openHostile();
    try {
      await writeConfig(folder, configOf(hostile.address));
      await Deno.writeTextFile(join(folder, "saved.json"), `{"found": [${HOSTILE}`);
      await Deno.writeTextFile(
        join(folder, "saved.xml"),
        await (await fetch(`${hostile.address}/feed`)).text(),
      );
      const printed: string[] = [];
      const run = async (...args: string[]) => {
        const { stdout, stderr } = await regfeed(folder, args);
        assert.doesNotMatch(stdout + stderr, CONTROLS, args.join(" "));
        printed.push(stdout + stderr);
        return stdout;
      };
      for (const format of [[], ["--json"]]) {
        await run("source", "test", "board", "--why", ...format);
        await run("source", "test", "api", ...format);
        await run("ingest", "board", "api", ...format);
        await run("source", "list", ...format);
        await run("source", "parse", "saved.xml", ...format);
        await run("source", "parse", "saved.json", "--source", "api", ...format);
        await run("doctor", "--offline", ...format);
      }
      const { key } = await addCustomer(folder);
      const { log, eventId } = await deliver(folder, hostile.address, key);
      assert.doesNotMatch(log, CONTROLS);
      for (const format of [[], ["--json"]]) {
        await run("event", "show", eventId, "--why", ...format);
        const list = await run("delivery", "list", ...format);
        await run("delivery", "show", /dlv_\w+/.exec(list)?.[0] ?? assert.fail(list), ...format);
      }
      const title = JSON.parse(await run("event", "show", eventId, "--json")).event.title_en;
      assert.match(title, /^The AI Act/);
      assert.ok(printed.some((text) => text.includes("[0;owned") || text.includes("]0;owned")), "printed");
    } finally {
      await hostile.close();
    }
  }));

/** Runs a server until the hostile endpoint has refused a delivery; returns the log and the event id. */
async function deliver(
  folder: string,
  address: string,
  key: string,
): Promise<{ log: string; eventId: string }> {
  const server = await serve(folder);
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ webhook_url: `${address}/hook`, backfill_since: 0 });
  const made = await fetch(`${server.address}/v1/subscriptions`, { method: "POST", headers, body });
  assert.equal(made.status, 201, await made.text());
  let attempts = 0;
  let eventId = "";
  for (let tries = 0; attempts === 0 && tries < 600; tries++) {
    await new Promise((again) => setTimeout(again, 50));
    const { deliveries } = await (await fetch(`${server.address}/v1/deliveries`, { headers })).json();
    attempts = deliveries[0]?.attempt_count ?? 0;
    eventId = deliveries[0]?.event_id ?? "";
  }
  assert.ok(attempts > 0);
  const { log } = await server.end("SIGTERM");
  return { log, eventId };
}
