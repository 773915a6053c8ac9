// Plans which subscriptions the tier limit holds: the newest are held first and enabled again last.
import type { FittedSubscription, TierFit } from "../customer/mail.ts";

/** A customer's active subscriptions, and those that the tier limit holds, both in the order of creation. */
interface PlanFacts {
  active: readonly FittedSubscription[];
  held: readonly FittedSubscription[];
}

export type PlanFit = Pick<TierFit, "held" | "returned">;

/** Holds the newest active subscriptions beyond the limit. If there is room, enables held ones again, oldest first. */
export function planLimits({ active, held }: PlanFacts, limit: number): PlanFit {
  return {
    held: active.slice(limit),
    returned: held.slice(0, Math.max(0, limit - active.length)),
  };
}

/** Whether {@link planLimits} would change anything, decided from the counts alone. */
export function breaksLimits({ active, held }: { active: number; held: number }, limit: number): boolean {
  return active > limit || (active < limit && held > 0);
}
