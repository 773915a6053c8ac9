// A watched file counts as changed once its new content has been seen twice.
import assert from "node:assert/strict";
import { LOOK_EVERY_MS, watchFiles } from "../../src/server/watch_files.ts";
import { fakeClock } from "../support/clock.ts";

/** The contents at each check, and the expected number of changes. */
const ROWS: [name: string, looks: (string | null)[], reads: number][] = [
  ["nothing changes", ["a", "a", "a"], 0],
  ["new content that stays", ["b", "b", "b", "b"], 1],
  ["new content that has been seen only once", ["b"], 0],
  ["a file that is still being written", ["b", "bc", "bcd"], 0],
  ["a file that is written slowly, and then complete", ["b", "bc", "bcd", "bcd"], 1],
  ["a change that is undone", ["b", "a", "b", "a"], 0],
  ["a file that is missing for a moment, as when another file replaces it", ["gone", "a"], 0],
  ["two changes", ["b", "b", "c", "c"], 2],
  ["nothing is watched", [null, null, null], 0],
  ["a change before the file was watched", [null, "b", "b"], 1],
];

for (const [name, looks, reads] of ROWS) {
  Deno.test(`watchFiles(): ${name}`, async () => {
    const clock = fakeClock(0);
    const end = new AbortController();
    let known = "a";
    let content: string | null = "a";
    let done = 0;
    const watching = watchFiles({
      known: () => content === null ? null : new Map([["/config", known], ["/secret", "s"]]),
      digest: (path) => Promise.resolve(path === "/secret" ? "s" : content ?? ""),
      clock,
      onChange: () => {
        done++;
        known = content ?? "";
        return Promise.resolve();
      },
    }, end.signal);
    for (const look of looks) {
      content = look;
      await clock.advance(LOOK_EVERY_MS);
      await new Promise((resolve) => setTimeout(resolve)); // the check has finished before the next content
    }
    assert.equal(done, reads);
    end.abort();
    await watching;
  });
}
