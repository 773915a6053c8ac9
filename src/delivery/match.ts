// Matching: from an event that was stored to the deliveries of the subscriptions that want it.
import { utcMonth } from "../domain/calendar.ts";
import type { Clock } from "../domain/ports.ts";
import type { NewId } from "../domain/ids.ts";
import type { DeliveriesFor, NewDelivery, Store, UnmatchedEvent } from "../domain/store.ts";
import { type MatchedSubscription, matches } from "../domain/subscription.ts";
import type { Tier, TierLimits } from "../domain/tier.ts";
import type { Topic } from "../domain/topic.ts";
import { preparePayload } from "./payload.ts";

/** Events matched in one transaction: few, so that sending gets its turn between them. */
const MATCH_BATCH = 10;

/** What matching needs. */
export interface Matching {
  store: Pick<Store, "matchEvents" | "backfill">;
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

/** What is made of an event for the subscriptions that want it; `nowMs` is the `timestamp` of the bodies. */
export function createDeliveriesFor(
  { newId, topics }: Pick<Matching, "newId" | "topics">,
): (nowMs: number) => DeliveriesFor {
  const wanting = createMatcher(topics);
  return (nowMs) => (unmatched, subscriptions) => {
    const wanted = wanting(unmatched.event, subscriptions);
    if (wanted.length === 0) return [];
    const bodyFor = preparePayload(unmatched, nowMs);
    return wanted.map((subscription): NewDelivery => {
      const id = newId("delivery");
      return {
        id,
        subscriptionId: subscription.id,
        body: (sequence) => bodyFor({ deliveryId: id, subscription, sequence }),
      };
    });
  };
}

/**
 * Matches some of the events that wait, oldest first, and goes on with the past that subscriptions asked for. The
 * returned function says how many events it matched and with how many subscriptions it went on.
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
    return matched + await store.backfill(terms);
  };
}
