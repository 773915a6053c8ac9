// The quotas of customers' deliveries in SQLite: what is left of the month, how many may be held, and who is told of it.
import { nextUtcMonth } from "../../../domain/customer/quota_period.ts";
import { limitsOf } from "../../../domain/customer/customer.ts";
import { noticeDue, type QuotaNotice } from "../../../domain/customer/quota_notice.ts";
import type { Tier, TierLimits } from "../../../domain/customer/tier.ts";
import type { Connection } from "../connection/connection.ts";
import { countTowardsQuota } from "../deliveries/delivery_states.ts";
import { queueMail } from "./mails.ts";

interface MonthLeft {
  limit: number;
  left: number;
  /** Taken, and not written yet. */
  taken: number;
  /** Whether the transaction has taken of it, or would have. */
  isTouched: boolean;
  heldLimit: number;
  /** How many more may be held. */
  heldLeft: number;
}

/** What is left of each customer's month, read once and counted on within one transaction. */
export class MonthQuota {
  readonly #months = new Map<string, MonthLeft>();
  readonly #waiting = new Map<string, boolean>();
  #anyHeld: boolean | null = null;

  constructor(
    readonly connection: Connection,
    readonly month: string,
    readonly tiers: Record<Tier, TierLimits>,
  ) {}

  /**
   * Takes one for a new delivery; false when none is left, or when older ones are held and go first. It is written by
   * {@link MonthQuota.settle}.
   */
  take(customerId: string): boolean {
    const taken = this.admits(customerId);
    if (taken) this.#monthOf(customerId).taken++;
    return taken;
  }

  /** The same for what the caller counts itself. */
  admits(customerId: string): boolean {
    const waiting = this.#isWaiting(customerId);
    const taken = !waiting && this.reserve(customerId);
    this.#waiting.set(customerId, waiting || !taken);
    return taken;
  }

  /** Whether {@link MonthQuota.admits} would grant one. */
  hasCapacity(customerId: string): boolean {
    return this.left(customerId) > 0 && !this.#isWaiting(customerId);
  }

  /** Takes one of the deliveries that may be held; false when the limit is reached. */
  takeHeld(customerId: string): boolean {
    const month = this.#monthOf(customerId);
    if (month.heldLeft <= 0) return false;
    month.heldLeft--;
    return true;
  }

  /** The number of deliveries that may be held at the same time. */
  heldLimit(customerId: string): number {
    return this.#monthOf(customerId).heldLimit;
  }

  /** Whether older deliveries are held and go first. */
  #isWaiting(customerId: string): boolean {
    let waiting = this.#waiting.get(customerId);
    if (waiting === undefined) {
      waiting = this.#isAnyHeld() && this.connection.get(
            `select 1 from subscriptions indexed by subscriptions_active
         where customer_id = ? and deleted_at is null and disabled_at is null
           and exists (select 1 from deliveries indexed by deliveries_held
                       where status = 'held' and subscription_id = subscriptions.id) limit 1`,
            customerId,
          ) !== undefined;
      this.#waiting.set(customerId, waiting);
    }
    return waiting;
  }

  /** Mostly nothing is held at all: then no customer's subscriptions need a look. */
  #isAnyHeld(): boolean {
    return this.#anyHeld ??=
      this.connection.get("select 1 from deliveries where status = 'held' limit 1") !== undefined;
  }

  /** How many the customer has left this month; not above 0 when there are none. */
  left(customerId: string): number {
    return this.#monthOf(customerId).left;
  }

  /** Sets one aside for what the caller counts itself; false when none is left. */
  reserve(customerId: string): boolean {
    const month = this.#monthOf(customerId);
    month.isTouched = true;
    if (month.left <= 0) return false;
    month.left--;
    return true;
  }

  /**
   * Writes what was taken, and queues the mails to those whose month came to be nearly or wholly spent: the last that a
   * transaction does.
   */
  settle({ nowMs, newMailId }: { nowMs: number; newMailId: () => string }): void {
    for (const [customerId, { limit, left, taken, isTouched }] of this.#months) {
      if (taken > 0) countTowardsQuota(this.connection, { customerId, month: this.month, deliveries: taken });
      const used = limit - left;
      // Most are far from it: their row is not read again.
      if (!isTouched || noticeDue({ used, limit, warnedAtMs: null, spentAtMs: null }) === null) continue;
      const told = {
        warnedAtMs: this.#notifiedAt("quota-80", customerId, limit),
        spentAtMs: this.#notifiedAt("quota-100", customerId, limit),
      };
      const kind = noticeDue({ used, limit, ...told });
      if (kind !== null) this.#notify(customerId, kind, { used, limit, nowMs, mailId: newMailId() });
    }
  }

  /** The occasion of a notice. What was told of one limit says nothing of another: an upgraded month is told of anew. */
  #occasion(kind: QuotaNotice, customerId: string, limit: number): string {
    return `${kind}:${customerId}:${this.month}:${limit}`;
  }

  #notifiedAt(kind: QuotaNotice, customerId: string, limit: number): number | null {
    const row = this.connection.get(
      "select created_at from mails where once_key = ?",
      this.#occasion(kind, customerId, limit),
    );
    return row === undefined ? null : Number(row["created_at"]);
  }

  #notify(
    customerId: string,
    kind: QuotaNotice,
    { used, limit, nowMs, mailId }: { used: number; limit: number; nowMs: number; mailId: string },
  ): void {
    const isWarning = kind === "quota-80" ? 1 : 0;
    this.connection.run(
      `insert into delivery_usage (customer_id, month, deliveries, warned_at, spent_at)
       values (?, ?, 0, iif(?, ?, null), iif(?, null, ?))
       on conflict (customer_id, month) do update set spent_at = excluded.spent_at,
         warned_at = coalesce(excluded.warned_at, warned_at)`,
      customerId,
      this.month,
      isWarning,
      nowMs,
      isWarning,
      nowMs,
    );
    queueMail(this.connection, {
      id: mailId,
      kind,
      customerId,
      data: { what: "deliveries", used, limit, resetsAtMs: nextUtcMonth(nowMs) },
      onceKey: this.#occasion(kind, customerId, limit),
      atMs: nowMs,
    });
  }

  #monthOf(customerId: string): MonthLeft {
    let month = this.#months.get(customerId);
    if (month === undefined) {
      month = this.#read(customerId);
      this.#months.set(customerId, month);
    }
    return month;
  }

  #read(customerId: string): MonthLeft {
    const row = this.connection.get(
      `select tier, limits, held, coalesce(deliveries, 0) as used
       from customers join customer_storage on customer_storage.customer_id = id
         left join delivery_usage on delivery_usage.customer_id = id and month = ? where id = ?`,
      this.month,
      customerId,
    );
    if (row === undefined) throw new Error(`subscription of unknown customer ${customerId}`);
    const { webhookDeliveriesPerMonth: limit, heldDeliveries: heldLimit } = limitsOf(
      { tier: row["tier"] as Tier, limits: JSON.parse(String(row["limits"])) },
      this.tiers,
    );
    const [left, heldLeft] = [limit - Number(row["used"]), heldLimit - Number(row["held"])];
    return { limit, left, taken: 0, isTouched: false, heldLimit, heldLeft };
  }
}
