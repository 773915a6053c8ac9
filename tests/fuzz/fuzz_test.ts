// Time grows in proportion to the input in every parser of bytes from outside: known cases.
import assert from "node:assert/strict";
import { Fuzzer } from "./driver.ts";
import { FINDINGS } from "./findings.ts";

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
