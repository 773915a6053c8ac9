// The month's quota of one customer within a transaction: which deliveries it admits, which may be held, which notice is due.
import type { NewMail } from "../customer/mail.ts";
import { nextUtcMonth } from "../customer/quota_period.ts";
import { noticeDue, type QuotaNotice } from "../customer/quota_notice.ts";

/** What is stored for a customer's month. */
export interface MonthFacts {
  /** Deliveries per month, and those that are used. */
  limit: number;
  used: number;
  /** Deliveries that may be held at the same time, and those that are. */
  heldLimit: number;
  held: number;
}

/** A customer's month; each call counts on. */
export class CustomerMonth {
  #left: number;
  #heldLeft: number;
  /** Whether older deliveries are held, which go first; null until it is read. */
  #hasOlder: boolean | null = null;
  #taken = 0;
  #isTouched = false;

  /** `readHasOlder` tells whether deliveries of active subscriptions are held; it is called at most once. */
  constructor(readonly facts: MonthFacts, readonly readHasOlder: () => boolean) {
    this.#left = facts.limit - facts.used;
    this.#heldLeft = facts.heldLimit - facts.held;
  }

  /** What is left of the month; not above 0 when it is used up. */
  get left(): number {
    return this.#left;
  }

  /** Deliveries taken by {@link take}, to be written. */
  get taken(): number {
    return this.#taken;
  }

  /** Whether {@link admits} would admit a delivery. */
  get hasCapacity(): boolean {
    return this.#left > 0 && !(this.#hasOlder ??= this.readHasOlder());
  }

  /** Takes one for a delivery that the caller counts itself; false when none is left. */
  reserve(): boolean {
    this.#isTouched = true;
    if (this.#left <= 0) return false;
    this.#left--;
    return true;
  }

  /** {@link reserve} for a new delivery: false also when older ones are held, which go first. */
  admits(): boolean {
    const hasOlder = this.#hasOlder ??= this.readHasOlder();
    const isAdmitted = !hasOlder && this.reserve();
    this.#hasOlder = !isAdmitted;
    return isAdmitted;
  }

  /** {@link admits} for a delivery that is counted in {@link taken}. */
  take(): boolean {
    const isAdmitted = this.admits();
    if (isAdmitted) this.#taken++;
    return isAdmitted;
  }

  /** Takes one of the deliveries that may be held; false when the limit is reached. */
  takeHeld(): boolean {
    if (this.#heldLeft <= 0) return false;
    this.#heldLeft--;
    return true;
  }

  /** The notice that is due; `readNotified` reads when the customer got one, Unix ms or null. */
  notice(readNotified: (kind: QuotaNotice) => number | null): QuotaNotice | null {
    const use = { limit: this.facts.limit, used: this.facts.limit - this.#left };
    // Most months are far from it: nothing is read for them.
    if (!this.#isTouched || noticeDue({ ...use, warnedAtMs: null, spentAtMs: null }) === null) return null;
    return noticeDue({ ...use, warnedAtMs: readNotified("quota-80"), spentAtMs: readNotified("quota-100") });
  }

  /** The mail of a notice. */
  noticeMail(
    kind: QuotaNotice,
    { customerId, month, nowMs }: { customerId: string; month: string; nowMs: number },
  ): Omit<Extract<NewMail, { kind: QuotaNotice }>, "id"> {
    const { limit } = this.facts;
    return {
      kind,
      customerId,
      data: { what: "deliveries", used: limit - this.#left, limit, resetsAtMs: nextUtcMonth(nowMs) },
      onceKey: noticeKey(kind, { customerId, month, limit }),
      atMs: nowMs,
    };
  }
}

/** The deduplication key of a notice. A notice of one limit does not count for another: an upgraded month gets a new one. */
export function noticeKey(
  kind: QuotaNotice,
  { customerId, month, limit }: { customerId: string; month: string; limit: number },
): string {
  return `${kind}:${customerId}:${month}:${limit}`;
}

/** The mail of a customer whose limit of held deliveries is reached; once a month. */
export function heldFullMail(
  { customerId, month, limit, nowMs }: { customerId: string; month: string; limit: number; nowMs: number },
): Omit<Extract<NewMail, { kind: "held-full" }>, "id"> {
  return {
    kind: "held-full",
    customerId,
    data: { limit, sinceMs: nowMs, resetsAtMs: nextUtcMonth(nowMs) },
    onceKey: `held-full:${customerId}:${month}`,
    atMs: nowMs,
  };
}
