// Two servers on one store: the second says so and goes on, the doctor says so, and nothing of it outlives the first.
import assert from "node:assert/strict";
import { regfeed, serve, withFolder, writeConfig } from "../support/process.ts";

const CONFIG = '[server]\nlisten = "127.0.0.1:0"\n';

Deno.test("a second server on a store is told of in its log and by the doctor, until the first is gone, however it went", async () => {
  await withFolder(async (folder) => {
    await writeConfig(folder, CONFIG);
    const doctor = async () => (await regfeed(folder, ["doctor", "--offline"])).stdout;
    const first = await serve(folder);
    assert.doesNotMatch(await doctor(), /two servers/);
    const second = await serve(folder);
    await second.said("another server has this store open");
    const found = await doctor();
    assert.match(found, /PROBLEM {2}two servers have this store open: process \d+, http/);
    assert.ok(found.includes(first.address) && found.includes(second.address), found);
    const waiting = await serve(folder);
    await waiting.said("another server has this store open");
    const ended = await waiting.end("SIGTERM");
    assert.equal(ended.code, 0, ended.log);
    assert.doesNotMatch(ended.log, /cannot be told/);
    await first.end("SIGKILL");
    await second.said("the other server has ended");
    assert.doesNotMatch(await doctor(), /two servers/);
    const { log } = await second.end("SIGKILL");
    assert.match(log, /another server has this store open.*other="?process \d+/);
    const third = await serve(folder);
    const { code, log: quiet } = await third.end("SIGTERM");
    assert.equal(code, 0);
    assert.doesNotMatch(quiet, /another server/, "a killed server leaves no claim behind");
  });
});
