// The garbage collection settings of the executable, tested in the Deno that runs the tests.
import assert from "node:assert/strict";
import { COLLECTOR } from "../../../tools/build/executable.ts";

const MEGABYTE = 1_048_576;

/** Keeps 8 MB, allocates 500 MB in total, some of it slowly, and prints the heap's peak size in bytes. */
const CHURN = `
const piece = () => Array.from({ length: 1_000 }, (_, at) => ({ at, text: String(at) }));
const kept = Array.from({ length: 100 }, piece);
const passing = Array.from({ length: 100 });
let most = 0;
for (let at = 0; at < 8_000; at++) {
  passing[at % passing.length] = piece();
  if (at % 20 === 0) most = Math.max(most, Deno.memoryUsage().heapTotal);
  if (at % 200 === 0) await new Promise((resolve) => setTimeout(resolve));
}
console.log(kept.length === 100 ? most : NaN);`;

async function mostOf(flags: readonly string[]): Promise<number> {
  const given = flags.length === 0 ? [] : [`--v8-flags=${flags.join(",")}`];
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-config", ...given, CHURN],
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return Number(new TextDecoder().decode(stdout)) / MEGABYTE;
}

Deno.test("the executable's settings reduce the heap", async () => {
  const most = await mostOf(COLLECTOR);
  const byItself = await mostOf([]);
  assert.ok(most < byItself * 0.75, `${most.toFixed(1)} MB, without settings ${byItself.toFixed(1)} MB`);
});

Deno.test("the runtime knows every setting of the garbage collector", async () => {
  for (const setting of COLLECTOR) await mostOf([setting]);
  await assert.rejects(mostOf(["--no-such-setting-of-the-collector"]));
});
