// State changes of deliveries in SQLite, as src/domain/delivery/delivery_life.ts decides them.
import { utcMonth } from "../../../domain/customer/quota_period.ts";
import type { DeliveryStatus, HoldReason } from "../../../domain/delivery/delivery.ts";
import {
  type DeliveryFacts,
  type DeliveryTrigger,
  nextState,
} from "../../../domain/delivery/delivery_life.ts";
import { utcDay } from "../../../domain/utc_day.ts";
import { removeBodies } from "./delivery_bodies.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { type Sql, sql } from "../connection/sql.ts";

interface DeliveryRow extends DeliveryFacts {
  seq: number;
  customerId: string;
  subscriptionId: string;
  /** The number of the last attempt. */
  attempts: number;
  /** Number of attempts that have failed since the retry schedule last started. */
  tries: number;
  quotaMonth: string | null;
}

export function findState(connection: Connection, id: string): DeliveryRow | null {
  return findStates(connection, [id]).get(id) ?? null;
}

/** Returns the deliveries with these ids, by id. Unknown ids are left out. */
export function findStates(connection: Connection, ids: readonly string[]): Map<string, DeliveryRow> {
  const rows = connection.all(
    sql`select id, ${STATE_COLUMNS} from deliveries
      where id in (select value from json_each(${JSON.stringify(ids)}))`,
  );
  return new Map(rows.map((row) => [String(row["id"]), stateFromRow(row)]));
}

const STATE_COLUMNS = sql`seq, customer_id, subscription_id, status, hold_reason, attempts, tries,
    arrived_at is not null as arrived, quota_month`;

function stateFromRow(row: Row): DeliveryRow {
  return {
    seq: Number(row["seq"]),
    customerId: String(row["customer_id"]),
    subscriptionId: String(row["subscription_id"]),
    status: row["status"] as DeliveryStatus,
    holdReason: row["hold_reason"] as HoldReason | null,
    hasArrived: row["arrived"] === 1,
    isCounted: row["quota_month"] !== null,
    attempts: Number(row["attempts"]),
    tries: Number(row["tries"]),
    quotaMonth: row["quota_month"] as string | null,
  };
}

/**
 * Applies a trigger's effects to a delivery. Returns false if there are none. `retry` states when the delivery is due
 * again, the earliest time that its receiver asked for, and the number of its failed attempts.
 */
export function applyTrigger(
  connection: Connection,
  delivery: DeliveryRow,
  { trigger, nowMs, retry, month }: {
    trigger: DeliveryTrigger;
    nowMs: number;
    /** Month whose quota the delivery counts towards. Defaults to the month of `nowMs`. */
    month?: string;
    retry?: { atMs: number; notBeforeMs?: number; tries?: number };
  },
): boolean {
  const change = nextState(delivery, trigger);
  if (change === null) return false;
  let { quotaMonth } = delivery;
  if (change.quota === "take") {
    quotaMonth = month ?? utcMonth(nowMs);
    countTowardsQuota(connection, { customerId: delivery.customerId, month: quotaMonth, deliveries: 1 });
  } else if (change.quota === "give-back") {
    returnToQuota(connection, { customerId: delivery.customerId, month: quotaMonth, deliveries: 1 });
    quotaMonth = null;
  }
  if (trigger === "arrived" && !delivery.hasArrived) countArrivals(connection, [delivery.customerId], nowMs);
  const isOver = change.status !== "pending" && change.status !== "held";
  const dueAtMs = retry?.atMs ?? (change.restarts ? nowMs : null);
  connection.run(
    sql`update deliveries
      set status = ${change.status}, hold_reason = ${change.holdReason}, quota_month = ${quotaMonth},
        finished_at = ${isOver ? nowMs : null}, arrived_at = coalesce(arrived_at,
        ${trigger === "arrived" ? nowMs : null}), tries = iif(${change.restarts ? 1 : 0}, 0,
        coalesce(${retry?.tries ?? null}, tries)), next_attempt_at = coalesce(${dueAtMs}, next_attempt_at),
        decided_at = ${nowMs}, not_before = ${retry?.notBeforeMs ?? null}, pruned = 0,
        is_replay = iif(${trigger === "replayed" ? 1 : 0}, 1, is_replay) where seq = ${delivery.seq}`,
  );
  return true;
}

/** Marks each delivery as delivered if it is pending and counts towards a quota. Returns the number marked. */
export function markPendingDelivered(connection: Connection, ids: readonly string[], nowMs: number): number {
  // With "or rollback", an error undoes the whole transaction, so no statement journal is needed.
  const marked = connection.all(
    sql`update or rollback deliveries set status = 'delivered', finished_at = ${nowMs},
        arrived_at = coalesce(arrived_at, ${nowMs}), decided_at = ${nowMs}, not_before = null
      where id in (select value from json_each(${JSON.stringify(ids)})) and status = 'pending'
        and quota_month is not null returning customer_id, arrived_at`,
  );
  const arrived = marked.filter((row) => row["arrived_at"] === nowMs);
  countArrivals(connection, arrived.map((row) => String(row["customer_id"])), nowMs);
  return marked.length;
}

/** Counts a delivery of each of these customers, who may repeat. */
function countArrivals(connection: Connection, customerIds: readonly string[], nowMs: number): void {
  for (const [customerId, { length }] of Map.groupBy(customerIds, (id) => id)) {
    connection.run(
      sql`insert into arrivals (customer_id, day, deliveries)
        values (${customerId}, ${utcDay(nowMs)}, ${length})
        on conflict (customer_id, day) do update set deliveries = deliveries + excluded.deliveries`,
    );
  }
}

export function countTowardsQuota(
  connection: Connection,
  { customerId, month, deliveries }: { customerId: string; month: string; deliveries: number },
): void {
  connection.run(
    sql`insert into delivery_usage (customer_id, month, deliveries)
      values (${customerId}, ${month}, ${deliveries})
      on conflict (customer_id, month) do update set deliveries = deliveries + excluded.deliveries`,
  );
}

function returnToQuota(
  connection: Connection,
  { customerId, month, deliveries }: { customerId: string; month: string | null; deliveries: number },
): void {
  connection.run(
    sql`update delivery_usage set deliveries = max(0, deliveries - ${deliveries})
      where customer_id = ${customerId} and month = ${month}`,
  );
}

/** Maximum number of deliveries that one call cancels or holds. */
export const CLOSE_BATCH = 500;

/** Cancels a batch of a deleted subscription's deliveries and removes their bodies. Returns the size of the batch. */
export function cancelDeliveries(connection: Connection, subscriptionId: string, nowMs: number): number {
  const held = connection.all(
    sql`select ${STATE_COLUMNS} from deliveries indexed by deliveries_held
      where status = 'held' and subscription_id = ${subscriptionId} limit ${CLOSE_BATCH}`,
  );
  const rows = [...pendingRows(connection, subscriptionId), ...held].slice(0, CLOSE_BATCH);
  for (const row of rows) applyTrigger(connection, stateFromRow(row), { trigger: "abandoned", nowMs });
  removeBodies(connection, JSON.stringify(rows.map((row) => row["seq"])));
  return rows.length;
}

/**
 * Holds a batch of a disabled subscription's pending deliveries, and returns its size. Those that remain after a full
 * batch are not claimed, and `closeSubscriptions` holds them later.
 */
export function holdDeliveries(connection: Connection, subscriptionId: string, nowMs: number): number {
  const rows = pendingRows(connection, subscriptionId);
  for (const row of rows) applyTrigger(connection, stateFromRow(row), { trigger: "disabled", nowMs });
  if (rows.length === CLOSE_BATCH) {
    connection.run(sql`update subscriptions set closing = 1 where id = ${subscriptionId}`);
  }
  return rows.length;
}

/** Returns the condition that selects a subscription's pending deliveries through the index `deliveries_due`. */
export function pendingOf(subscriptionId: string): Sql {
  return sql`status = 'pending' and is_replay in (0, 1) and (deliveries.customer_id, subscription_id) =
    (select customer_id, id from subscriptions where id = ${subscriptionId})`;
}

/** The condition that no attempt is in progress. An attempt gets its row when it ends. */
export const ATTEMPT_IS_RECORDED =
  sql`exists (select 1 from attempts where delivery_id = deliveries.id and number = deliveries.attempts)`;

/** Restarts the schedules of a subscription's deliveries that wait for a retry. They are due now. */
export function restartSchedules(connection: Connection, subscriptionId: string, nowMs: number): void {
  connection.run(
    sql`update deliveries indexed by deliveries_due
      set next_attempt_at = min(next_attempt_at, ${nowMs}), decided_at = ${nowMs}, not_before = null, tries = 0
      where ${pendingOf(subscriptionId)} and tries > 0 and ${ATTEMPT_IS_RECORDED}`,
  );
}

function pendingRows(connection: Connection, subscriptionId: string): Row[] {
  return connection.all(
    sql`select ${STATE_COLUMNS} from deliveries indexed by deliveries_due
      where ${pendingOf(subscriptionId)} limit ${CLOSE_BATCH}`,
  );
}
