// A worker thread in which the JavaScript version of recheck decides whether regular expressions take linear time.
import recheck from "npm:recheck@4.5.0/lib/browser.js";
import type { Expression } from "./expressions.ts";

/**
 * A regular expression that takes more than linear time, with an attack, or one that recheck cannot decide, with the
 * reason.
 */
export type Verdict = { expression: Expression; what: string };

interface Diagnostics {
  status: "safe" | "vulnerable" | "unknown";
  complexity?: { summary: string };
  attack?: { pattern: string };
  error?: { kind: string };
}

/**
 * Counts limit the analysis, so that the result does not depend on the machine's speed. The time limit is only for
 * expressions that are far too complicated: the slowest one in the program takes a few seconds.
 */
const PARAMETERS = {
  timeout: 120_000,
  attackLimit: 1_000_000,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
  maxIteration: 3,
  randomSeed: 0,
};

const { checkSync } = recheck as unknown as {
  checkSync(source: string, flags: string, parameters: typeof PARAMETERS): Diagnostics;
};

declare const self: Worker;
self.onmessage = ({ data }: MessageEvent<Expression>) => {
  const { status, complexity, attack, error } = checkSync(data.source, data.flags, PARAMETERS);
  const what = status === "vulnerable"
    ? `takes more than linear time: ${complexity?.summary}, ${attack?.pattern}`
    : `recheck cannot decide: ${error?.kind}`;
  self.postMessage(status === "safe" ? null : { expression: data, what } satisfies Verdict);
};
