// Every parser of external input takes linear time, for known cases and for random ones.
import assert from "node:assert/strict";
import { createChance, seedOfRun } from "../support/chance.ts";
import { Fuzzer, randomCase } from "./driver.ts";
import { FINDINGS } from "./findings.ts";
import { PARSERS } from "./parsers.ts";

const SECONDS = Number(Deno.env.get("REGFEED_FUZZ_SECONDS") ?? 5);

async function withFuzzer(work: (fuzzer: Fuzzer) => Promise<void>): Promise<void> {
  const fuzzer = new Fuzzer();
  try {
    await work(fuzzer);
  } finally {
    fuzzer.close();
  }
}

Deno.test("inputs that once took too long are read in linear time", (test) =>
  withFuzzer(async (fuzzer) => {
    for (const [what, given] of Object.entries(FINDINGS)) {
      await test.step(what, async () => assert.equal(await fuzzer.run(given), null));
    }
  }));

Deno.test(`no parser takes more than linear time for random inputs in ${SECONDS} s`, () =>
  withFuzzer(async (fuzzer) => {
    const chance = createChance(seedOfRun());
    const endMs = performance.now() + SECONDS * 1_000;
    const found: string[] = [];
    for (let number = 0; performance.now() < endMs; number++) {
      const parser = PARSERS[number % PARSERS.length];
      if (parser === undefined) throw new Error("there are no parsers");
      const given = randomCase(parser, chance);
      const verdict = await fuzzer.run(given);
      if (verdict !== null) found.push(`${JSON.stringify(given)}\n  ${verdict}`);
    }
    assert.deepEqual(found, []);
  }));
