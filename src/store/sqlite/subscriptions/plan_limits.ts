// Subscriptions over the number of their customer's tier, in SQLite: the newest are held, and come back in turn.
import type { TierTable } from "../../../domain/ports/store/customers.ts";
import type { Store } from "../../../domain/ports/store/store.ts";
import type { Act } from "../../../domain/customer/audit.ts";
import { limitsOf } from "../../../domain/customer/customer.ts";
import type { FittedSubscription, TierFit } from "../../../domain/customer/mail.ts";
import type { Tier, TierLimits } from "../../../domain/customer/tier.ts";
import { noteAct } from "../customers/audit.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { disableSubscription, enableSubscription } from "./endpoints.ts";
import { queueMail } from "../customers/mails.ts";

/** Every customer with subscriptions that are on, or held by its tier, with the number of both. */
const FITTED_SQL = `select customer_id, tier, limits,
    sum(disabled_at is null) as active, sum(disabled_at is not null) as waiting
  from subscriptions indexed by subscriptions_wanted join customers on customers.id = customer_id
  where deleted_at is null and (disabled_at is null or subscriptions.disabled_by = 'tier')
  group by customer_id`;

/** The part of the port that keeps subscriptions within their tiers. */
export function createTierHolds(connection: Connection): Pick<Store, "fitSubscriptions"> {
  return {
    fitSubscriptions: ({ nowMs, tiers, newMailId }) => {
      // Most calls find nothing: they must not take the write lock.
      if (findUnfit(connection, tiers).length === 0) return Promise.resolve(0);
      return Promise.resolve(connection.transaction("durable", () => {
        const by = { actor: "service", atMs: nowMs };
        let switched = 0;
        for (const { customerId, limits } of findUnfit(connection, tiers)) {
          const fit = fitToTier(connection, customerId, { limit: limits.activeSubscriptions, by });
          switched += fit.held.length + fit.returned.length;
          if (fit.held.length === 0) continue;
          const id = newMailId();
          const mail = { id, customerId, onceKey: id, atMs: nowMs };
          queueMail(connection, { ...mail, kind: "subscriptions-held", data: { limits, ...fit } });
        }
        return switched;
      }));
    },
  };
}

function findUnfit(connection: Connection, tiers: TierTable): { customerId: string; limits: TierLimits }[] {
  return connection.all(FITTED_SQL).flatMap((row) => {
    const customer = { tier: row["tier"] as Tier, limits: JSON.parse(String(row["limits"])) };
    const limits = limitsOf(customer, tiers);
    const room = limits.activeSubscriptions - Number(row["active"]);
    const isUnfit = room < 0 || (room > 0 && Number(row["waiting"]) > 0);
    return isUnfit ? [{ customerId: String(row["customer_id"]), limits }] : [];
  });
}

/**
 * Holds the newest of a customer's subscriptions that are over the limit, or switches on again, oldest first, those
 * that were held so and for which there is room; within the caller's transaction. Returns which it switched.
 */
export function fitToTier(
  connection: Connection,
  customerId: string,
  { limit, by }: { limit: number; by: Act },
): Pick<TierFit, "held" | "returned"> {
  const active = fittedFrom(connection.all(
    `select id, webhook_url from subscriptions indexed by subscriptions_by_customer
     where customer_id = ? and deleted_at is null and disabled_at is null order by created_at, id`,
    customerId,
  ));
  const held = active.slice(limit);
  for (const { id } of held) {
    disableSubscription(connection, id, { by: "tier", nowMs: by.atMs, mailId: null, problem: null });
  }
  const returned = active.length >= limit ? [] : fittedFrom(connection.all(
    `select id, webhook_url from subscriptions indexed by subscriptions_over_tier
     where customer_id = ? and deleted_at is null and disabled_by = 'tier' order by created_at, id limit ?`,
    customerId,
    limit - active.length,
  ));
  for (const { id } of returned) enableSubscription(connection, id);
  const note = (act: string, change: Record<string, unknown>) =>
    noteAct(connection, by, act, customerId, { limit, ...change });
  if (held.length > 0) note("subscription.hold", { held: held.map(({ id }) => id) });
  if (returned.length > 0) note("subscription.return", { returned: returned.map(({ id }) => id) });
  return { held, returned };
}

function fittedFrom(rows: readonly Row[]): FittedSubscription[] {
  return rows.map((row) => ({ id: String(row["id"]), host: new URL(String(row["webhook_url"])).hostname }));
}
