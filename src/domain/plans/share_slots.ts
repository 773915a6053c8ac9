// Which waiting deliveries get the free delivery slots: round robin over customers, then over their subscriptions.

/**
 * What kind of delivery a slot is used for. `slow`: the endpoint is probed or answers slowly. `replay`: it was sent
 * before, or asked for again. Each lane has slots of its own, so that none can take all.
 */
export type Lane = "normal" | "slow" | "replay";

/** An attempt in progress: it holds a slot. */
export interface RunningAttempt {
  customerId: string;
  subscriptionId: string;
  lane: Lane;
  /** Unix ms. */
  startedAtMs: number;
}

/** A subscription with due deliveries. */
export interface WaitingSubscription {
  id: string;
  lane: Lane;
  /** How many deliveries may start now: no more than are due, and than its own limit leaves; at least one. */
  ready: number;
}

/** A customer with due deliveries; its subscriptions are read as far as slots are left for them. */
export interface WaitingCustomer<Subscription extends WaitingSubscription = WaitingSubscription> {
  id: string;
  subscriptions: Iterable<Subscription>;
}

/**
 * An attempt that has lasted longer leaves the normal lane, ms. To its customer it counts as a slow one, and so does
 * what its subscription starts next; the slots of the slow lane stay there for others.
 */
export const SLOW_AFTER_MS = 1_000;
/** No customer holds a larger part of all slots while others wait. */
const CUSTOMER_SHARE = 1 / 4;
/** The parts of all slots that the lanes have; the normal lane has the rest. */
const SLOW_SHARE = 1 / 4;
const REPLAY_SHARE = 1 / 8;

/** The slots in use, all of them and by lane, of everybody or of one customer. */
type Held = Record<Lane | "all", number>;

/** The delivery slots: how many there are, and who holds them. */
export class Slots {
  readonly #size: Held;
  readonly #held: Held = noSlots();
  readonly #byCustomer = new Map<string, Held>();
  readonly #bySubscription = new Map<string, number>();
  readonly #slowNow = new Set<string>();
  readonly #customerShare: number;
  /** How many more may be taken. */
  #limit = Infinity;

  /** Slots of which these attempts hold some; `limit` is how many more may be taken at most. */
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

  /** Whether no delivery can start at all. */
  get areTaken(): boolean {
    return this.#limit <= 0 || this.#held.all >= this.#size.all;
  }

  /** The attempts in progress of a subscription. */
  heldBy(subscriptionId: string): number {
    return this.#bySubscription.get(subscriptionId) ?? 0;
  }

  /** Whether an attempt of the subscription has lasted too long for the normal lane. */
  isSlowNow(subscriptionId: string): boolean {
    return this.#slowNow.has(subscriptionId);
  }

  /** Whether the customer holds its whole share of the slots: more is for when nobody else waits. */
  hasShare(customerId: string): boolean {
    return this.#of(customerId).all >= this.#customerShare;
  }

  /**
   * Whether the customer may have one more: while it holds less than twice what is free, of all slots and of the
   * lane's. Whoever takes all it can get leaves some free for whoever comes next.
   */
  admits(customerId: string, lane: Lane): boolean {
    const own = this.#of(customerId);
    return own.all < 2 * this.#free("all") && own[lane] < 2 * this.#free(lane);
  }

  /** Takes one for a delivery of the customer's subscription. */
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

/** A customer's place in the rounds: its subscriptions that were not served yet, then those that were. */
class RoundRobin<Subscription extends WaitingSubscription> {
  readonly #unserved: Iterator<Subscription>;
  readonly #served: Subscription[] = [];
  #next: Subscription | null = null;

  constructor(readonly id: string, subscriptions: Iterable<Subscription>) {
    this.#unserved = subscriptions[Symbol.iterator]();
  }

  /** The subscription that may start a delivery next; what cannot now cannot later in this plan, and is left out. */
  next(slots: Slots): Subscription | null {
    while (this.#next === null || !slots.admits(this.id, this.#next.lane)) {
      const unserved = this.#unserved.next();
      this.#next = unserved.done === true ? this.#served.shift() ?? null : unserved.value;
      if (this.#next === null) return null;
    }
    return this.#next;
  }

  /** Gives the next subscription a slot; false when there is none to give one to. */
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

/** How many deliveries of which subscription start now, and the customer that was served last. */
export interface SlotShares<Subscription> {
  /** In the order in which they were served first. */
  shares: Map<Subscription, number>;
  lastCustomerId: string | null;
}

/**
 * Shares the free slots: one for each customer in turn, and of a customer one for each subscription in turn, until none
 * is free or none is wanted. A customer that holds its share gets more only when nobody else waits. The slots are
 * taken.
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
  // Nobody below its share waits.
  const [only, ...others] = slots.areTaken ? [] : withShare.filter((turn) => turn.next(slots) !== null);
  if (only !== undefined && others.length === 0) {
    while (only.serve(slots, shares)) lastCustomerId = only.id;
  }
  return { shares, lastCustomerId };
}
