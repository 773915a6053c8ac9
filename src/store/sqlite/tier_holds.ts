// Subscriptions over the number of their customer's tier, in SQLite: the newest are held, and come back in turn.
import type { TierTable } from "../../domain/account_store.ts";
import type { Act } from "../../domain/audit.ts";
import { limitsOf } from "../../domain/customer.ts";
import type { Tier } from "../../domain/tier.ts";
import type { UpkeepStore } from "../../domain/upkeep_store.ts";
import { noteAct } from "./audit.ts";
import type { Connection } from "./connection.ts";
import { switchOff, switchOn } from "./endpoints.ts";

/** Every customer with subscriptions that are on, or held by its tier, with the number of both. */
const FITTED_SQL = `select customer_id, tier, limits,
    sum(disabled_at is null) as active, sum(disabled_at is not null) as waiting
  from subscriptions indexed by subscriptions_wanted join customers on customers.id = customer_id
  where deleted_at is null and (disabled_at is null or subscriptions.disabled_by = 'tier')
  group by customer_id`;

/** The part of the port that keeps subscriptions within their tiers. */
export function createTierHolds(connection: Connection): Pick<UpkeepStore, "fitSubscriptions"> {
  return {
    fitSubscriptions: ({ nowMs, tiers }) => {
      // Most calls find nothing: they must not take the write lock.
      if (findUnfit(connection, tiers).length === 0) return Promise.resolve(0);
      return Promise.resolve(connection.transaction("durable", () => {
        const by = { actor: "service", atMs: nowMs };
        return findUnfit(connection, tiers).reduce(
          (switched, { customerId, limit }) => switched + fitToTier(connection, customerId, { limit, by }),
          0,
        );
      }));
    },
  };
}

function findUnfit(connection: Connection, tiers: TierTable): { customerId: string; limit: number }[] {
  return connection.all(FITTED_SQL).flatMap((row) => {
    const customer = { tier: row["tier"] as Tier, limits: JSON.parse(String(row["limits"])) };
    const { activeSubscriptions: limit } = limitsOf(customer, tiers);
    const room = limit - Number(row["active"]);
    const isUnfit = room < 0 || (room > 0 && Number(row["waiting"]) > 0);
    return isUnfit ? [{ customerId: String(row["customer_id"]), limit }] : [];
  });
}

/**
 * Holds the newest of a customer's subscriptions that are over the limit, or switches on again, oldest first, those
 * that were held so and for which there is room; within the caller's transaction. Returns how many it switched.
 */
export function fitToTier(
  connection: Connection,
  customerId: string,
  { limit, by }: { limit: number; by: Act },
): number {
  const active = idsOf(connection.all(
    `select id from subscriptions indexed by subscriptions_by_customer
     where customer_id = ? and deleted_at is null and disabled_at is null order by created_at, id`,
    customerId,
  ));
  const over = active.slice(limit);
  for (const id of over) {
    switchOff(connection, id, { by: "tier", nowMs: by.atMs, mailId: null, problem: null });
  }
  const back = active.length >= limit ? [] : idsOf(connection.all(
    `select id from subscriptions indexed by subscriptions_over_tier
     where customer_id = ? and deleted_at is null and disabled_by = 'tier' order by created_at, id limit ?`,
    customerId,
    limit - active.length,
  ));
  for (const id of back) switchOn(connection, id, by.atMs);
  if (over.length > 0) noteAct(connection, by, "subscription.hold", customerId, { limit, held: over });
  if (back.length > 0) noteAct(connection, by, "subscription.return", customerId, { limit, returned: back });
  return over.length + back.length;
}

function idsOf(rows: readonly { [column: string]: unknown }[]): string[] {
  return rows.map((row) => String(row["id"]));
}
