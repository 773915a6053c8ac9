// Plans which subscriptions are held by the limit of the customer's plan: the newest ones, which return in order.
import type { FittedSubscription, TierFit } from "../customer/mail.ts";

/** A customer's subscriptions that are not deleted; each list is in the order of creation. */
export interface PlanFacts {
  active: readonly FittedSubscription[];
  held: readonly FittedSubscription[];
}

/** The subscriptions to hold or to enable again. */
export type PlanFit = Pick<TierFit, "held" | "returned">;

/** Holds the newest active subscriptions over the limit, or returns held ones, oldest first, while there is room. */
export function planLimits({ active, held }: PlanFacts, limit: number): PlanFit {
  return {
    held: active.slice(limit),
    returned: held.slice(0, Math.max(0, limit - active.length)),
  };
}

/** Whether {@link planLimits} would change anything; needs the counts alone. */
export function breaksLimits({ active, held }: { active: number; held: number }, limit: number): boolean {
  return active > limit || (active < limit && held > 0);
}
