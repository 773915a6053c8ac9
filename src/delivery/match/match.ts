// Matching: creates the deliveries of a stored event for the subscriptions whose filters it passes.
import { utcMonth } from "../../domain/customer/quota_period.ts";
import type { Clock } from "../../domain/ports/ports.ts";
import type { NewId } from "../../domain/event/ids.ts";
import type { DeliveriesFor, NewDelivery } from "../../domain/ports/store/deliveries.ts";
import type { Store } from "../../domain/ports/store/store.ts";
import { passesOf } from "../../domain/event/event_filter.ts";
import type { Tier, TierLimits } from "../../domain/customer/tier.ts";
import type { Topic } from "../../domain/event/topic.ts";
import { preparePayload } from "./payload.ts";

/** Maximum number of events matched in one transaction, so that sending is not delayed. */
const MATCH_BATCH = 10;

export interface Matching {
  store: Pick<Store, "matchEvents" | "catchUp">;
  clock: Clock;
  newId: NewId;
  topics: readonly Topic[];
  tiers: Record<Tier, TierLimits>;
}

/** The returned function takes the `timestamp` of the bodies, and returns the function that creates the deliveries. */
export function createDeliveriesFor(
  { newId, topics }: Pick<Matching, "newId" | "topics">,
): (nowMs: number) => DeliveriesFor {
  return (nowMs) => (unmatched, subscriptions) => {
    const matching = subscriptions.filter(passesOf(unmatched.event, topics));
    if (matching.length === 0) return [];
    const { openingFor, endingIn } = preparePayload(unmatched, nowMs);
    return matching.map((subscription): NewDelivery => {
      const id = newId("delivery");
      return {
        id,
        subscriptionId: subscription.id,
        opening: (sequence) => openingFor({ deliveryId: id, subscriptionId: subscription.id, sequence }),
        ending: endingIn(subscription.language),
      };
    });
  };
}

/**
 * Returns a function that matches a batch of waiting events, oldest first, and advances a subscription that is catching
 * up. It returns the number of events matched and subscriptions advanced.
 */
export function createMatching(matching: Matching): () => Promise<number> {
  const { store, clock, tiers } = matching;
  const deliveriesAt = createDeliveriesFor(matching);
  return async () => {
    const nowMs = clock.nowMs();
    const terms = {
      nowMs,
      month: utcMonth(nowMs),
      tiers,
      newMailId: () => matching.newId("mail"),
      deliveriesFor: deliveriesAt(nowMs),
    };
    const matched = await store.matchEvents({ ...terms, limit: MATCH_BATCH });
    return matched + await store.catchUp(terms);
  };
}
