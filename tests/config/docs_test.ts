// The examples of docs/run/sources.md.
import assert from "node:assert/strict";
import { FETCH_STRATEGIES } from "../../src/domain/source.ts";
import { configOf } from "./given.ts";

Deno.test("every example of docs/run/sources.md is a valid config, and every strategy has one", async () => {
  const text = await Deno.readTextFile(new URL("../../docs/run/sources.md", import.meta.url));
  const examples = [...text.matchAll(/^```toml\n([^]*?)^```$/gm)].map(([, example = ""]) => example);
  const strategies = new Set<string>();
  for (const example of examples) {
    for (const { fetchStrategy } of (await configOf(example)).sources) strategies.add(fetchStrategy);
  }
  assert.deepEqual([...strategies].sort(), FETCH_STRATEGIES.toSorted());
});
