// promtool accepts the metrics of a server.
import assert from "node:assert/strict";
import { freePort } from "../support/loopback.ts";
import { needs, program } from "../support/needs.ts";
import { serve, withFolder, writeConfig } from "../support/process.ts";

Deno.test(
  needs("promtool accepts the metrics of a server", program("promtool")),
  () =>
    withFolder(async (folder) => {
      const port = freePort();
      const config = `[server]\nlisten = "127.0.0.1:0"\n[metrics]\nlisten = "127.0.0.1:${port}"\n`;
      await writeConfig(folder, config);
      const server = await serve(folder);
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      await server.end("SIGTERM");
      const child = new Deno.Command("promtool", {
        args: ["check", "metrics"],
        stdin: "piped",
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      const writer = child.stdin.getWriter();
      await writer.write(new TextEncoder().encode(text));
      await writer.close();
      const { success, stderr } = await child.output();
      assert.ok(success, `${new TextDecoder().decode(stderr)}\n${text}`);
    }),
);
