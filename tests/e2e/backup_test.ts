// A backup made under load, moved to another machine: nothing that was delivered goes out again, nothing pending is lost.
import assert from "node:assert/strict";
import { join } from "node:path";
import { regfeed, regfeedJson, serve, withFolder, writeConfig } from "../support/process.ts";

/** A feed of notices that grows. */
function feedOf(count: number): string {
  const items = Array.from(
    { length: count },
    (_, index) =>
      `<item><guid isPermaLink="false">item-${index}</guid><link>https://board.example/${index}</link>
     <title>Notice ${index} on the AI Act</title><description>Text ${index}.</description>
     <pubDate>Fri, 31 Jul 2026 ${String(index % 24).padStart(2, "0")}:00:00 GMT</pubDate></item>`,
  );
  return `<rss version="2.0"><channel><title>Board</title>${items.join("")}</channel></rss>`;
}

/** Waits until it is so; the caller's assertions say what was not. */
async function until(isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < 600 && !isSo(); turn++) await new Promise((resolve) => setTimeout(resolve, 50));
}

Deno.test("a backup made while the server works holds what was promised, and sends nothing twice elsewhere", async () => {
  let published = 20;
  let isRefusing = false;
  const arrived = new Map<string, number>();
  const outside = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    if (new URL(request.url).pathname === "/feed") return new Response(feedOf(published));
    await request.text();
    if (isRefusing) return new Response(null, { status: 503 });
    const id = request.headers.get("webhook-id") ?? "";
    arrived.set(id, (arrived.get(id) ?? 0) + 1);
    return new Response();
  });
  const address = `http://127.0.0.1:${outside.addr.port}`;
  const config = `
    [server]
    listen = "127.0.0.1:0"
    [delivery]
    allow_http = true
    allow_networks = ["127.0.0.0/8"]
    [[sources]]
    id = "board"
    name_en = "Board"
    url = "${address}/feed"
    schedule = "* * * * * *"
    notify_first_fetch = true
  `;
  await withFolder(async (folder) => {
    await writeConfig(folder, config);
    const { key } = await regfeedJson<{ key: string }>(folder, [
      "customer",
      "add",
      "--email",
      "ana@example.org",
    ]);
    // The source is due as soon as the server starts: the subscription has to be there before it has anything to say.
    published = 0;
    const server = await serve(folder);
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const created = await fetch(`${server.address}/v1/subscriptions`, {
      method: "POST",
      headers,
      body: JSON.stringify({ webhook_url: `${address}/hook` }),
    });
    assert.equal(created.status, 201, await created.text());
    published = 20;
    await until(() => arrived.size === 20);
    assert.equal(arrived.size, 20);
    isRefusing = true;
    published = 35;
    let pending = 0;
    for (let turn = 0; turn < 200 && pending < 15; turn++) {
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
    const made = await regfeedJson<{ file: string; rows: Record<string, number> }>(folder, [
      "backup",
      "create",
    ]);
    reading.abort();
    await Promise.all(readers);
    assert.equal(made.rows["events"], 35);
    const { code } = await server.end("SIGTERM");
    assert.equal(code, 0);

    await withFolder(async (elsewhere) => {
      const restored = await regfeed(elsewhere, ["backup", "restore", made.file]);
      assert.equal(restored.code, 0, restored.stderr);
      // Moving on needs the key, if this backup was made without it.
      await Deno.copyFile(join(folder, "data", "regfeed.db.key"), join(elsewhere, "data", "regfeed.db.key"))
        .catch((error) => assert.ok(error instanceof Deno.errors.NotFound));
      isRefusing = false;
      const moved = await serve(elsewhere);
      await until(() => arrived.size === 35);
      await new Promise((resolve) => setTimeout(resolve, 1_000)); // whatever would come twice comes now
      assert.equal((await moved.end("SIGTERM")).code, 0);
    });
    assert.equal(arrived.size, 35);
    assert.deepEqual([...arrived.values()].filter((times) => times > 1), []);
  });
  await outside.shutdown();
});
