// Periodic maintenance: releases, warns, disables, removes old data, and handles clock rollbacks.
import { utcMonth } from "../domain/customer/quota_period.ts";
import type { NewId } from "../domain/event/ids.ts";
import type { Clock, Log } from "../domain/ports/ports.ts";
import type { Store } from "../domain/ports/store/store.ts";
import type { Tier, TierLimits } from "../domain/customer/tier.ts";

/** How often held deliveries are looked at, ms. */
const RELEASE_EVERY_MS = 1_000;
/** How often endpoints that fail, and what is old, are looked at, ms. */
const JUDGE_EVERY_MS = 60_000;
/** Deliveries removed in one transaction at most, so that sending gets its turn. */
const REMOVE_BATCH = 200;
/** A clock goes back by less than this when it is set right little by little, ms. */
const CLOCK_STEP_MS = 1_000;

/** The ports of maintenance. */
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
  /** How long bodies and attempts of deliveries that are over are kept, and how long the deliveries themselves, ms. */
  keepMs: { bodies: number; deliveries: number };
}

/** Something that is done at intervals, whichever way the clock goes. */
class Interval {
  #lastMs = -Infinity;

  constructor(readonly everyMs: number) {}

  isDue(nowMs: number): boolean {
    return Math.abs(nowMs - this.#lastMs) >= this.everyMs;
  }

  done(nowMs: number): void {
    this.#lastMs = nowMs;
  }
}

/** Does what is due now. The returned function says how many deliveries and subscriptions may go on. */
export function createUpkeep(upkeep: Upkeep): () => Promise<number> {
  const { store, clock, log } = upkeep;
  const newMailId = (): string => upkeep.newId("mail");
  const releasing = new Interval(RELEASE_EVERY_MS);
  const judging = new Interval(JUDGE_EVERY_MS);
  let seenMs = Infinity; // what another run of this service has decided may be in the future too

  return async () => {
    const nowMs = clock.nowMs();
    if (nowMs < seenMs - CLOCK_STEP_MS) {
      const healed = await store.adjustForClockRollback(nowMs);
      if (healed > 0) {
        log.warn("the clock was set back: waiting deliveries are rescheduled", { deliveries: healed });
      }
      seenMs = nowMs;
    }
    seenMs = Math.max(seenMs, nowMs);
    if (judging.isDue(nowMs)) {
      const judged = await store.judgeEndpoints({ nowMs, newMailId });
      if (judged > 0) log.warn("endpoints have failed for days", { subscriptions: judged });
      // Before anything is released: the tiers of the config may be others than those of the last run.
      const switched = await store.fitSubscriptions({ nowMs, tiers: upkeep.tiers, newMailId });
      if (switched > 0) log.info("subscriptions held or enabled by tier limits", { subscriptions: switched });
      // While there is more, the next round continues.
      if (await removeOld(upkeep, nowMs) === 0) judging.done(nowMs);
    }
    if (!releasing.isDue(nowMs)) return 0;
    // Before releasing: a subscription that was enabled again meanwhile continues.
    if (await store.closeSubscriptions(nowMs) === 0) releasing.done(nowMs);
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
