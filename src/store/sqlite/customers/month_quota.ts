// Customers' monthly quotas in SQLite, read once per transaction and written at its end.
import { limitsOf } from "../../../domain/customer/customer.ts";
import type { QuotaNotice } from "../../../domain/customer/quota_notice.ts";
import type { Tier } from "../../../domain/customer/tier.ts";
import { CustomerMonth, noticeKey } from "../../../domain/plans/month_quota.ts";
import type { TierTable } from "../../../domain/ports/store/customers.ts";
import type { Connection } from "../connection/connection.ts";
import { countTowardsQuota } from "../deliveries/delivery_states.ts";
import { queueMail } from "./mails.ts";
import { sql } from "../connection/sql.ts";

export class MonthQuota {
  readonly #months = new Map<string, CustomerMonth>();
  #isAnyHeld: boolean | null = null;

  constructor(
    readonly connection: Connection,
    readonly month: string,
    readonly tiers: TierTable,
  ) {}

  of(customerId: string): CustomerMonth {
    let month = this.#months.get(customerId);
    if (month === undefined) {
      month = this.#read(customerId);
      this.#months.set(customerId, month);
    }
    return month;
  }

  /** Writes how much of each quota was used, and queues due notices. Call this last in a transaction. */
  settle({ nowMs, newMailId }: { nowMs: number; newMailId: () => string }): void {
    for (const [customerId, month] of this.#months) {
      const { taken, facts: { limit } } = month;
      if (taken > 0) countTowardsQuota(this.connection, { customerId, month: this.month, deliveries: taken });
      const kind = month.notice((kind) => this.#notifiedAt(kind, customerId, limit));
      if (kind === null) continue;
      this.#noteNotice(customerId, kind, nowMs);
      const mail = month.noticeMail(kind, { customerId, month: this.month, nowMs });
      queueMail(this.connection, { ...mail, id: newMailId() });
    }
  }

  #notifiedAt(kind: QuotaNotice, customerId: string, limit: number): number | null {
    const row = this.connection.get(
      sql`select created_at from mails
        where once_key = ${noticeKey(kind, { customerId, month: this.month, limit })}`,
    );
    return row === undefined ? null : Number(row["created_at"]);
  }

  #noteNotice(customerId: string, kind: QuotaNotice, nowMs: number): void {
    const isWarning = kind === "quota-80" ? 1 : 0;
    this.connection.run(
      sql`insert into delivery_usage (customer_id, month, deliveries, warned_at, spent_at)
        values (${customerId}, ${this.month}, 0, iif(${isWarning}, ${nowMs}, null), iif(${isWarning}, null,
          ${nowMs}))
        on conflict (customer_id, month) do update set spent_at = excluded.spent_at,
          warned_at = coalesce(excluded.warned_at, warned_at)`,
    );
  }

  #read(customerId: string): CustomerMonth {
    const row = this.connection.get(
      sql`select tier, limits, held, coalesce(deliveries, 0) as used
       from customers join customer_storage on customer_storage.customer_id = id
         left join delivery_usage on delivery_usage.customer_id = id and month = ${this.month}
           where id = ${customerId}`,
    );
    if (row === undefined) throw new Error(`subscription of unknown customer ${customerId}`);
    const limits = limitsOf(
      { tier: row["tier"] as Tier, limits: JSON.parse(String(row["limits"])) },
      this.tiers,
    );
    return new CustomerMonth({
      limit: limits.webhookDeliveriesPerMonth,
      used: Number(row["used"]),
      heldLimit: limits.heldDeliveries,
      held: Number(row["held"]),
    }, () => this.#hasHeld(customerId));
  }

  /** Whether any deliveries of the customer's active subscriptions are held. */
  #hasHeld(customerId: string): boolean {
    // Usually no customer has held deliveries, so that is checked first.
    this.#isAnyHeld ??=
      this.connection.get(sql`select 1 from deliveries where status = 'held' limit 1`) !== undefined;
    return this.#isAnyHeld && this.connection.get(
          sql`select 1 from subscriptions indexed by subscriptions_active
           where customer_id = ${customerId} and deleted_at is null and disabled_at is null
             and exists (select 1 from deliveries indexed by deliveries_held
                         where status = 'held' and subscription_id = subscriptions.id) limit 1`,
        ) !== undefined;
  }
}
