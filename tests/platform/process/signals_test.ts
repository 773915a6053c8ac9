// Signals never kill a service that is starting.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withFolder } from "../../support/process.ts";

const MAIN = new URL("../../../main.ts", import.meta.url);
const CLI = new URL("../../../src/cli/cli.ts", import.meta.url);
const PROBE = new URL("signals_probe.ts", import.meta.url);

/** Runs main.ts with a replaced command line, which sends signals while it loads. */
async function runProbe(folder: string, args: string[]): Promise<Deno.CommandOutput> {
  const importMap = join(folder, "imports.json");
  await Deno.writeTextFile(importMap, JSON.stringify({ imports: { [CLI.href]: PROBE.href } }));
  return await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--quiet", "--no-lock", "--no-prompt", "--allow-all", `--import-map=${importMap}`],
      fileURLToPath(MAIN),
      ...args,
    ],
    stdout: "piped",
    stderr: "piped",
  }).output();
}

Deno.test("serve keeps the signals that arrive before its command is loaded", async () => {
  await withFolder(async (folder) => {
    const { code, stdout, stderr, signal } = await runProbe(folder, ["serve"]);
    assert.equal(signal, null, new TextDecoder().decode(stderr));
    assert.equal(code, 0, new TextDecoder().decode(stderr));
    assert.deepEqual(JSON.parse(new TextDecoder().decode(stdout)), ["SIGTERM", "reload"]);
  });
});

Deno.test("a signal ends other commands", async () => {
  await withFolder(async (folder) => {
    const { signal } = await runProbe(folder, ["backup", "create"]);
    assert.notEqual(signal, null);
  });
});
