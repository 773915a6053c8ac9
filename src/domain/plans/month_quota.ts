// Tracks a customer's monthly quota within a transaction: decides which deliveries are held and which notices are due.
import type { NewMail } from "../customer/mail.ts";
import { nextUtcMonth } from "../customer/quota_period.ts";
import { noticeDue, type QuotaNotice } from "../customer/quota_notice.ts";

export interface MonthFacts {
  /** The quota of deliveries for the month, and how much of it is used. */
  limit: number;
  used: number;
  /** The maximum number of held deliveries, and the number held now. */
  heldLimit: number;
  held: number;
}

export class CustomerMonth {
  #left: number;
  #heldLeft: number;
  /** Whether older deliveries, which go first, are held. Null while unknown. */
  #hasOlder: boolean | null = null;
  #taken = 0;
  #isTouched = false;

  /** `readHasOlder` returns whether deliveries of active subscriptions are held. It is called at most once. */
  constructor(readonly facts: MonthFacts, readonly readHasOlder: () => boolean) {
    this.#left = facts.limit - facts.used;
    this.#heldLeft = facts.heldLimit - facts.held;
  }

  /** The number of deliveries left this month; 0 or less if the quota is used up. */
  get left(): number {
    return this.#left;
  }

  /** The number of deliveries that {@link take} has admitted. The caller must store it. */
  get taken(): number {
    return this.#taken;
  }

  /** Whether {@link admits} would admit a delivery. */
  get hasCapacity(): boolean {
    return this.#left > 0 && !(this.#hasOlder ??= this.readHasOlder());
  }

  /** Uses the quota for one delivery, which the caller must count. Returns false if the quota is used up. */
  reserve(): boolean {
    this.#isTouched = true;
    if (this.#left <= 0) return false;
    this.#left--;
    return true;
  }

  /** Like {@link reserve}, for a new delivery. Also returns false while older deliveries are held. */
  admits(): boolean {
    const hasOlder = this.#hasOlder ??= this.readHasOlder();
    const isAdmitted = !hasOlder && this.reserve();
    this.#hasOlder = !isAdmitted;
    return isAdmitted;
  }

  /** Like {@link admits}, and counts the delivery in {@link taken}. */
  take(): boolean {
    const isAdmitted = this.admits();
    if (isAdmitted) this.#taken++;
    return isAdmitted;
  }

  /** Counts one more held delivery. Returns false if the limit on held deliveries has been reached. */
  takeHeld(): boolean {
    if (this.#heldLeft <= 0) return false;
    this.#heldLeft--;
    return true;
  }

  /** Returns the due notice, if any. `readNotified` returns when a kind of notice was last sent, Unix ms, or null. */
  notice(readNotified: (kind: QuotaNotice) => number | null): QuotaNotice | null {
    const use = { limit: this.facts.limit, used: this.facts.limit - this.#left };
    // For most customers, no notice can be due, so nothing needs to be read.
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

/** Returns the deduplication key of a notice. It contains the limit, so that a new limit has its own notices. */
export function noticeKey(
  kind: QuotaNotice,
  { customerId, month, limit }: { customerId: string; month: string; limit: number },
): string {
  return `${kind}:${customerId}:${month}:${limit}`;
}

/** Returns the email about reaching the limit on held deliveries, which a customer gets at most once a month. */
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
