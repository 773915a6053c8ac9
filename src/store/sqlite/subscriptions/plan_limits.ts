// Tier limits in SQLite: disables the newest subscriptions over the limit, and enables them again when there is room.
import type { Act, ActName } from "../../../domain/customer/audit.ts";
import { limitsOf } from "../../../domain/customer/customer.ts";
import type { FittedSubscription } from "../../../domain/customer/mail.ts";
import type { Tier, TierLimits } from "../../../domain/customer/tier.ts";
import { planLimitsMail } from "../../../domain/plans/customer_change.ts";
import { breaksLimits, type PlanFit, planLimits } from "../../../domain/plans/plan_limits.ts";
import type { TierTable } from "../../../domain/ports/store/customers.ts";
import type { Connection } from "../connection/connection.ts";
import { noteAct } from "../customers/audit.ts";
import { queueMail } from "../customers/mails.ts";
import { disableSubscription, enableSubscription } from "./endpoints.ts";
import { type Sql, sql } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";

export function createPlanLimits(connection: Connection): Part<"fitSubscriptions"> {
  return {
    fitSubscriptions: ({ nowMs, tiers, newMailId }) => {
      // Most calls find nothing, so they must not take the write lock.
      if (findBroken(connection, tiers).length === 0) return 0;
      return connection.transaction("durable", () => {
        const by = { actor: "service", atMs: nowMs };
        let changed = 0;
        for (const { customerId, tier, limits } of findBroken(connection, tiers)) {
          const fit = fitToLimits(connection, customerId, { limit: limits.activeSubscriptions, by });
          changed += fit.held.length + fit.returned.length;
          const mail = planLimitsMail({ before: tier, after: tier, limits, fit, awaitsWelcome: false });
          if (mail === null) continue;
          const id = newMailId();
          queueMail(connection, { ...mail, id, customerId, onceKey: id, atMs: nowMs });
        }
        return changed;
      });
    },
  };
}

function findBroken(
  connection: Connection,
  tiers: TierTable,
): { customerId: string; tier: Tier; limits: TierLimits }[] {
  return connection.all(
    sql`select customer_id, tier, limits, sum(disabled_at is null) as active,
        sum(disabled_at is not null) as held
      from subscriptions indexed by subscriptions_wanted join customers on customers.id = customer_id
      where deleted_at is null and (disabled_at is null or subscriptions.disabled_by = 'tier')
      group by customer_id`,
  ).flatMap((row) => {
    const customer = { tier: row["tier"] as Tier, limits: JSON.parse(String(row["limits"])) };
    const limits = limitsOf(customer, tiers);
    const counts = { active: Number(row["active"]), held: Number(row["held"]) };
    if (!breaksLimits(counts, limits.activeSubscriptions)) return [];
    return [{ customerId: String(row["customer_id"]), tier: customer.tier, limits }];
  });
}

/** Applies {@link planLimits} to a customer in the caller's transaction, and records the changes in the audit log. */
export function fitToLimits(
  connection: Connection,
  customerId: string,
  { limit, by }: { limit: number; by: Act },
): PlanFit {
  const list = (index: Sql, state: Sql): FittedSubscription[] =>
    connection.all(
      sql`select id, webhook_url from subscriptions indexed by ${index}
        where customer_id = ${customerId} and deleted_at is null and ${state} order by created_at, id`,
    ).map((row) => ({ id: String(row["id"]), host: new URL(String(row["webhook_url"])).hostname }));
  const fit = planLimits({
    active: list(sql`subscriptions_by_customer`, sql`disabled_at is null`),
    held: list(sql`subscriptions_over_tier`, sql`disabled_by = 'tier'`),
  }, limit);
  for (const { id } of fit.held) {
    disableSubscription(connection, id, { by: "tier", nowMs: by.atMs, mailId: null, problem: null });
  }
  for (const { id } of fit.returned) enableSubscription(connection, id);
  const note = (act: ActName, change: Record<string, unknown>) =>
    noteAct(connection, by, act, customerId, { limit, ...change });
  if (fit.held.length > 0) note("subscription.hold", { held: fit.held.map(({ id }) => id) });
  if (fit.returned.length > 0) note("subscription.return", { returned: fit.returned.map(({ id }) => id) });
  return fit;
}
