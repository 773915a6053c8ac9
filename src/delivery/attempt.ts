// An attempt under way, in the order of starting.
import type { Chain, Link } from "../domain/chain.ts";
import type { ClaimedDelivery } from "../domain/delivery.ts";

/** An attempt that is being sent. */
export class Attempt implements Link<Attempt> {
  earlier: Attempt | null = null;
  later: Attempt | null = null;
  chain: Chain<Attempt> | null = null;

  constructor(readonly delivery: ClaimedDelivery, readonly startedAtMs: number) {}
}
