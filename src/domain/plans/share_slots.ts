// Distributes the free delivery slots: round robin over customers, then over each customer's subscriptions.

/**
 * `slow`: the endpoint is probed or responds slowly. `replay`: a replay sends the delivery again or has created it.
 * Each lane has its own slots, so that none can take all slots.
 */
export type Lane = "normal" | "slow" | "replay";

export interface RunningAttempt {
  customerId: string;
  subscriptionId: string;
  lane: Lane;
  startedAtMs: number;
}

export interface WaitingSubscription {
  id: string;
  lane: Lane;
  /** Number of deliveries that may start now, at least one: those due, up to the subscription's own limit. */
  ready: number;
}

/** A customer with due deliveries. Its subscriptions are only read as long as it can get more slots. */
export interface WaitingCustomer<Subscription extends WaitingSubscription = WaitingSubscription> {
  id: string;
  subscriptions: Iterable<Subscription>;
}

/**
 * Duration after which an attempt leaves the normal lane, ms. From then on, the attempt counts as slow for its
 * customer, but does not use a slot of the slow lane. Until it ends, its subscription starts no further attempts in the
 * normal lane.
 */
export const SLOW_AFTER_MS = 1_000;
/** Maximum share of all slots for one customer while others wait. */
const CUSTOMER_SHARE = 1 / 4;
/** The lanes' shares of all slots. The normal lane has the rest. */
const SLOW_SHARE = 1 / 4;
const REPLAY_SHARE = 1 / 8;

/** The used slots, in total and by lane, of all customers or of one. */
type Held = Record<Lane | "all", number>;

export class Slots {
  readonly #size: Held;
  readonly #held: Held = noSlots();
  readonly #byCustomer = new Map<string, Held>();
  readonly #bySubscription = new Map<string, number>();
  readonly #slowNow = new Set<string>();
  readonly #customerShare: number;
  #limit = Infinity;

  /** `running` lists the attempts that already use slots. `limit` is the maximum number of further slots to take. */
  constructor(
    { slots, limit, running, nowMs }: {
      slots: number;
      limit: number;
      running: Iterable<RunningAttempt>;
      nowMs: number;
    },
  ) {
    const slow = Math.max(1, Math.floor(slots * SLOW_SHARE));
    const replay = Math.max(1, Math.floor(slots * REPLAY_SHARE));
    this.#customerShare = Math.max(1, Math.floor(slots * CUSTOMER_SHARE));
    for (const { customerId, subscriptionId, lane, startedAtMs } of running) {
      const isLong = Math.abs(nowMs - startedAtMs) >= SLOW_AFTER_MS;
      if (isLong) this.#slowNow.add(subscriptionId);
      const hasLeft = isLong && lane === "normal";
      this.take(customerId, { id: subscriptionId, lane: hasLeft ? "slow" : lane });
      if (hasLeft) this.#held.slow--;
    }
    this.#size = {
      normal: Math.max(1, slots - slow - replay),
      slow,
      replay,
      all: slots,
    };
    this.#limit = limit;
  }

  get areTaken(): boolean {
    return this.#limit <= 0 || this.#held.all >= this.#size.all;
  }

  heldBy(subscriptionId: string): number {
    return this.#bySubscription.get(subscriptionId) ?? 0;
  }

  /** Whether an attempt of the subscription takes too long for the normal lane. */
  isSlowNow(subscriptionId: string): boolean {
    return this.#slowNow.has(subscriptionId);
  }

  /** Whether the customer uses its whole share. If so, it gets more slots only if no other customer waits. */
  hasShare(customerId: string): boolean {
    return this.#of(customerId).all >= this.#customerShare;
  }

  /**
   * Whether the customer may take one more slot. It may if it uses fewer than twice as many slots as are free, both in
   * total and in the lane. A customer with many deliveries thus leaves some slots for other customers.
   */
  admits(customerId: string, lane: Lane): boolean {
    const own = this.#of(customerId);
    return own.all < 2 * this.#free("all") && own[lane] < 2 * this.#free(lane);
  }

  take(customerId: string, { id, lane }: Pick<WaitingSubscription, "id" | "lane">): void {
    const own = this.#of(customerId);
    this.#byCustomer.set(customerId, own);
    for (const held of [own, this.#held]) {
      held.all++;
      held[lane]++;
    }
    this.#bySubscription.set(id, this.heldBy(id) + 1);
    this.#limit--;
  }

  #free(lane: Lane | "all"): number {
    return this.#size[lane] - this.#held[lane];
  }

  #of(customerId: string): Held {
    return this.#byCustomer.get(customerId) ?? noSlots();
  }
}

function noSlots(): Held {
  return { normal: 0, slow: 0, replay: 0, all: 0 };
}

/** A customer's turns: first the subscriptions that have not been served yet, then those that have. */
class RoundRobin<Subscription extends WaitingSubscription> {
  readonly #unserved: Iterator<Subscription>;
  readonly #served: Subscription[] = [];
  #next: Subscription | null = null;

  constructor(readonly id: string, subscriptions: Iterable<Subscription>) {
    this.#unserved = subscriptions[Symbol.iterator]();
  }

  /** Returns the next subscription that may start a delivery. Removes subscriptions that the slots do not admit. */
  next(slots: Slots): Subscription | null {
    while (this.#next === null || !slots.admits(this.id, this.#next.lane)) {
      const unserved = this.#unserved.next();
      this.#next = unserved.done === true ? this.#served.shift() ?? null : unserved.value;
      if (this.#next === null) return null;
    }
    return this.#next;
  }

  /** Gives the next subscription a slot. Returns false if no subscription can get one. */
  serve(slots: Slots, shares: Map<Subscription, number>): boolean {
    const next = this.next(slots);
    if (next === null) return false;
    slots.take(this.id, next);
    const share = (shares.get(next) ?? 0) + 1;
    shares.set(next, share);
    this.#next = null;
    if (share < next.ready) this.#served.push(next);
    return true;
  }
}

/** How many deliveries of each subscription start now, and which customer was served last. */
interface SlotShares<Subscription> {
  /** In the order in which the subscriptions were first served. */
  shares: Map<Subscription, number>;
  lastCustomerId: string | null;
}

/**
 * Gives one free slot at a time to each customer in turn, and within a customer to each subscription in turn, until no
 * slot is free or wanted. A customer that uses its whole share gets more slots only if no other customer waits.
 */
export function shareSlots<Subscription extends WaitingSubscription>(
  customers: Iterable<WaitingCustomer<Subscription>>,
  slots: Slots,
): SlotShares<Subscription> {
  const shares = new Map<Subscription, number>();
  const withShare: RoundRobin<Subscription>[] = [];
  let lastCustomerId: string | null = null;
  const isServed = (turn: RoundRobin<Subscription>): boolean => {
    if (slots.areTaken) return false;
    if (slots.hasShare(turn.id)) {
      withShare.push(turn);
      return false;
    }
    if (!turn.serve(slots, shares)) return false;
    lastCustomerId = turn.id;
    return true;
  };
  let waiting: RoundRobin<Subscription>[] = [];
  for (const { id, subscriptions } of slots.areTaken ? [] : customers) {
    const turn = new RoundRobin(id, subscriptions);
    if (isServed(turn)) waiting.push(turn);
    if (slots.areTaken) break;
  }
  while (waiting.length > 0) waiting = waiting.filter(isServed);
  // From here on, only customers that use their whole share wait.
  const [only, ...others] = slots.areTaken ? [] : withShare.filter((turn) => turn.next(slots) !== null);
  if (only !== undefined && others.length === 0) {
    while (only.serve(slots, shares)) lastCustomerId = only.id;
  }
  return { shares, lastCustomerId };
}
