// recheck finds no regular expression of the program that takes more than linear time.
import assert from "node:assert/strict";
import { type Expression, expressionsOf } from "../../tools/tidy/expressions.ts";
import type { Verdict } from "../../tools/tidy/recheck.ts";
import { parseSource, readRepository } from "../../tools/tidy/source.ts";

const THREADS = 2;

/** Returns recheck's verdicts on the expressions that it cannot prove linear. Several threads share the work. */
async function verdictsOn(expressions: readonly Expression[]): Promise<Verdict[]> {
  const waiting = [...expressions];
  const found: Verdict[] = [];
  const work = (worker: Worker) =>
    new Promise<void>((done, fail) => {
      const next = () => {
        const expression = waiting.pop();
        if (expression === undefined) done();
        else worker.postMessage(expression);
      };
      worker.onerror = (event) => {
        event.preventDefault();
        fail(new Error(event.message));
      };
      worker.onmessage = ({ data }: MessageEvent<Verdict | null>) => {
        if (data !== null) found.push(data);
        next();
      };
      next();
    });
  const address = new URL("../../tools/tidy/recheck.ts", import.meta.url);
  const workers = Array.from({ length: THREADS }, () => new Worker(address, { type: "module" }));
  try {
    await Promise.all(workers.map(work));
  } finally {
    for (const worker of workers) worker.terminate();
  }
  return found;
}

function linesOf(verdicts: readonly Verdict[]): string[] {
  return verdicts.map(({ expression: { path, line, source, flags }, what }) =>
    `${path}:${line}: /${source}/${flags} ${what}`
  );
}

Deno.test("every regular expression of the program takes linear time", async () => {
  const expressions = expressionsOf(readRepository(new URL("../../", import.meta.url)));
  assert.ok(expressions.length > 300, `${expressions.length} expressions`);
  const found = linesOf(await verdictsOn(expressions));
  assert.equal(found.length, 0, `\n${found.join("\n")}`);
});

Deno.test("expressions that take exponential or polynomial time are found by every method", async () => {
  const text = String
    .raw`const a = [/^(a+)+$/, /\s+$/, /^\s*(<!--[^]*?-->\s*)*<(html|head)/i, /(?<!b)a*a*a*c/, /^a+$/, /x/g];`;
  const found = await verdictsOn(expressionsOf([parseSource("src/api/a.ts", text)]));
  const sources = found.map(({ expression }) => expression.source).sort();
  assert.deepEqual(sources, [
    String.raw`(?<!b)a*a*a*c`,
    String.raw`\s+$`,
    String.raw`^(a+)+$`,
    String.raw`^\s*(<!--[^]*?-->\s*)*<(html|head)`,
  ]);
});
