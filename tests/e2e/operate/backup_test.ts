// After a backup is made under load and restored elsewhere, no delivery is repeated and no pending one is lost.
import assert from "node:assert/strict";
import { basename, join } from "node:path";
import { regfeed, regfeedJson, serve, withConfig, withFolder } from "../../support/process.ts";
import { LOCAL_CONFIG, LOOPBACK } from "../../support/loopback.ts";

/** The date of every item: today, because many old items at once would be a change spike. */
const TODAY = new Date().toUTCString();

function feedOf(count: number): string {
  const items = Array.from(
    { length: count },
    (_, index) =>
      `<item><guid isPermaLink="false">item-${index}</guid><link>https://board.example/${index}</link>
     <title>Notice ${index} on the AI Act</title><description>Text ${index}.</description>
     <pubDate>${TODAY}</pubDate></item>`,
  );
  return `<rss version="2.0"><channel><title>Board</title>${items.join("")}</channel></rss>`;
}

/** Waits until the condition is true or time runs out. The caller must then assert the condition. */
async function until(isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < 2_400 && !isSo(); turn++) await new Promise((resolve) => setTimeout(resolve, 50));
}

function startOutside() {
  const state = { published: 0, isRefusing: false, arrived: new Map<string, number>() };
  const server = Deno.serve(LOOPBACK, async (request) => {
    if (new URL(request.url).pathname === "/feed") return new Response(feedOf(state.published));
    await request.text();
    if (state.isRefusing) return new Response(null, { status: 503, headers: { "retry-after": "1" } });
    const id = request.headers.get("webhook-id") ?? "";
    state.arrived.set(id, (state.arrived.get(id) ?? 0) + 1);
    return new Response();
  });
  return Object.assign(state, {
    address: `http://127.0.0.1:${server.addr.port}`,
    close: () => server.shutdown(),
  });
}

function configFor(address: string): string {
  return `${LOCAL_CONFIG}    [[sources]]
    id = "board"
    name_en = "Board"
    url = "${address}/feed"
    schedule = "* * * * * *"
    notify_first_fetch = true
    min_items = 0
    [ingest]
    host_spacing = "0s"
    jitter = "0s"
  `;
}

/** Backs up a busy server that has 20 delivered and 15 pending events. Returns the path of the backup. */
async function backUpUnderLoad(folder: string, outside: ReturnType<typeof startOutside>): Promise<string> {
  const { key } = await regfeedJson<{ key: string }>(folder, "customer add --email ana@example.org");
  const server = await serve(folder);
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ webhook_url: `${outside.address}/hook` });
  const created = await fetch(`${server.address}/v1/subscriptions`, { method: "POST", headers, body });
  assert.equal(created.status, 201, await created.text());
  outside.published = 20;
  await until(() => outside.arrived.size === 20);
  assert.equal(outside.arrived.size, 20);
  outside.isRefusing = true;
  outside.published = 35;
  let pending = 0;
  for (let turn = 0; turn < 400 && pending < 15; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    pending = (await (await fetch(`${server.address}/v1/health`)).json()).deliveries.pending;
  }
  assert.equal(pending, 15);

  const reading = new AbortController();
  const readers = Array.from({ length: 4 }, async () => {
    while (!reading.signal.aborted) {
      await (await fetch(`${server.address}/v1/events`, { headers })).body?.cancel();
    }
  });
  const made = await regfeedJson<{ file: string; rows: Record<string, number> }>(folder, "backup create");
  reading.abort();
  await Promise.all(readers);
  assert.equal(made.rows["events"], 35);
  const { audit } = await regfeedJson<{ audit: { change: unknown }[] }>(
    folder,
    "audit list --act backup.create",
  );
  assert.deepEqual(audit.map(({ change }) => change), [{ file: basename(made.file), secret_key: false }]);
  assert.equal((await server.end("SIGTERM")).code, 0);
  return made.file;
}

Deno.test("a backup of a running server is consistent, and its restore sends nothing twice", async () => {
  const outside = startOutside();
  await withConfig(configFor(outside.address), async (folder) => {
    const file = await backUpUnderLoad(folder, outside);
    await withFolder(async (elsewhere) => {
      const restored = await regfeed(elsewhere, `backup restore ${file}`);
      assert.equal(restored.code, 0, restored.stderr);
      assert.match(
        restored.stdout,
        /The secret key is missing. Copy it to \/.*regfeed\.db\.key .*\nStart the server after that: /,
      );
      assert.match(
        restored.stdout,
        /Events since the backup are collected and delivered again with new ids, .*"What a restore loses"/,
      );
      await Deno.copyFile(join(folder, "data", "regfeed.db.key"), join(elsewhere, "data", "regfeed.db.key"));
      outside.isRefusing = false;
      const moved = await serve(elsewhere);
      await until(() => outside.arrived.size === 35);
      await new Promise((resolve) => setTimeout(resolve, 1_000)); // a duplicate would arrive within this time
      assert.equal((await moved.end("SIGTERM")).code, 0);
    });
  });
  assert.equal(outside.arrived.size, 35);
  assert.deepEqual([...outside.arrived.values()].filter((times) => times > 1), []);
  await outside.close();
});
