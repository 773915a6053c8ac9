// Periodic maintenance: releases held deliveries, disables failing endpoints, removes old data, and reschedules waiting
// deliveries after the clock was set back.
import { utcMonth } from "../domain/customer/quota_period.ts";
import type { NewId } from "../domain/event/ids.ts";
import type { Clock, Log } from "../domain/ports/ports.ts";
import type { Store } from "../domain/ports/store/store.ts";
import type { Tier, TierLimits } from "../domain/customer/tier.ts";

const RELEASE_EVERY_MS = 1_000;
/** Interval in ms at which failing endpoints are examined and old data is removed. */
const JUDGE_EVERY_MS = 60_000;
/** Maximum number of deliveries removed in one transaction, so that sending is not delayed. */
const REMOVE_BATCH = 200;
/** Backward steps of the clock shorter than this are ignored as gradual adjustments, ms. */
const CLOCK_STEP_MS = 1_000;

export interface Upkeep {
  store: Pick<
    Store,
    | "releaseHeld"
    | "fitSubscriptions"
    | "judgeEndpoints"
    | "adjustForClockRollback"
    | "removeOldDeliveries"
    | "closeSubscriptions"
  >;
  clock: Clock;
  newId: NewId;
  log: Log;
  tiers: Record<Tier, TierLimits>;
  /** How long finished deliveries and their bodies (with attempts) are kept, in ms. */
  keepMs: { bodies: number; deliveries: number };
}

/** The returned function does the work that is due. It returns how many deliveries and subscriptions resumed. */
export function createUpkeep(upkeep: Upkeep): () => Promise<number> {
  const { store, clock, log } = upkeep;
  const newMailId = (): string => upkeep.newId("mail");
  let releasedAtMs = -Infinity;
  let judgedAtMs = -Infinity;
  let seenMs = Infinity; // so the first call corrects future times that a previous process may have stored
  // The difference is negative if the clock was set back.
  const isDue = (lastMs: number, everyMs: number, nowMs: number) => Math.abs(nowMs - lastMs) >= everyMs;

  return async () => {
    const nowMs = clock.nowMs();
    if (nowMs < seenMs - CLOCK_STEP_MS) {
      const deliveries = await store.adjustForClockRollback(nowMs);
      if (deliveries > 0) {
        log.warn("the clock was set back: waiting deliveries are rescheduled", { deliveries });
      }
      seenMs = nowMs;
    }
    seenMs = Math.max(seenMs, nowMs);
    if (isDue(judgedAtMs, JUDGE_EVERY_MS, nowMs)) {
      const judged = await store.judgeEndpoints({ nowMs, newMailId });
      if (judged > 0) log.warn("endpoints have failed for days", { subscriptions: judged });
      // This precedes the release of deliveries, because the tiers in the config may have changed since the last run.
      const switched = await store.fitSubscriptions({ nowMs, tiers: upkeep.tiers, newMailId });
      if (switched > 0) log.info("subscriptions held or enabled by tier limits", { subscriptions: switched });
      // If there may be more to remove, the next round continues.
      if (await removeOld(upkeep, nowMs) === 0) judgedAtMs = nowMs;
    }
    if (!isDue(releasedAtMs, RELEASE_EVERY_MS, nowMs)) return 0;
    // This precedes the release, because the deliveries of a subscription are not claimed while it is closing.
    if (await store.closeSubscriptions(nowMs) === 0) releasedAtMs = nowMs;
    return await store.releaseHeld({ nowMs, month: utcMonth(nowMs), tiers: upkeep.tiers, newMailId });
  };
}

function removeOld({ store, keepMs }: Upkeep, nowMs: number): Promise<number> {
  return store.removeOldDeliveries({
    prunedUntilMs: nowMs - keepMs.bodies,
    forgottenUntilMs: nowMs - keepMs.deliveries,
    limit: REMOVE_BATCH,
  });
}
