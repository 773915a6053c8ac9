// A server whose database is locked, replaced or damaged: its messages, what still works, and how the fault ends.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { regfeed, regfeedJson, serve, withConfig } from "../support/process.ts";

Deno.test("with a locked database, reads continue, writes return 503, and both recover", async () => {
  await withConfig('[server]\nlisten = "127.0.0.1:0"\n', async (folder) => {
    const { key } = await regfeedJson<{ key: string }>(folder, "customer add --email ana@example.org");
    const server = await serve(folder);
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const ask = async (path: string, init: RequestInit = {}) => {
      const answer = await fetch(`${server.address}${path}`, { headers, ...init });
      return { status: answer.status, json: await answer.json() };
    };
    const subscribe = () =>
      ask("/v1/subscriptions", {
        method: "POST",
        body: JSON.stringify({ webhook_url: "https://example.org/hook" }),
      });

    const other = new DatabaseSync(join(folder, "data", "regfeed.db"));
    other.exec("begin immediate");
    const refused = await subscribe();
    assert.deepEqual([refused.status, refused.json.code], [503, "unavailable"]);
    await new Promise((resolve) => setTimeout(resolve, 1_100)); // the health report is cached for a second
    let health = (await ask("/v1/health")).json;
    assert.deepEqual([health.status, health.database], ["down", "unavailable"]);
    const read = await ask("/v1/events");
    assert.deepEqual([read.status, read.json.count], [200, 0]);

    other.exec("rollback");
    other.close();
    for (let turn = 0; turn < 100 && health.database !== "ok"; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      health = (await ask("/v1/health")).json;
    }
    assert.deepEqual([health.status, health.database], ["ok", "ok"]);
    assert.notEqual((await subscribe()).status, 503);
    const { code, log } = await server.end("SIGTERM");
    assert.equal(code, 0);
    assert.match(log, /another process keeps the database locked.*fault=unavailable/);
    assert.match(log, /storage fault over/);
    // The fault is logged once, although every loop encounters it repeatedly.
    assert.deepEqual(log.match(/ERROR \S+/g), ["ERROR store"], log);
  });
});

Deno.test("if the database file of a running server is replaced, health returns 503 and the log says what to do", async () => {
  await withConfig('[server]\nlisten = "127.0.0.1:0"\n', async (folder) => {
    const server = await serve(folder);
    const file = join(folder, "data", "regfeed.db");
    await Deno.copyFile(file, `${file}.copy`);
    await Deno.rename(`${file}.copy`, file);
    await server.said("the database file was removed or replaced while the server was running");
    await server.said("put the original file back or restore a backup");
    const health = await fetch(`${server.address}/v1/health`);
    const { status, database } = await health.json();
    assert.deepEqual([health.status, status, database], [503, "down", "unavailable"]);
    const { code, log } = await server.end("SIGTERM");
    assert.equal(code, 0, log);
    const next = await serve(folder);
    const after = await fetch(`${next.address}/v1/health`);
    assert.deepEqual([after.status, (await after.json()).database], [200, "ok"]);
    assert.equal((await next.end("SIGTERM")).code, 0);
  });
});

Deno.test("if a database is too damaged to open, every command names the repair, which works", async () => {
  await withConfig('[server]\nlisten = "127.0.0.1:0"\n', async (folder) => {
    await regfeedJson(folder, "customer add --email ana@example.org");
    await regfeedJson(folder, "backup create good.tar.gz --secret-key");
    const database = join(folder, "data", "regfeed.db");
    const bytes = await Deno.readFile(database);
    await Deno.writeFile(database, bytes.fill(0xee, 4_096));
    const advice =
      /damaged: stop the server, keep the file, and restore the newest good backup \(`regfeed backup restore/;
    for (const line of ["serve", "customer list", "doctor --offline", "backup create bad.tar.gz"]) {
      const { code, stdout, stderr } = await regfeed(folder, line);
      assert.equal(code, 1, line);
      assert.match(stdout + stderr, advice, line);
    }
    const restored = await regfeed(folder, "backup restore good.tar.gz --force");
    assert.equal(restored.code, 0, restored.stderr);
    assert.match(restored.stdout, /kept .*regfeed\.db\.replaced-/);
    const { customers } = await regfeedJson<{ customers: unknown[] }>(folder, "customer list");
    assert.equal(customers.length, 1);
  });
});
