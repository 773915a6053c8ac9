// Shares the free delivery slots among waiting deliveries: round robin over customers, then over their subscriptions.

/**
 * `slow`: the endpoint is probed or answers slowly. `replay`: the delivery was sent before, or requested again. Each
 * lane has its own slots, so that none can take all.
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
  /** How many deliveries may start now, at least one: limited by the due ones and the subscription's own limit. */
  ready: number;
}

/** A customer with due deliveries; its subscriptions are read while slots are left for them. */
export interface WaitingCustomer<Subscription extends WaitingSubscription = WaitingSubscription> {
  id: string;
  subscriptions: Iterable<Subscription>;
}

/**
 * An attempt that takes longer leaves the normal lane, ms. For its customer it counts as slow, and so do the next ones
 * of its subscription; the slots of the slow lane are not used for it.
 */
export const SLOW_AFTER_MS = 1_000;
/** The maximum share of all slots for one customer while others wait. */
const CUSTOMER_SHARE = 1 / 4;
/** The lanes' shares of all slots; the normal lane has the rest. */
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
  /** How many more may be taken. */
  #limit = Infinity;

  /** Slots that are partly used by these attempts; `limit` is how many more may be taken at most. */
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

  /** Whether the customer uses its whole share: it gets more only while nobody else waits. */
  hasShare(customerId: string): boolean {
    return this.#of(customerId).all >= this.#customerShare;
  }

  /**
   * Whether the customer may have one more: it must use less than twice the free slots, of all and of the lane. A
   * customer with many deliveries thus leaves some slots for later ones.
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

/** A customer in the rounds: its subscriptions that were not served yet, then those that were. */
class RoundRobin<Subscription extends WaitingSubscription> {
  readonly #unserved: Iterator<Subscription>;
  readonly #served: Subscription[] = [];
  #next: Subscription | null = null;

  constructor(readonly id: string, subscriptions: Iterable<Subscription>) {
    this.#unserved = subscriptions[Symbol.iterator]();
  }

  /** The next subscription that may start a delivery. One that cannot now cannot later in this plan, and is removed. */
  next(slots: Slots): Subscription | null {
    while (this.#next === null || !slots.admits(this.id, this.#next.lane)) {
      const unserved = this.#unserved.next();
      this.#next = unserved.done === true ? this.#served.shift() ?? null : unserved.value;
      if (this.#next === null) return null;
    }
    return this.#next;
  }

  /** Gives the next subscription a slot; false when no subscription can get one. */
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

/** How many deliveries of each subscription start now, and the customer that was served last. */
export interface SlotShares<Subscription> {
  /** In the order in which they were first served. */
  shares: Map<Subscription, number>;
  lastCustomerId: string | null;
}

/**
 * Takes the free slots: in turn one for each customer, and within a customer one for each subscription, until no slot
 * is free or wanted. A customer that uses its share gets more only when nobody else waits.
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
  // No customer below its share waits.
  const [only, ...others] = slots.areTaken ? [] : withShare.filter((turn) => turn.next(slots) !== null);
  if (only !== undefined && others.length === 0) {
    while (only.serve(slots, shares)) lastCustomerId = only.id;
  }
  return { shares, lastCustomerId };
}
