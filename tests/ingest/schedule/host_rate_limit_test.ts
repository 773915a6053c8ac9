// The pauses between requests to one host.
import assert from "node:assert/strict";
import { createHostRateLimit } from "../../../src/ingest/schedule/host_rate_limit.ts";

/** Returns the waiting time of each request, ms. */
async function waits(
  pace: ReturnType<typeof createHostRateLimit>,
  slept: number[],
  hosts: readonly string[],
): Promise<number[]> {
  const found: number[] = [];
  for (const host of hosts) {
    slept.length = 0;
    await pace(host, new AbortController().signal);
    found.push(slept[0] ?? 0);
  }
  return found;
}

Deno.test("createHostRateLimit() spaces the requests to each host independently, even after the clock has been set back", async () => {
  let nowMs = 1_000_000;
  const slept: number[] = [];
  const sleep = (ms: number) => Promise.resolve(void slept.push(ms));
  const pace = createHostRateLimit({ nowMs: () => nowMs, sleep }, (host) => host === "slow" ? 10_000 : 1_000);
  const waited = await waits(pace, slept, ["a", "slow", "a", "slow", "b", "a"]);
  assert.deepEqual(waited, [0, 0, 1_000, 10_000, 0, 2_000]);
  nowMs += 2_500;
  assert.deepEqual(await waits(pace, slept, ["a", "b"]), [500, 0], "after the last slot");
  nowMs -= 900_000;
  assert.deepEqual(await waits(pace, slept, ["slow", "slow"]), [0, 10_000]);
});
