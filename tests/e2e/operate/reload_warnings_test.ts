// What a server has to say of its config is said again when the config is read again, and no more often than it is news.
import assert from "node:assert/strict";
import { join } from "node:path";
import { serve, withFolder, writeConfig } from "../../support/process.ts";

const CONFIG = '[server]\nlisten = "127.0.0.1:0"\n[metrics]\nlisten = "127.0.0.1:0"\ntoken_file = "token"\n';

Deno.test("a reload warns of what others can read now, once, and again when it comes back", async () => {
  await withFolder(async (folder) => {
    await writeConfig(folder, CONFIG);
    const token = join(folder, "token");
    await Deno.writeTextFile(token, "k".repeat(32), { mode: 0o600 });
    const server = await serve(folder);
    const warnings = () =>
      server.log().match(/WARN .*token has mode 644: others can read it: chmod 6[04]0/g) ?? [];
    let reloads = 0;
    const reload = async () => {
      server.signal("SIGHUP");
      reloads++;
      const done = () => server.log().match(/config reloaded: no changes/g)?.length ?? 0;
      for (const endMs = Date.now() + 60_000; done() < reloads;) {
        assert.ok(Date.now() < endMs, server.log());
        await new Promise((again) => setTimeout(again, 20));
      }
      return warnings().length;
    };
    assert.equal(await reload(), 0);
    await Deno.chmod(token, 0o644);
    assert.equal(await reload(), 1);
    assert.equal(await reload(), 1);
    await Deno.chmod(token, 0o600);
    assert.equal(await reload(), 1);
    await Deno.chmod(token, 0o644);
    assert.equal(await reload(), 2);
    assert.equal((await server.end("SIGTERM")).code, 0);
  });
});
