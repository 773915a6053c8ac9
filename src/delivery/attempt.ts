// An attempt under way, in the order of starting, and one of which nobody knows what came of it.
import type { Chain, Link } from "../domain/chain.ts";
import type { AttemptResult, ClaimedDelivery } from "../domain/delivery.ts";

/** An attempt that is being sent. */
export class Attempt implements Link<Attempt> {
  earlier: Attempt | null = null;
  later: Attempt | null = null;
  chain: Chain<Attempt> | null = null;

  constructor(readonly delivery: ClaimedDelivery, readonly startedAtMs: number) {}
}

/** What is recorded of an attempt that broke off here: it may have arrived, and is made again. */
export function brokenOff(startedAtMs: number, nowMs: number): AttemptResult {
  return {
    startedAtMs,
    durationMs: Math.max(0, nowMs - startedAtMs),
    statusCode: null,
    problem: "the attempt broke off on the sender's side",
    retryAtMs: null,
    answer: null,
  };
}
