// A worker with some tasks that succeed and some that fail.
import process from "node:process";
import { serveTasks } from "../../../src/platform/process/worker_thread.ts";

let calls = 0;

serveTasks({
  count: () => ++calls,
  match: (given) => {
    const { pattern, text } = given as { pattern: string; text: string };
    return new RegExp(pattern).test(text);
  },
  loop: (counter) => {
    if (counter === null) { for (;;); }
    for (const counts = new Int32Array(counter as SharedArrayBuffer);;) Atomics.add(counts, 0, 1);
  },
  eat: () => {
    for (const eaten: number[][] = [];;) eaten.push(new Array(1_000).fill(Math.random()));
  },
  list: (length) => Array.from({ length: length as number }, (_, at) => ({ at })),
  fail: (message) => {
    throw new TypeError(String(message));
  },
  /** Parses JSON in native code, which cannot be interrupted. */
  parse: (length) => {
    try {
      JSON.parse("[".repeat(length as number));
    } catch {
      // The JSON is incomplete.
    }
  },
  exit: () => process.exit(1),
});
