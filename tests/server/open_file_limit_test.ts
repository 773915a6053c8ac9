// The watch over open files: told when they become few, once an hour, and when there are enough again.
import assert from "node:assert/strict";
import { watchOpenFiles } from "../../src/server/open_file_limit.ts";
import { createMetrics } from "../../src/domain/ports/metrics.ts";
import type { Clock, Log } from "../../src/domain/ports/ports.ts";

Deno.test("watchOpenFiles() says when files become few, again after an hour, and when that is over", async () => {
  const ending = new AbortController();
  const metrics = createMetrics();
  const said: string[] = [];
  const say = (level: string) => (text: string) =>
    void said.push(`${nowMs / 1_000} s ${level}: ${text.slice(0, 15)}`);
  const log = { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") } as Log;
  let nowMs = 0;
  const gauges: (string | undefined)[] = [];
  const clock = {
    nowMs: () => nowMs,
    async sleep(ms: number) {
      gauges.push(/^regfeed_files_scarce (\d)/m.exec(await metrics.render())?.[1]);
      nowMs += ms;
      if (nowMs > 3_700_000) ending.abort();
    },
  } as unknown as Clock;
  // Few from 20 s to 3 650 s, but for one look.
  const hasFiles = (count: number) => {
    assert.equal(count, 200);
    return nowMs < 20_000 || nowMs === 60_000 || nowMs >= 3_650_000;
  };
  await watchOpenFiles({ hasFiles, log, clock, metrics }, ending.signal);
  assert.deepEqual(said, [
    "20 s warn: fewer than 200 ",
    "60 s info: enough files ca",
    "3620 s warn: fewer than 200 ",
    "3650 s info: enough files ca",
  ]);
  assert.deepEqual(gauges.slice(0, 8), ["0", "0", "1", "1", "1", "1", "0", "1"]);
  assert.equal(gauges.at(-1), "0");
});
