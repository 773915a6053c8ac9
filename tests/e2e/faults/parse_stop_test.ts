// Endless parsing blocks neither the API nor the shutdown of a server.
import assert from "node:assert/strict";
import { LOOPBACK, openBoard } from "../../support/loopback.ts";
import { callApi, regfeedJson, serve, withFolder, writeConfig } from "../../support/process.ts";

/** Maximum time from SIGTERM to the exit, as documented, ms. */
const END_MS = 8_000;

Deno.test("the API responds during endless parsing, and SIGTERM ends the server in time", async () => {
  const board = openBoard();
  const asked = Promise.withResolvers<void>();
  const stuck = Deno.serve(LOOPBACK, () => {
    asked.resolve();
    const guid = `${"a".repeat(60)}!`;
    return new Response(
      `<rss version="2.0"><channel><title>S</title><item><guid>${guid}</guid><title>T</title></item></channel></rss>`,
    );
  });
  try {
    await withFolder(async (folder) => {
      await writeConfig(
        folder,
        `[server]\nlisten = "127.0.0.1:0"\n${board.source}
[[sources]]
id = "stuck"
name_en = "Stuck"
url = "http://127.0.0.1:${stuck.addr.port}/feed"
schedule = "* * * * * *"
identity = { pattern = "(a+)+$" }
parse_timeout = "2m"
`,
      );
      const { key } = await regfeedJson<{ key: string }>(folder, "customer add --email a@b.example");
      const server = await serve(folder);
      await asked.promise;
      await new Promise((later) => setTimeout(later, 2_000)); // until parsing has started
      for (let round = 0; round < 10; round++) {
        const startMs = performance.now();
        const response = await callApi(server, key, "/v1/events");
        await response.body?.cancel();
        assert.equal(response.status, 200);
        assert.ok(performance.now() - startMs < 2_000);
      }
      const startMs = performance.now();
      const { code, log } = await server.end("SIGTERM");
      const tookMs = performance.now() - startMs;
      assert.equal(code, 0, log);
      assert.ok(tookMs < END_MS, `${tookMs} ms`);
      assert.match(log, /fetch interrupted: the service is stopping/);
      assert.doesNotMatch(log, /source failed/);
    });
  } finally {
    await stuck.shutdown();
    await board.close();
  }
});
