// The metrics that a running server exports, and who may read them.
import assert from "node:assert/strict";
import { join } from "node:path";
import { respondWithMetrics } from "../../src/api/metrics/metrics_page.ts";
import { measureService } from "../../src/server/server_metrics.ts";
import { createMetrics, METRICS_TYPE } from "../../src/domain/ports/metrics.ts";
import { freePort } from "../support/loopback.ts";
import { regfeed, serve, withFolder, writeConfig } from "../support/process.ts";

Deno.test("the metrics listener serves only GET /metrics", async () => {
  const metrics = createMetrics();
  metrics.counter({ name: "one_total", help: "One." }).add([]);
  const ask = (path: string, method = "GET") =>
    respondWithMetrics(new Request(`http://127.0.0.1:9464${path}`, { method }), metrics, null);
  const found = await ask("/metrics?debug");
  assert.equal(found.headers.get("content-type"), METRICS_TYPE);
  assert.match(await found.text(), /one_total 1/);
  assert.equal((await ask("/")).status, 404);
  const posted = await ask("/metrics", "POST");
  assert.deepEqual([posted.status, posted.headers.get("allow")], [405, "GET, HEAD"]);
  for (const { headers } of [found, posted]) assert.equal(headers.get("x-content-type-options"), "nosniff");
});

Deno.test("GET /metrics requires the configured token", async () => {
  const metrics = createMetrics();
  metrics.counter({ name: "one_total", help: "One." }).add([]);
  const rows: [authorization: string | null, status: number][] = [
    [null, 401],
    ["", 401],
    ["Bearer", 401],
    ["Bearer ", 401],
    ["Bearer scrape-m", 401],
    ["Bearer scrape-me2", 401],
    ["Basic scrape-me", 401],
    ["scrape-me", 401],
    ["Bearer scrape-me", 200],
    ["bearer  scrape-me", 200],
  ];
  for (const [authorization, status] of rows) {
    const headers = authorization === null ? {} : { authorization };
    const request = new Request("http://127.0.0.1:9464/metrics", { headers });
    const answer = await respondWithMetrics(request, metrics, "scrape-me");
    assert.equal(answer.status, status, authorization ?? "no header");
    const text = await answer.text();
    assert.equal(text.includes("one_total"), status === 200);
    if (status === 401) assert.equal(answer.headers.get("www-authenticate"), 'Bearer realm="metrics"');
  }
});

Deno.test("serve exports metrics at the configured address, by route", async () => {
  await withFolder(async (folder) => {
    const port = freePort();
    await Deno.writeTextFile(join(folder, "metrics-token"), "scrape-me\n");
    await writeConfig(
      folder,
      `
      [server]
      listen = "127.0.0.1:0"
      [metrics]
      listen = "127.0.0.1:${port}"
      token_file = "metrics-token"
    `,
    );
    const server = await serve(folder);
    for (
      const path of "v1/sources v1/health v1/events/evt_1 v1/events/evt_2 nowhere/1 nowhere/2".split(" ")
    ) {
      await (await fetch(`${server.address}/${path}`)).body?.cancel();
    }
    const backup = await regfeed(folder, "backup create");
    assert.equal(backup.code, 0, backup.stderr);
    const headers = { authorization: "Bearer scrape-me" };
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).text();
    const refused = await fetch(`http://127.0.0.1:${port}/metrics`);
    assert.equal(refused.status, 401);
    await refused.body?.cancel();
    assert.match(text, /^regfeed_http_requests_total\{method="GET",route="\/v1\/sources",status="200"\} 1$/m);
    assert.match(
      text,
      /^regfeed_http_requests_total\{method="GET",route="\/v1\/events\/\{id\}",status="401"\} 2$/m,
    );
    assert.match(text, /^regfeed_http_requests_total\{method="GET",route="none",status="404"\} 2$/m);
    assert.match(text, /^regfeed_deliveries_pending 0$/m);
    assert.match(text, /^regfeed_deliveries_held 0$/m);
    assert.match(text, /^regfeed_build_info\{version="\d+\.\d+\.\d+",schema="\d+"\} 1$/m);
    assert.match(text, /^regfeed_database_size_bytes \d{4,}$/m);
    assert.match(text, /^regfeed_database_wal_size_bytes \d+$/m);
    const backedUpAt = Number(/^regfeed_backup_last_success_timestamp_seconds (\S+)$/m.exec(text)?.[1]);
    assert.ok(Math.abs(Date.now() / 1_000 - backedUpAt) < 120, `${backedUpAt}`);
    assert.match(text, /^process_resident_memory_bytes \d{7,}$/m);
    const other = await fetch(`${server.address}/metrics`);
    assert.equal(other.status, 404);
    await other.body?.cancel();
    await server.end("SIGTERM");
  });
});

Deno.test("the metric of the newest backup reads the active config's folder and ignores future times", async () => {
  const metrics = createMetrics();
  const listings: Record<string, string[]> = {
    "/before": ["regfeed-20260801T031500Z.tar.gz", "regfeed-20990101T000000Z.tar.gz"],
    "/after": ["scheduled-regfeed-20260802T031500Z.tar.gz"],
    "/data": [],
  };
  let backupFolder = "/before";
  measureService(
    metrics,
    { path: "/data/regfeed.db", keyFile: "/data/regfeed.db.key" },
    {
      schemaVersion: 1,
      backupFolder: () => backupFolder,
      clock: { nowMs: () => Date.parse("2026-08-03T00:00:00Z") },
      files: {
        exists: () => Promise.resolve(true),
        list: (folder) =>
          Promise.resolve({
            files: (listings[folder] ?? []).map((name) => ({ name, sizeBytes: 1, modifiedAtMs: 0 })),
            unreadable: [],
          }),
      },
    },
  );
  const newest = async () =>
    Number(/^regfeed_backup_last_success_timestamp_seconds (\S+)$/m.exec(await metrics.render())?.[1]) *
    1_000;
  assert.equal(await newest(), Date.parse("2026-08-01T03:15:00Z"));
  backupFolder = "/after";
  assert.equal(await newest(), Date.parse("2026-08-02T03:15:00Z"));
});
