// Two servers on one store: the second one refuses to start, and the lock is released when the first one ends.
import assert from "node:assert/strict";
import { assertFails, serve, withConfig } from "../../support/process.ts";

Deno.test("a second server on a store exits with code 1 and names the first", async () => {
  await withConfig('[server]\nlisten = "127.0.0.1:0"\n', async (folder) => {
    const first = await serve(folder);
    for (let times = 0; times < 2; times++) {
      await assertFails(
        folder,
        "serve",
        1,
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
