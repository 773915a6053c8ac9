// A thread that has recheck decide whether expressions take linear time. Its JavaScript alone is used: no other program.
import recheck from "npm:recheck@4.5.0/lib/browser.js";
import type { Expression } from "./expressions.ts";

/** What is said of expressions that are not linear, or of which that cannot be decided: the attack, or why not. */
export type Verdict = { expression: Expression; what: string };

interface Diagnostics {
  status: "safe" | "vulnerable" | "unknown";
  complexity?: { summary: string };
  attack?: { pattern: string };
  error?: { kind: string };
}

/**
 * Bounded by counts alone, so that the result does not depend on the machine. The time limit is only for an expression
 * that is far too complicated; the slowest takes a few seconds.
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
    : `cannot be decided: ${error?.kind}`;
  self.postMessage(status === "safe" ? null : { expression: data, what } satisfies Verdict);
};
