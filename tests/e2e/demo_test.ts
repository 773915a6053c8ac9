// The demo as its first user runs it.
import assert from "node:assert/strict";
import { regfeed, withFolder } from "../support/process.ts";

Deno.test("demo --once keeps every promise and leaves nothing behind", () =>
  withFolder(async (folder) => {
    const { code, stdout, stderr } = await regfeed(folder, ["demo", "--once"]);
    assert.equal(code, 0, stdout + stderr);
    const [, arrived, promised] =
      /(\d+) of (\d+) promised deliveries arrived and verified; 0 refused/.exec(stdout) ?? [];
    assert.ok(Number(promised) > 0);
    assert.equal(arrived, promised);
    assert.match(stdout, /event\.revised/);
    assert.match(stdout, /diff_to_previous/);
    for (const format of ["RSS", "Atom", "JSON Feed"]) assert.match(stdout, new RegExp(format));
    for (const language of ["en", "de", "fr"]) assert.match(stdout, new RegExp(`\\+ .* ${language} `));
    const store = /store +(\S+)/.exec(stdout)?.[1] ?? "";
    await assert.rejects(Deno.stat(store), "the demo's folder is removed");
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  }));
