// Hostile documents of the maximum size are parsed within a small heap.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../../support/workers/parse_hostile.ts", import.meta.url));

Deno.test("hostile documents of 20 MB take at most 256 MB of heap", async () => {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--allow-read", "--v8-flags=--max-old-space-size=256", PROGRAM],
    stdout: "null",
    stderr: "piped",
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr).slice(0, 1_000));
});
