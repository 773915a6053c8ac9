// Matching: from an event that was stored to the deliveries of the subscriptions that want it.
import { utcMonth } from "../../domain/customer/quota_period.ts";
import type { Clock } from "../../domain/ports/ports.ts";
import type { NewId } from "../../domain/event/ids.ts";
import type { DeliveriesFor, NewDelivery } from "../../domain/ports/store/deliveries.ts";
import type { Store } from "../../domain/ports/store/store.ts";
import { passesOf } from "../../domain/delivery/subscription.ts";
import type { Tier, TierLimits } from "../../domain/customer/tier.ts";
import type { Topic } from "../../domain/event/topic.ts";
import { preparePayload } from "./payload.ts";

/** Events matched in one transaction: few, so that sending gets its turn between them. */
const MATCH_BATCH = 10;

/** The ports of matching. */
export interface Matching {
  store: Pick<Store, "matchEvents" | "catchUp">;
  clock: Clock;
  newId: NewId;
  /** The taxonomy. */
  topics: readonly Topic[];
  tiers: Record<Tier, TierLimits>;
}

/** What is made of an event for the subscriptions that want it; `nowMs` is the `timestamp` of the bodies. */
export function createDeliveriesFor(
  { newId, topics }: Pick<Matching, "newId" | "topics">,
): (nowMs: number) => DeliveriesFor {
  return (nowMs) => (unmatched, subscriptions) => {
    const wanted = subscriptions.filter(passesOf(unmatched.event, topics));
    if (wanted.length === 0) return [];
    const { openingFor, endingIn } = preparePayload(unmatched, nowMs);
    return wanted.map((subscription): NewDelivery => {
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
 * Matches some of the events that wait, oldest first, and goes on with a subscription that is behind. The returned
 * function says how many events it matched and with how many subscriptions it went on.
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
