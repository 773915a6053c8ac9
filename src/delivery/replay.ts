// Replays a period: sends a subscription's deliveries again, and creates missing ones.
import { utcMonth } from "../domain/customer/quota_period.ts";
import { notEnoughReplays, overDailyLimit } from "../domain/customer/daily_limit.ts";
import { AppError } from "../domain/error_codes.ts";
import { firstIdAt } from "../domain/event/ids.ts";
import type { Replayed } from "../domain/ports/store/deliveries.ts";
import type { Store } from "../domain/ports/store/store.ts";
import { createDeliveriesFor, type Matching } from "./match/match.ts";

/** Maximum number of deliveries created or sent again by one call. */
const MAX_DELIVERIES = 1_000;
/** Number of events processed in one transaction, so that sending is not delayed. */
const EVENTS_A_STEP = 50;
/** `Retry-After` in seconds while the customer has another replay in progress. */
const BUSY_RETRY_S = 5;
const MAX_STEPS = 200;

/** The events stored after `afterId`, at or after `sinceMs` and before `untilMs` (both in Unix ms). */
interface ReplayRange {
  sinceMs: number;
  untilMs: number | null;
  afterId: string | null;
}

interface ReplayTarget {
  customerId: string;
  subscriptionId: string;
  replaysPerDay: number;
}

/** The next call continues after `lastEventId`, which is null at the end of the range. */
type ReplayOutcome = Replayed | "unknown" | "disabled";

export interface Replaying extends Pick<Matching, "clock" | "newId" | "topics" | "tiers"> {
  store: Pick<Store, "replayEvents" | "usedToday">;
}

/**
 * Replays a range in the order in which its events were stored, at most 1,000 deliveries per call. If that needs more
 * replays than are left for the day, or the customer has another call in progress, sends nothing and throws
 * `replay_limit_reached`.
 */
export type Replay = (target: ReplayTarget, range: ReplayRange) => Promise<ReplayOutcome>;

/** Creates a replay function. It refuses a second replay of a customer while the first is in progress. */
export function createReplay(replaying: Replaying): Replay {
  const { store, clock } = replaying;
  const inProgress = new Set<string>();
  return async (target, range) => {
    const { customerId, replaysPerDay: limit } = target;
    if (inProgress.has(customerId)) {
      const detail = `You have another replay in progress. Retry in ${BUSY_RETRY_S} s.`;
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
        // If no replays are left, this only finds out whether the subscription is unknown or disabled.
        const counted = await run(true, left === 0 ? 0 : EVENTS_A_STEP);
        if (typeof counted === "string") return counted;
        if (left === 0 || counted === null) throw refused();
        const wanted = counted.replayed + counted.created;
        if (wanted > left) {
          throw refused(notEnoughReplays({ wanted, left, limit }));
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

/** Replays the range step by step. Returns null if the limit does not allow the first step. */
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
    const done = sum.replayed + sum.created;
    if (done >= MAX_DELIVERIES) break;
    const stepMs = clock.nowMs(); // a step counts against the day on which it runs
    const more = await store.replayEvents(customerId, subscriptionId, {
      nowMs: stepMs,
      month: utcMonth(stepMs),
      tiers,
      newMailId: () => replaying.newId("mail"),
      afterId,
      beforeId: firstIdAt("event", range.untilMs ?? Number.MAX_SAFE_INTEGER),
      maxEvents,
      maxDeliveries: MAX_DELIVERIES - done,
      firstPosition: done,
      replaysPerDay,
      isDryRun,
      deliveriesFor,
    });
    if (more === "limit_reached") {
      // Another process has used the remaining replays in the meantime.
      if (done === 0) return null;
      break;
    }
    if (typeof more === "string") return more;
    sum.replayed += more.replayed;
    sum.created += more.created;
    sum.held += more.held;
    afterId = more.lastEventId ?? afterId;
    if (more.isFull) return { ...sum, lastEventId: afterId, isFull: true };
    if (more.lastEventId === null) return sum;
    await clock.sleep(0); // lets other work run between two steps
  }
  return { ...sum, lastEventId: afterId };
}
