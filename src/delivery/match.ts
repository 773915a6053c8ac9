// Matching: from an event that was stored to the deliveries of the subscriptions that want it.
import { utcMonth } from "../domain/calendar.ts";
import type { Clock } from "../domain/ports.ts";
import type { NewId } from "../domain/ids.ts";
import type { NewDelivery, Store, UnmatchedEvent } from "../domain/store.ts";
import { type MatchedSubscription, matches } from "../domain/subscription.ts";
import type { Tier, TierLimits } from "../domain/tier.ts";
import type { Topic } from "../domain/topic.ts";
import { preparePayload } from "./payload.ts";

/** Events matched in one transaction: few, so that sending gets its turn between them. */
const MATCH_BATCH = 10;

/** What matching needs. */
export interface Matching {
  store: Pick<Store, "matchEvents">;
  clock: Clock;
  newId: NewId;
  /** The taxonomy. */
  topics: readonly Topic[];
  tiers: Record<Tier, TierLimits>;
}

/** The subscriptions that want an event. */
export type Matcher = (
  event: UnmatchedEvent["event"],
  subscriptions: readonly MatchedSubscription[],
) => MatchedSubscription[];

/**
 * The rule of `matches()` for many subscriptions at once. That a parent topic stands for its children is the same as
 * that an event of a child is one of its parent too: so the event's topics are widened once, and no filter's.
 */
export function createMatcher(topics: readonly Topic[]): Matcher {
  const parents = new Map(topics.map((topic) => [topic.id, topic.parent]));
  return (event, subscriptions) => {
    const own = event.topics.flatMap((id) => [id, parents.get(id) ?? id]);
    const widened = { topics: [...new Set(own)], source_id: event.source_id, severity: event.severity };
    return subscriptions.filter((subscription) => matches(subscription, widened, []));
  };
}

/** Matches some of the events that wait, oldest first. The returned function says how many it matched. */
export function createMatching({ store, clock, newId, topics, tiers }: Matching): () => Promise<number> {
  const wanting = createMatcher(topics);
  return () => {
    const nowMs = clock.nowMs();
    return store.matchEvents({
      nowMs,
      month: utcMonth(nowMs),
      limit: MATCH_BATCH,
      tiers,
      deliveriesFor: (unmatched, subscriptions) => {
        const bodyFor = preparePayload(unmatched, nowMs);
        return wanting(unmatched.event, subscriptions).map((subscription): NewDelivery => {
          const id = newId("delivery");
          return {
            id,
            subscriptionId: subscription.id,
            body: (sequence) => bodyFor({ deliveryId: id, subscription, sequence }),
          };
        });
      },
    });
  };
}
