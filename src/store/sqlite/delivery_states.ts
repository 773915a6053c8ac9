// Changes of a delivery's state in SQLite: what src/domain/delivery_life.ts says, applied to one delivery or to many.
import { utcMonth } from "../../domain/calendar.ts";
import type { DeliveryStatus, HoldReason } from "../../domain/delivery.ts";
import { type DeliveryFacts, type DeliveryTrigger, nextState } from "../../domain/delivery_life.ts";
import type { Connection, Row } from "./connection.ts";
import { onceFor, places } from "./row_counts.ts";

/** A stored delivery, as far as its next state depends on it. */
export interface DeliveryRow extends DeliveryFacts {
  seq: number;
  customerId: string;
  subscriptionId: string;
  /** The number of the last attempt. */
  attempts: number;
  /** Attempts that are known to have failed since it was last asked to go. */
  tries: number;
  /** The month whose quota it uses. */
  quotaMonth: string | null;
}

/** The delivery of that id, null when there is none. */
export function findState(connection: Connection, id: string): DeliveryRow | null {
  return findStates(connection, [id]).get(id) ?? null;
}

/** The deliveries of those ids, each once, by id; those that there are. */
export function findStates(connection: Connection, ids: readonly string[]): Map<string, DeliveryRow> {
  const rows = connection.all(
    `select id, seq, customer_id, subscription_id, status, hold_reason, attempts, tries,
       arrived_at is not null as arrived, quota_month from deliveries where id in (${
      ids.map(() => "?").join(", ")
    })`,
    ...ids,
  );
  return new Map(rows.map((row) => [String(row["id"]), stateFromRow(row)]));
}

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
 * Applies what follows when that happens to a delivery; false when nothing does. `retry` is when a delivery that was
 * missed is due again, what its receiver asked for, and how many tries it has had.
 */
export function applyTrigger(
  connection: Connection,
  delivery: DeliveryRow,
  { trigger, nowMs, retry, month }: {
    trigger: DeliveryTrigger;
    nowMs: number;
    /** Whose quota it is taken of; without one the month of `nowMs`. */
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
  const isOver = change.status !== "pending" && change.status !== "held";
  const dueAtMs = retry?.atMs ?? (change.restarts ? nowMs : null);
  connection.run(
    `update deliveries set status = ?, hold_reason = ?, quota_month = ?, finished_at = ?,
       arrived_at = coalesce(arrived_at, ?), tries = iif(?, 0, coalesce(?, tries)),
       next_attempt_at = coalesce(?, next_attempt_at), decided_at = ?, not_before = ?, pruned = 0,
       is_replay = iif(?, 1, is_replay)
     where seq = ?`,
    change.status,
    change.holdReason,
    quotaMonth,
    isOver ? nowMs : null,
    trigger === "arrived" ? nowMs : null,
    change.restarts ? 1 : 0,
    retry?.tries ?? null,
    dueAtMs,
    nowMs,
    retry?.notBeforeMs ?? null,
    trigger === "replayed" ? 1 : 0,
    delivery.seq,
  );
  return true;
}

/**
 * Applies what follows when different deliveries have arrived, to those that are as nearly all are: pending, and counted
 * already. How many these were; the others are left as they are.
 */
export function arriveUnread(connection: Connection, ids: readonly string[], nowMs: number): number {
  return connection.run(arriveSql(ids.length), nowMs, nowMs, nowMs, ...ids);
}

/** What fails here fails all of it: SQLite need not copy each page first to take back this statement alone. */
const arriveSql = onceFor((rows) =>
  `update or rollback deliveries set status = 'delivered', finished_at = ?, arrived_at = coalesce(arrived_at, ?), decided_at = ?,
     not_before = null
   where id in (${places(rows, "?")}) and status = 'pending' and quota_month is not null`
);

/** Takes deliveries of a month's quota. */
export function countTowardsQuota(
  connection: Connection,
  { customerId, month, deliveries }: { customerId: string; month: string; deliveries: number },
): void {
  connection.run(
    `insert into delivery_usage (customer_id, month, deliveries) values (?, ?, ?)
     on conflict (customer_id, month) do update set deliveries = deliveries + excluded.deliveries`,
    customerId,
    month,
    deliveries,
  );
}

function returnToQuota(
  connection: Connection,
  { customerId, month, deliveries }: { customerId: string; month: string | null; deliveries: number },
): void {
  connection.run(
    `update delivery_usage set deliveries = max(0, deliveries - ?) where customer_id = ? and month = ?`,
    deliveries,
    customerId,
    month,
  );
}

/** Holds everything that a subscription still has to get. */
export function holdDeliveries(
  connection: Connection,
  subscriptionId: string,
  { reason, nowMs }: { reason: HoldReason; nowMs: number },
): void {
  applyToAll(connection, subscriptionId, {
    trigger: reason === "quota" ? "quota-spent" : "switched-off",
    nowMs,
  });
}

/** Cancels everything that a subscription still had to get. */
export function cancelDeliveries(connection: Connection, subscriptionId: string, nowMs: number): void {
  applyToAll(connection, subscriptionId, { trigger: "abandoned", nowMs });
}

/** The pending deliveries of the subscription `?1`, in the terms of their index. */
export const PENDING_OF_SUBSCRIPTION = `status = 'pending' and is_replay in (0, 1)
  and deliveries.customer_id = (select customer_id from subscriptions where id = ?1) and subscription_id = ?1`;

const UNFINISHED_SQL = {
  pending:
    `select customer_id, status, hold_reason, arrived_at is not null as arrived, quota_month, count(*) as deliveries
     from deliveries indexed by deliveries_due where ${PENDING_OF_SUBSCRIPTION}
     group by customer_id, hold_reason, arrived_at is not null, quota_month`,
  held:
    `select customer_id, status, hold_reason, arrived_at is not null as arrived, quota_month, count(*) as deliveries
     from deliveries indexed by deliveries_held where status = 'held' and subscription_id = ?
     group by customer_id, hold_reason, arrived_at is not null, quota_month`,
};

const CHANGED = `set status = ?2, hold_reason = ?3, quota_month = ?4,
  finished_at = iif(?5, coalesce(arrived_at, ?6), null), decided_at = ?6`;
const ALIKE = "hold_reason is ?7 and (arrived_at is not null) = ?8 and quota_month is ?9";

/** Literal statuses, so that the partial indexes serve them. */
const CHANGE_SQL = {
  pending:
    `update deliveries indexed by deliveries_due ${CHANGED} where ${PENDING_OF_SUBSCRIPTION} and ${ALIKE}`,
  held: `update deliveries indexed by deliveries_held ${CHANGED}
     where status = 'held' and subscription_id = ?1 and ${ALIKE}`,
};

/** Lets the same happen to all that a subscription has to get, in one statement for all that are alike. */
function applyToAll(
  connection: Connection,
  subscriptionId: string,
  { trigger, nowMs }: { trigger: "quota-spent" | "switched-off" | "abandoned"; nowMs: number },
): void {
  // All groups are read before the first is changed: what becomes held must not be met again as such.
  const groups = [UNFINISHED_SQL.pending, UNFINISHED_SQL.held].flatMap((sql) =>
    connection.all(sql, subscriptionId)
  );
  for (const row of groups) {
    const quotaMonth = row["quota_month"] as string | null;
    const facts: DeliveryFacts = {
      status: row["status"] as DeliveryStatus,
      holdReason: row["hold_reason"] as HoldReason | null,
      hasArrived: row["arrived"] === 1,
      isCounted: quotaMonth !== null,
    };
    const change = nextState(facts, trigger);
    if (change === null) continue;
    if (change.quota === "take") throw new Error(`${trigger} takes of a quota`);
    if (change.quota === "give-back") {
      returnToQuota(connection, {
        customerId: String(row["customer_id"]),
        month: quotaMonth,
        deliveries: Number(row["deliveries"]),
      });
    }
    const isOver = change.status !== "pending" && change.status !== "held";
    connection.run(
      facts.status === "pending" ? CHANGE_SQL.pending : CHANGE_SQL.held,
      subscriptionId,
      change.status,
      change.holdReason,
      change.quota === "give-back" ? null : quotaMonth,
      isOver ? 1 : 0,
      nowMs,
      facts.holdReason,
      facts.hasArrived ? 1 : 0,
      quotaMonth,
    );
  }
}
