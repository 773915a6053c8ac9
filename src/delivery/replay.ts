// Replays: sends a subscription's deliveries of a range of time again, with those that it never got.
import { utcMonth } from "../domain/customer/quota_period.ts";
import { overDailyLimit } from "../domain/customer/daily_limit.ts";
import { AppError } from "../domain/error_codes.ts";
import { firstIdAt } from "../domain/event/ids.ts";
import type { Replayed } from "../domain/ports/store/deliveries.ts";
import type { Store } from "../domain/ports/store/store.ts";
import { createDeliveriesFor, type Matching } from "./match/match.ts";

/** Deliveries made or sent again in one call at most. */
const MAX_DELIVERIES = 1_000;
/** Events that are looked at in one transaction: few, so that sending gets its turn between them. */
const EVENTS_A_STEP = 50;
/** `Retry-After` while another replay of the customer is in progress, seconds. */
const BUSY_RETRY_S = 5;
/** Steps of one call at most. */
const MAX_STEPS = 200;

/** Which events: those stored from `sinceMs` on, before `untilMs` (Unix ms); `afterId` goes on behind an event. */
export interface ReplayRange {
  sinceMs: number;
  untilMs: number | null;
  afterId: string | null;
}

/** Whose subscription is to get it, and how many replays that customer has a UTC day. */
export interface ReplayTarget {
  customerId: string;
  subscriptionId: string;
  replaysPerDay: number;
}

/** What was done; `lastEventId` is the one to go on behind, null when the range is done. */
export type ReplayOutcome = Replayed | "unknown" | "disabled";

/** The ports of replays. */
export interface Replaying extends Pick<Matching, "clock" | "newId" | "topics" | "tiers"> {
  store: Pick<Store, "replayEvents" | "usedToday">;
}

/**
 * Sends the customer's subscription a range again: a thousand deliveries a call at most, in the order of storing.
 * Throws `replay_limit_reached`, and sends nothing, when the day's replays are not enough for the call.
 */
export type Replay = (target: ReplayTarget, range: ReplayRange) => Promise<ReplayOutcome>;

/** Replays over their store, one at a time for each customer. */
export function createReplay(replaying: Replaying): Replay {
  const { store, clock } = replaying;
  const inProgress = new Set<string>();
  return async (target, range) => {
    const { customerId, replaysPerDay: limit } = target;
    if (inProgress.has(customerId)) {
      const detail = `Another replay of yours is in progress. Retry in ${BUSY_RETRY_S} seconds.`;
      throw new AppError("replay_limit_reached", detail, [], BUSY_RETRY_S);
    }
    inProgress.add(customerId);
    try {
      const nowMs = clock.nowMs();
      const left = Math.max(0, limit - (await store.usedToday(customerId, nowMs)).replays);
      const refused = (because?: string) =>
        overDailyLimit({ code: "replay_limit_reached", nouns: "replays", limit, nowMs }, because);
      const run = (isDryRun: boolean, maxEvents: number) =>
        replayRange(replaying, target, { range, nowMs, isDryRun, maxEvents });
      if (left < MAX_DELIVERIES) {
        // With none left, it is only looked whether the subscription is there.
        const counted = await run(true, left === 0 ? 0 : EVENTS_A_STEP);
        if (typeof counted === "string") return counted;
        if (left === 0 || counted === null) throw refused();
        const wanted = counted.replayed + counted.created;
        if (wanted > left) {
          throw refused(
            `This replay would send ${wanted} deliveries, and ${left} of your tier's ${limit} replays a ` +
              "day are left. Nothing was sent. Replay a shorter period with `until`.",
          );
        }
      }
      const outcome = await run(false, EVENTS_A_STEP);
      if (outcome === null) throw refused();
      return outcome;
    } finally {
      inProgress.delete(customerId);
    }
  };
}

/** Replays step by step; null when the limit allows not even the first step. */
async function replayRange(
  replaying: Replaying,
  { customerId, subscriptionId, replaysPerDay }: ReplayTarget,
  { range, nowMs, isDryRun, maxEvents }: {
    range: ReplayRange;
    nowMs: number;
    isDryRun: boolean;
    maxEvents: number;
  },
): Promise<ReplayOutcome | null> {
  const { store, clock, tiers } = replaying;
  const start = firstIdAt("event", range.sinceMs);
  const sum: Replayed = { replayed: 0, created: 0, held: 0, lastEventId: null };
  const deliveriesFor = createDeliveriesFor(replaying)(nowMs);
  let afterId = range.afterId !== null && range.afterId > start ? range.afterId : start;
  for (let step = 0; step < MAX_STEPS; step++) {
    const place = sum.replayed + sum.created;
    if (place >= MAX_DELIVERIES) break;
    const stepMs = clock.nowMs(); // each step counts on its own day
    const more = await store.replayEvents(customerId, subscriptionId, {
      nowMs: stepMs,
      month: utcMonth(stepMs),
      tiers,
      newMailId: () => replaying.newId("mail"),
      afterId,
      beforeId: firstIdAt("event", range.untilMs ?? Number.MAX_SAFE_INTEGER),
      maxEvents,
      maxDeliveries: MAX_DELIVERIES - place,
      firstPosition: place,
      replaysPerDay,
      isDryRun,
      deliveriesFor,
    });
    if (more === "limit_reached") {
      // Another process has used up what was left a moment ago.
      if (place === 0) return null;
      break;
    }
    if (typeof more === "string") return more;
    sum.replayed += more.replayed;
    sum.created += more.created;
    sum.held += more.held;
    afterId = more.lastEventId ?? afterId;
    if (more.isFull) return { ...sum, lastEventId: afterId, isFull: true };
    if (more.lastEventId === null) return sum;
    await clock.sleep(0); // whatever else waits goes on between two steps
  }
  return { ...sum, lastEventId: afterId };
}
