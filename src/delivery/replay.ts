// Replays: what a subscription was sent in a stretch of time goes to it once more, and what it never got goes too.
import { utcMonth } from "../domain/calendar.ts";
import { firstIdAt } from "../domain/ids.ts";
import type { Replayed } from "../domain/catch_up_store.ts";
import type { Store } from "../domain/store.ts";
import { createDeliveriesFor, type Matching } from "./match.ts";

/** Deliveries made or sent again in one call at most. */
const MAX_DELIVERIES = 1_000;
/** Events that are looked at in one transaction: few, so that sending gets its turn between them. */
const EVENTS_A_STEP = 200;
/** Steps of one call at most. */
const MAX_STEPS = 50;

/** Which events: those stored from `sinceMs` on, before `untilMs` (Unix ms); `afterId` goes on behind an event. */
export interface ReplayRange {
  sinceMs: number;
  untilMs: number | null;
  afterId: string | null;
}

/** What was done; `lastEventId` is the one to go on behind, null when the range is done. */
export type ReplayOutcome = Replayed | "unknown" | "disabled";

/** What replays are made with. */
export interface Replaying extends Pick<Matching, "clock" | "newId" | "topics" | "tiers"> {
  store: Pick<Store, "replayEvents">;
}

/** Sends the customer's subscription a range again: a thousand deliveries a call at most, in the order of storing. */
export type Replay = (
  customerId: string,
  subscriptionId: string,
  range: ReplayRange,
) => Promise<ReplayOutcome>;

/** Replays over their store. */
export function createReplay(replaying: Replaying): Replay {
  const { store, clock, tiers } = replaying;
  const deliveriesAt = createDeliveriesFor(replaying);
  return async (customerId, subscriptionId, range) => {
    const nowMs = clock.nowMs();
    const start = firstIdAt("event", range.sinceMs);
    const sum: Replayed = { replayed: 0, created: 0, held: 0, lastEventId: null };
    let afterId = range.afterId !== null && range.afterId > start ? range.afterId : start;
    for (let step = 0; step < MAX_STEPS; step++) {
      const place = sum.replayed + sum.created;
      if (place >= MAX_DELIVERIES) return { ...sum, lastEventId: afterId };
      const more = await store.replayEvents(customerId, subscriptionId, {
        nowMs,
        month: utcMonth(nowMs),
        tiers,
        newMailId: () => replaying.newId("mail"),
        afterId,
        beforeId: firstIdAt("event", range.untilMs ?? Number.MAX_SAFE_INTEGER),
        maxEvents: EVENTS_A_STEP,
        maxDeliveries: MAX_DELIVERIES - place,
        firstPlace: place,
        deliveriesFor: deliveriesAt(nowMs),
      });
      if (typeof more === "string") return more;
      sum.replayed += more.replayed;
      sum.created += more.created;
      sum.held += more.held;
      afterId = more.lastEventId ?? afterId;
      if (more.isFull) return { ...sum, lastEventId: afterId, isFull: true };
      if (more.lastEventId === null) return sum;
    }
    return { ...sum, lastEventId: afterId };
  };
}
