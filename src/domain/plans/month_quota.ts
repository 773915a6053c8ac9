// A customer's quota for a month within a transaction: admits deliveries, holds them, and finds due notices.
import type { NewMail } from "../customer/mail.ts";
import { nextUtcMonth } from "../customer/quota_period.ts";
import { noticeDue, type QuotaNotice } from "../customer/quota_notice.ts";

export interface MonthFacts {
  /** Allowed and used deliveries of the month. */
  limit: number;
  used: number;
  /** Allowed and actual number of held deliveries. */
  heldLimit: number;
  held: number;
}

/** A customer's month; every call counts. */
export class CustomerMonth {
  #left: number;
  #heldLeft: number;
  /** Whether older deliveries are held, which go first; null until it is read. */
  #hasOlder: boolean | null = null;
  #taken = 0;
  #isTouched = false;

  /** `readHasOlder` returns whether deliveries of active subscriptions are held; called at most once. */
  constructor(readonly facts: MonthFacts, readonly readHasOlder: () => boolean) {
    this.#left = facts.limit - facts.used;
    this.#heldLeft = facts.heldLimit - facts.held;
  }

  /** The rest of the month's deliveries; 0 or less when it is used up. */
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

  /** Takes one delivery that the caller counts; false when none is left. */
  reserve(): boolean {
    this.#isTouched = true;
    if (this.#left <= 0) return false;
    this.#left--;
    return true;
  }

  /** Like {@link reserve}, for a new delivery: false also while older ones are held. */
  admits(): boolean {
    const hasOlder = this.#hasOlder ??= this.readHasOlder();
    const isAdmitted = !hasOlder && this.reserve();
    this.#hasOlder = !isAdmitted;
    return isAdmitted;
  }

  /** Like {@link admits}, for a delivery that is counted in {@link taken}. */
  take(): boolean {
    const isAdmitted = this.admits();
    if (isAdmitted) this.#taken++;
    return isAdmitted;
  }

  /** Takes one of the held deliveries; false when the limit is reached. */
  takeHeld(): boolean {
    if (this.#heldLeft <= 0) return false;
    this.#heldLeft--;
    return true;
  }

  /** The due notice; `readNotified` returns when the customer got a notice, Unix ms or null. */
  notice(readNotified: (kind: QuotaNotice) => number | null): QuotaNotice | null {
    const use = { limit: this.facts.limit, used: this.facts.limit - this.#left };
    // Most months are far from the limit: nothing is read for them.
    if (!this.#isTouched || noticeDue({ ...use, warnedAtMs: null, spentAtMs: null }) === null) return null;
    return noticeDue({ ...use, warnedAtMs: readNotified("quota-80"), spentAtMs: readNotified("quota-100") });
  }

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

/** The deduplication key of a notice. It contains the limit: after an upgrade, notices are due again. */
export function noticeKey(
  kind: QuotaNotice,
  { customerId, month, limit }: { customerId: string; month: string; limit: number },
): string {
  return `${kind}:${customerId}:${month}:${limit}`;
}

/** The mail to a customer that has reached its limit of held deliveries; once a month. */
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
