// Changes of a delivery's state that several use cases share, each with what it means for the month's quota.
import { utcMonth } from "../../domain/calendar.ts";
import type { HoldReason } from "../../domain/delivery.ts";
import type { Connection } from "./connection.ts";

/** Takes one delivery of a month's quota; call it when a delivery becomes pending, or arrives after all. */
export function countTowardsQuota(connection: Connection, customerId: string, month: string): void {
  connection.run(
    `insert into delivery_usage (customer_id, month, deliveries) values (?, ?, 1)
     on conflict (customer_id, month) do update set deliveries = deliveries + 1`,
    customerId,
    month,
  );
}

/** Gives back what a delivery that did not arrive took of its month's quota. */
export function returnToQuota(connection: Connection, deliverySeq: number): void {
  connection.run(
    `update delivery_usage set deliveries = max(0, deliveries - 1)
     where (customer_id, month) = (
       select subscriptions.customer_id, deliveries.quota_month
       from deliveries join subscriptions on subscriptions.id = deliveries.subscription_id
       where deliveries.seq = ?)`,
    deliverySeq,
  );
  connection.run("update deliveries set quota_month = null where seq = ?", deliverySeq);
}

/** Records an arrival. One that was given up before, and so gave its quota back, takes it of this month's. */
export function markDelivered(connection: Connection, deliveryId: string, nowMs: number): void {
  const arrived = connection.get(
    `update deliveries set status = 'delivered', hold_reason = null, finished_at = ?,
       arrived_at = coalesce(arrived_at, ?)
     where id = ? and status <> 'delivered' returning seq, subscription_id, quota_month`,
    nowMs,
    nowMs,
    deliveryId,
  );
  if (arrived === undefined || arrived["quota_month"] !== null) return;
  const month = utcMonth(nowMs);
  const owner = connection.get(
    "select customer_id from subscriptions where id = ?",
    String(arrived["subscription_id"]),
  );
  countTowardsQuota(connection, String(owner?.["customer_id"]), month);
  connection.run("update deliveries set quota_month = ? where seq = ?", month, Number(arrived["seq"]));
}

/** Holds everything that a subscription still has to get. */
export function holdDeliveries(connection: Connection, subscriptionId: string, reason: HoldReason): void {
  endReplays(connection, subscriptionId);
  for (const seq of pendingOf(connection, subscriptionId)) {
    returnToQuota(connection, seq);
    connection.run("update deliveries set status = 'held', hold_reason = ? where seq = ?", reason, seq);
  }
  connection.run(
    "update deliveries set hold_reason = ? where subscription_id = ? and status = 'held'",
    reason,
    subscriptionId,
  );
}

/** Cancels everything that a subscription still had to get. */
export function cancelDeliveries(connection: Connection, subscriptionId: string, nowMs: number): void {
  endReplays(connection, subscriptionId);
  for (const seq of pendingOf(connection, subscriptionId)) {
    returnToQuota(connection, seq);
    connection.run("update deliveries set status = 'cancelled', finished_at = ? where seq = ?", nowMs, seq);
  }
  connection.run(
    `update deliveries set status = 'cancelled', hold_reason = null, finished_at = ?
     where subscription_id = ? and status = 'held'`,
    nowMs,
    subscriptionId,
  );
}

/** What arrived before is not lost when its replay ends early: it is delivered as it was. */
function endReplays(connection: Connection, subscriptionId: string): void {
  connection.run(
    `update deliveries set status = 'delivered', hold_reason = null, finished_at = arrived_at
     where subscription_id = ? and status in ('pending', 'held') and arrived_at is not null`,
    subscriptionId,
  );
}

function pendingOf(connection: Connection, subscriptionId: string): number[] {
  return connection
    .all("select seq from deliveries where subscription_id = ? and status = 'pending'", subscriptionId)
    .map((row) => Number(row["seq"]));
}
