// Tracks a customer's monthly quota within a transaction: admits or holds deliveries, and finds due notices.
import type { NewMail } from "../customer/mail.ts";
import { nextUtcMonth } from "../customer/quota_period.ts";
import { noticeDue, type QuotaNotice } from "../customer/quota_notice.ts";

export interface MonthFacts {
  /** The allowed and the used deliveries of the month. */
  limit: number;
  used: number;
  /** The allowed and the actual number of held deliveries. */
  heldLimit: number;
  held: number;
}

/** A customer's quota in one month. Its methods use up the remaining quota. */
export class CustomerMonth {
  #left: number;
  #heldLeft: number;
  /** Whether older deliveries are held, which go first. Null until it is read. */
  #hasOlder: boolean | null = null;
  #taken = 0;
  #isTouched = false;

  /** `readHasOlder` returns whether deliveries of active subscriptions are held. It is called at most once. */
  constructor(readonly facts: MonthFacts, readonly readHasOlder: () => boolean) {
    this.#left = facts.limit - facts.used;
    this.#heldLeft = facts.heldLimit - facts.held;
  }

  /** The deliveries left this month; 0 or less if the quota is used up. */
  get left(): number {
    return this.#left;
  }

  /** The number of deliveries taken by {@link take}, which the caller must store. */
  get taken(): number {
    return this.#taken;
  }

  /** Whether {@link admits} would admit a delivery. */
  get hasCapacity(): boolean {
    return this.#left > 0 && !(this.#hasOlder ??= this.readHasOlder());
  }

  /** Takes one delivery that the caller counts. Returns false if none is left. */
  reserve(): boolean {
    this.#isTouched = true;
    if (this.#left <= 0) return false;
    this.#left--;
    return true;
  }

  /** Takes one new delivery like {@link reserve}, but also returns false while older deliveries are held. */
  admits(): boolean {
    const hasOlder = this.#hasOlder ??= this.readHasOlder();
    const isAdmitted = !hasOlder && this.reserve();
    this.#hasOlder = !isAdmitted;
    return isAdmitted;
  }

  /** Takes one new delivery like {@link admits}, and counts it in {@link taken}. */
  take(): boolean {
    const isAdmitted = this.admits();
    if (isAdmitted) this.#taken++;
    return isAdmitted;
  }

  /** Counts one more held delivery. Returns false if the limit is reached. */
  takeHeld(): boolean {
    if (this.#heldLeft <= 0) return false;
    this.#heldLeft--;
    return true;
  }

  /** Returns the due notice, if any. `readNotified` returns when the customer got a notice, Unix ms, or null. */
  notice(readNotified: (kind: QuotaNotice) => number | null): QuotaNotice | null {
    const use = { limit: this.facts.limit, used: this.facts.limit - this.#left };
    // Most months are far from the limit and need no reads.
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

/** Returns the deduplication key of a notice. It contains the limit, so notices are due again after an upgrade. */
export function noticeKey(
  kind: QuotaNotice,
  { customerId, month, limit }: { customerId: string; month: string; limit: number },
): string {
  return `${kind}:${customerId}:${month}:${limit}`;
}

/** Returns the email to a customer that has reached its limit of held deliveries, sent once a month. */
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
