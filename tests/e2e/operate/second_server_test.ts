// Two servers on one store: the second refuses to start, and nothing of the first's lock outlives it.
import assert from "node:assert/strict";
import { regfeed, serve, withFolder, writeConfig } from "../../support/process.ts";

Deno.test("a second server on a store exits with code 1 and names the first", async () => {
  await withFolder(async (folder) => {
    await writeConfig(folder, '[server]\nlisten = "127.0.0.1:0"\n');
    const first = await serve(folder);
    for (let times = 0; times < 2; times++) {
      const { code, stderr } = await regfeed(folder, ["serve"]);
      assert.equal(code, 1, stderr);
      assert.match(
        stderr,
        new RegExp(
          `regfeed\\.db is in use \\(process ${first.pid}, since \\d{4}-\\d\\d-\\d\\dT\\S+Z\\): stop that process first`,
        ),
      );
    }
    await first.end("SIGKILL");
    const next = await serve(folder);
    const { code, log } = await next.end("SIGTERM");
    assert.equal(code, 0, log);
  });
});
