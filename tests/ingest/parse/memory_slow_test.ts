// How much memory parsing takes: a document of the maximum size that is made to take much stays within a small heap.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../../support/workers/parse_hostile.ts", import.meta.url));

Deno.test("no hostile document of 20 MB takes more than 256 MB of heap", async () => {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--allow-read", "--v8-flags=--max-old-space-size=256", PROGRAM],
    stdout: "null",
    stderr: "piped",
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr).slice(0, 1_000));
});
