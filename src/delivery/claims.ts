// Which deliveries are claimed when: what has a free place, and a little ahead for endpoints that answer at once.
import type { AttemptResult, ClaimedDelivery } from "../domain/delivery.ts";
import type { Clock } from "../domain/ports.ts";
import type { Store } from "../domain/store.ts";
import { isSuccess } from "./retry.ts";

/** While claimed deliveries wait for a place, the store is asked for others so often, ms. */
const CLAIM_EVERY_MS = 20;
/** An endpoint that takes longer for an answer gets nothing ahead, ms. */
const QUICK_MS = 100;
/** Deliveries that wait for a place of one subscription at most. */
const MAX_AHEAD = 200;
/** What has waited for its place so long goes back: whoever changes a subscription must not wait for its effect, ms. */
const MAX_WAIT_MS = 100;
/** Of those that wait so many are looked at for one free place: with many endpoints most of them have none. */
const MAX_LOOK = 100;

/** What claims are made with. */
export interface Claiming {
  store: Pick<Store, "claimDeliveries" | "returnDeliveries" | "subscriptionsVersion">;
  clock: Clock;
  leaseMs: number;
  perSubscription: number;
  /** Attempts under way by subscription. */
  inFlight: ReadonlyMap<string, number>;
  /** Deliveries whose attempts are under way or not wholly recorded: they are not begun again before that. */
  underWay: { has(id: string): boolean };
}

/** A claimed delivery that waits for its place. */
interface Waiting {
  delivery: ClaimedDelivery;
  claimedAtMs: number;
}

/**
 * The supply of claimed deliveries. An endpoint of which n attempts have succeeded at once since the last claim gets up
 * to 2 n deliveries claimed beyond its places: they start as places become free, and one claim serves many. When it
 * fails, answers slowly or the wait lasts, they go back unattempted, to the place in the order that they had. So does
 * everything that waits when any subscription changes: what begins after a change must not go to the old address, with
 * the old secret, or at all.
 */
export class Claims {
  readonly #claiming: Claiming;
  /** The first claimed first. */
  #waiting: Waiting[] = [];
  #claimedAtMs = -Infinity;
  /** The state of all subscriptions since which those that wait were claimed. */
  #version = 0;
  /** Quick successes since the last claim, by subscription. */
  #quick = new Map<string, number>();
  /** Subscriptions whose waiting deliveries go back. */
  #stuck = new Set<string>();

  constructor(claiming: Claiming) {
    this.#claiming = claiming;
  }

  /** An attempt is over. */
  note({ subscriptionId }: ClaimedDelivery, result: AttemptResult): void {
    if (isSuccess(result) && result.durationMs <= QUICK_MS) {
      this.#quick.set(subscriptionId, (this.#quick.get(subscriptionId) ?? 0) + 1);
    } else this.#stuck.add(subscriptionId);
  }

  /** At most so many deliveries to start now. With `ahead` more than these may be claimed. */
  async take(places: number, ahead: boolean): Promise<ClaimedDelivery[]> {
    await this.#returnOutdated();
    const sinceMs = Math.abs(this.#claiming.clock.nowMs() - this.#claimedAtMs);
    if (sinceMs < CLAIM_EVERY_MS) {
      const taken = this.#start(places);
      if (taken.length > 0) return taken;
    }
    if (places > 0) await this.#claim(places, ahead);
    return this.#start(places);
  }

  /**
   * The first that has a free place now, without a claim: null when there is none, or it is time to claim or to give
   * back. Its caller begins it before asking again. Not while {@link Claims.take} is under way.
   */
  takeOne(): ClaimedDelivery | null {
    const { clock, store, inFlight, perSubscription } = this.#claiming;
    const nowMs = clock.nowMs();
    const [first] = this.#waiting;
    if (first === undefined || this.#stuck.size > 0 || isOver(nowMs, first.claimedAtMs, MAX_WAIT_MS)) {
      return null;
    }
    if (Math.abs(nowMs - this.#claimedAtMs) >= CLAIM_EVERY_MS) return null;
    const version = store.subscriptionsVersion(nowMs);
    if (version instanceof Promise) version.catch(() => {}); // whoever takes asks again, and hears of it
    if (version !== this.#version) return null;
    const most = Math.min(this.#waiting.length, MAX_LOOK);
    for (let at = 0; at < most; at++) {
      const { delivery } = this.#waiting[at] as Waiting;
      if ((inFlight.get(delivery.subscriptionId) ?? 0) >= perSubscription) continue;
      this.#waiting.splice(at, 1);
      return delivery;
    }
    return null;
  }

  /** Gives back everything that waits. */
  async returnAll(): Promise<void> {
    await this.#return(() => true);
  }

  async #claim(limit: number, ahead: boolean): Promise<void> {
    const { store, clock, leaseMs, perSubscription, inFlight } = this.#claiming;
    const nowMs = clock.nowMs();
    const places = new Map(inFlight);
    for (const { delivery: { subscriptionId } } of this.#waiting) {
      places.set(subscriptionId, (places.get(subscriptionId) ?? 0) + 1);
    }
    // Read before the claim: of a change between the two the next look at it will tell.
    const version = await store.subscriptionsVersion(nowMs);
    if (this.#waiting.length === 0) this.#version = version;
    const claimed = await store.claimDeliveries({
      nowMs,
      leaseMs,
      limit,
      perSubscription,
      inFlight: places,
      ahead: ahead ? this.#aheadAt(nowMs) : new Map(),
    });
    this.#quick = new Map();
    this.#claimedAtMs = nowMs;
    // After a jump of the clock (a machine that slept) the lease of what waits, or is being sent, can be over; and what
    // is due again at once (its address has changed) can be so before the disk has the attempt that failed.
    const known = new Set(this.#waiting.map(({ delivery }) => delivery.id));
    const isTaken = ({ id }: ClaimedDelivery) => known.has(id) || this.#claiming.underWay.has(id);
    for (const delivery of claimed) {
      if (!isTaken(delivery)) this.#waiting.push({ delivery, claimedAtMs: nowMs });
    }
    const taken = claimed.filter(isTaken);
    if (taken.length > 0) await store.returnDeliveries(taken, clock.nowMs());
  }

  #aheadAt(nowMs: number): ReadonlyMap<string, number> {
    // What an endpoint took in a long time says nothing about the next moment.
    if (Math.abs(nowMs - this.#claimedAtMs) > MAX_WAIT_MS) return new Map();
    return new Map(Array.from(this.#quick, ([id, count]) => [id, Math.min(2 * count, MAX_AHEAD)]));
  }

  /** Takes those that have a free place, the first claimed first. */
  #start(places: number): ClaimedDelivery[] {
    const { inFlight, perSubscription } = this.#claiming;
    const started: ClaimedDelivery[] = [];
    const kept: Waiting[] = [];
    const running = new Map<string, number>();
    let at = 0;
    for (; at < this.#waiting.length && started.length < places; at++) {
      const one = this.#waiting[at] as Waiting;
      const { subscriptionId } = one.delivery;
      const count = running.get(subscriptionId) ?? inFlight.get(subscriptionId) ?? 0;
      if (count >= perSubscription) kept.push(one);
      else {
        running.set(subscriptionId, count + 1);
        started.push(one.delivery);
      }
    }
    if (started.length > 0) this.#waiting = kept.concat(this.#waiting.slice(at));
    return started;
  }

  async #returnOutdated(): Promise<void> {
    const { store, clock } = this.#claiming;
    if (this.#waiting.length > 0 && await store.subscriptionsVersion(clock.nowMs()) !== this.#version) {
      await this.returnAll();
    }
    const nowMs = clock.nowMs();
    const isOld = ({ claimedAtMs }: Waiting) => isOver(nowMs, claimedAtMs, MAX_WAIT_MS);
    // They stand in the order of their claims: when neither end is old, whichever way the clock went, none is.
    if (this.#waiting.slice(0, 1).some(isOld) || this.#waiting.slice(-1).some(isOld)) {
      // All of a subscription go back: one that was claimed later must not overtake those that were claimed before.
      for (const one of this.#waiting) if (isOld(one)) this.#stuck.add(one.delivery.subscriptionId);
    }
    if (this.#stuck.size === 0) return;
    // Others may become stuck while these go back.
    const stuck = this.#stuck;
    this.#stuck = new Set();
    for (const subscriptionId of stuck) this.#quick.delete(subscriptionId);
    try {
      await this.#return(({ delivery }) => stuck.has(delivery.subscriptionId));
    } catch (error) {
      for (const subscriptionId of stuck) this.#stuck.add(subscriptionId);
      throw error;
    }
  }

  async #return(which: (one: Waiting) => boolean): Promise<void> {
    const returned = new Set(this.#waiting.filter(which));
    if (returned.size === 0) return;
    const deliveries = Array.from(returned, ({ delivery }) => delivery);
    await this.#claiming.store.returnDeliveries(deliveries, this.#claiming.clock.nowMs());
    this.#waiting = this.#waiting.filter((one) => !returned.has(one));
  }
}

/** Whether it is longer ago, or the clock went back by more. */
function isOver(nowMs: number, sinceMs: number, ms: number): boolean {
  return Math.abs(nowMs - sinceMs) > ms;
}
