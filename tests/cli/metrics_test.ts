// The metrics of a running server, read by Prometheus' own checker where it is installed.
import assert from "node:assert/strict";
import { answerMetrics } from "../../src/api/metrics_page.ts";
import { createMetrics, METRICS_TYPE } from "../../src/domain/metrics.ts";
import { serve, withFolder, writeConfig } from "../support/process.ts";

Deno.test("GET /metrics is the only thing at the metrics' address", async () => {
  const metrics = createMetrics();
  metrics.counter({ name: "one_total", help: "One." }).add([]);
  const ask = (path: string, method = "GET") =>
    answerMetrics(new Request(`http://127.0.0.1:9464${path}`, { method }), metrics);
  const found = await ask("/metrics?debug");
  assert.equal(found.headers.get("content-type"), METRICS_TYPE);
  assert.match(await found.text(), /one_total 1/);
  assert.equal((await ask("/")).status, 404);
  const posted = await ask("/metrics", "POST");
  assert.deepEqual([posted.status, posted.headers.get("allow")], [405, "GET, HEAD"]);
});

/** Whether Prometheus' checker takes the text; null where it is not installed. */
async function promtool(text: string): Promise<{ ok: boolean; said: string } | null> {
  try {
    const child = new Deno.Command("promtool", {
      args: ["check", "metrics"],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(text));
    await writer.close();
    const { success, stdout, stderr } = await child.output();
    return { ok: success, said: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

Deno.test("serve shows its metrics at the address that the config names, and counts by route and not by path", async () => {
  await withFolder(async (folder) => {
    const free = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = free.addr as Deno.NetAddr;
    free.close();
    await writeConfig(
      folder,
      `
      [server]
      listen = "127.0.0.1:0"
      [metrics]
      listen = "127.0.0.1:${port}"
    `,
    );
    const server = await serve(folder);
    for (
      const path of [
        "/v1/sources",
        "/v1/health",
        "/v1/events/evt_1",
        "/v1/events/evt_2",
        "/nowhere/1",
        "/nowhere/2",
      ]
    ) {
      await (await fetch(`${server.address}${path}`)).body?.cancel();
    }
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    assert.match(text, /^regfeed_http_requests_total\{method="GET",route="\/v1\/sources",status="200"\} 1$/m);
    assert.match(
      text,
      /^regfeed_http_requests_total\{method="GET",route="\/v1\/events\/\{id\}",status="401"\} 2$/m,
    );
    assert.match(text, /^regfeed_http_requests_total\{method="GET",route="none",status="404"\} 2$/m);
    assert.match(text, /^regfeed_deliveries_pending 0$/m);
    assert.match(text, /^process_resident_memory_bytes \d{7,}$/m);
    const checked = await promtool(text);
    assert.ok(checked === null || checked.ok, `${checked?.said}\n${text}`);
    const other = await fetch(`${server.address}/metrics`);
    assert.equal(other.status, 404);
    await other.body?.cancel();
    await server.end("SIGTERM");
  });
});
