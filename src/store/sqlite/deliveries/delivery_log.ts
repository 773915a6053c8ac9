// The log of deliveries and attempts in SQLite.
import type {
  AttemptRecord,
  DeliveryRecord,
  DeliveryStatus,
  HoldReason,
} from "../../../domain/delivery/delivery.ts";
import type { DeliveryQuery } from "../../../domain/ports/store/deliveries.ts";
import type { Store } from "../../../domain/ports/store/store.ts";
import type { DisabledReason } from "../../../domain/delivery/subscription.ts";
import type { Connection, Row } from "../connection/connection.ts";

type LogMethods =
  | "listDeliveries"
  | "listAllDeliveries"
  | "findOwner"
  | "findDelivery"
  | "listAttempts"
  | "ownsSubscription";

/** Where the first delivery of a list begins: behind every one there is. */
const NEWEST = Number.MAX_SAFE_INTEGER;

const COLUMNS =
  `deliveries.id, deliveries.customer_id, subscription_id, event_id, sequence, status, attempts, next_attempt_at,
  deliveries.created_at, arrived_at, finished_at, deliveries.seq,
  (select version from events where events.id = event_id) > 1 as is_revision,
  case status when 'held' then (
    select iif(disabled_at is null and enabled = 1, 'quota', 'disabled')
    from subscriptions join customers on customers.id = subscriptions.customer_id
    where subscriptions.id = subscription_id) end as hold_reason,
  (select disabled_by from subscriptions where subscriptions.id = subscription_id) as subscription_disabled_by, status_code, problem`;

const LAST_ATTEMPT = `left join attempts on delivery_id = deliveries.id
  and number = (select max(number) from attempts where delivery_id = deliveries.id)`;

const LIST_SQL = `select ${COLUMNS} from deliveries indexed by deliveries_by_customer ${LAST_ATTEMPT}
  where deliveries.customer_id = ? and deliveries.seq < ? and deliveries.seq >= ? and deliveries.created_at >= ?
  order by deliveries.seq desc limit ?`;

/** Of one subscription: there the order of the sequence is that of making. */
const LIST_OF_SUBSCRIPTION_SQL =
  `select ${COLUMNS} from deliveries indexed by deliveries_by_sequence ${LAST_ATTEMPT}
  where deliveries.customer_id = ? and subscription_id = ? and sequence < ? and deliveries.seq < ?
    and deliveries.seq >= ? and deliveries.created_at >= ? order by sequence desc limit ?`;

const LIST_DELIVERED_OF_SUBSCRIPTION_SQL =
  `select ${COLUMNS} from deliveries indexed by deliveries_by_sequence ${LAST_ATTEMPT}
  where deliveries.customer_id = ? and subscription_id = ? and sequence < ? and deliveries.seq < ?
    and deliveries.seq >= ? and deliveries.created_at >= ? and status = 'delivered' order by sequence desc limit ?`;

const LIST_HELD_OF_SUBSCRIPTION_SQL =
  `select ${COLUMNS} from deliveries indexed by deliveries_held ${LAST_ATTEMPT}
  where deliveries.customer_id = ? and subscription_id = ? and deliveries.seq < ? and deliveries.seq >= ?
    and deliveries.created_at >= ? and status = 'held' order by deliveries.seq desc limit ?`;

const LIST_OF_EVENT_SQL = `select ${COLUMNS} from deliveries ${LAST_ATTEMPT}
  where subscription_id in (select id from subscriptions where customer_id = ?) and event_id = ?
    and deliveries.seq < ? order by deliveries.seq desc`;

const LIST_DELIVERED_SQL =
  `select ${COLUMNS} from deliveries indexed by deliveries_by_customer ${LAST_ATTEMPT}
  where deliveries.customer_id = ? and deliveries.seq < ? and deliveries.seq >= ? and deliveries.created_at >= ? and status = 'delivered'
  order by deliveries.seq desc limit ?`;

const LIST_UNDELIVERED_SQL =
  `select ${COLUMNS} from deliveries indexed by deliveries_undelivered ${LAST_ATTEMPT}
  where deliveries.customer_id = ? and status = ? and status in ('failed', 'held', 'cancelled')
    and (? is null or subscription_id = ?) and deliveries.seq < ? and deliveries.seq >= ? and deliveries.created_at >= ?
  order by deliveries.seq desc limit ?`;

/** The newest of the customer's queues. Read from the index alone, unless a time is asked for. */
const LIST_PENDING_SQL = `select ${COLUMNS} from deliveries ${LAST_ATTEMPT}
  where deliveries.seq in (
    select seq from deliveries indexed by deliveries_due
    where status = 'pending' and is_replay in (0, 1) and deliveries.customer_id = ?
      and (? is null or subscription_id = ?) and seq < ? and (? = 0 or created_at >= ?) order by seq desc limit ?)`;

const ALL_SQL = `select ${COLUMNS} from deliveries ${LAST_ATTEMPT}
  where deliveries.seq < ? and deliveries.created_at >= ? order by deliveries.seq desc limit ?`;

const ALL_OF_EVENT_SQL = `select ${COLUMNS} from deliveries ${LAST_ATTEMPT}
  where event_id = ? and deliveries.seq < ? order by deliveries.seq desc`;

const ALL_DELIVERED_SQL = `select ${COLUMNS} from deliveries ${LAST_ATTEMPT}
  where deliveries.seq < ? and deliveries.created_at >= ? and status = 'delivered'
  order by deliveries.seq desc limit ?`;

/** The index has few of all rows, in another order: rows are sorted before the rest of them is read. */
const ALL_UNDELIVERED_SQL = `select ${COLUMNS} from deliveries ${LAST_ATTEMPT}
  where deliveries.seq in (
    select seq from deliveries indexed by deliveries_undelivered
    where status = ? and status in ('failed', 'held', 'cancelled') and seq < ? and created_at >= ?
    order by seq desc limit ?)`;

const ALL_PENDING_SQL = `select ${COLUMNS} from deliveries ${LAST_ATTEMPT}
  where deliveries.seq in (
    select seq from deliveries indexed by deliveries_oldest_pending
    where status = 'pending' and seq < ? and created_at >= ? order by seq desc limit ?)`;

/** The part of the port that concerns the log. */
export function createDeliveryLog(connection: Connection): Pick<Store, LogMethods> {
  return {
    listDeliveries: (customerId, query) => Promise.resolve(list(connection, customerId, query)),
    listAllDeliveries: (query) => Promise.resolve(listAll(connection, query)),
    findOwner: (of, id) => Promise.resolve(findOwner(connection, of, id)),
    findDelivery: (customerId, id) => Promise.resolve(findDelivery(connection, customerId, id)),
    listAttempts: (deliveryId) =>
      Promise.resolve(
        connection.all(
          `select number, started_at, duration_ms, status_code, problem, response
           from attempts where delivery_id = ? order by number`,
          deliveryId,
        ).map(attemptFromRow),
      ),
    ownsSubscription: (customerId, id) =>
      Promise.resolve(
        connection.get("select 1 from subscriptions where id = ? and customer_id = ?", id, customerId) !==
          undefined,
      ),
  };
}

/** A delivery of the customer; null without one. */
export function findDelivery(connection: Connection, customerId: string, id: string): DeliveryRecord | null {
  const row = connection.get(
    `select ${COLUMNS} from deliveries ${LAST_ATTEMPT} where deliveries.id = ? and deliveries.customer_id = ?`,
    id,
    customerId,
  );
  return row === undefined ? null : deliveryFromRow(row);
}

function findOwner(connection: Connection, of: "subscription" | "delivery", id: string): string | null {
  const row = of === "subscription"
    ? connection.get("select customer_id from subscriptions where id = ?", id)
    : connection.get("select customer_id from deliveries where id = ?", id);
  return row === undefined ? null : String(row["customer_id"]);
}

/** Where a list begins, and what it leaves out. */
interface Stretch {
  before: number;
  /** The same as the sequence of the query's subscription; {@link NEWEST} if `before` is a delivery of another one. */
  beforeSequence: number;
  sinceMs: number;
  limit: number;
}

function list(connection: Connection, customerId: string, query: DeliveryQuery): DeliveryRecord[] {
  const stretch = stretchOf(connection, query);
  const { subscriptionId, eventId, statuses } = query;
  if (eventId !== undefined) {
    const rows = connection.all(LIST_OF_EVENT_SQL, customerId, eventId, stretch.before);
    return recordsOf(rows.filter(isWanted(query)), query);
  }
  const { before, beforeSequence, sinceMs, limit } = stretch;
  const from = firstPlaceAt(connection, sinceMs - MAX_CLOCK_STEP_MS);
  const read = (of: { customer: string; subscription: string }) =>
    subscriptionId === undefined
      ? connection.all(of.customer, customerId, before, from, sinceMs, limit)
      : connection.all(
        of.subscription,
        customerId,
        subscriptionId,
        beforeSequence,
        before,
        from,
        sinceMs,
        limit,
      );
  if (statuses === undefined) {
    return recordsOf(read({ customer: LIST_SQL, subscription: LIST_OF_SUBSCRIPTION_SQL }), query);
  }
  const only = subscriptionId ?? null;
  const rows = ofEach(statuses, (status) => {
    if (status === "delivered") {
      return read({ customer: LIST_DELIVERED_SQL, subscription: LIST_DELIVERED_OF_SUBSCRIPTION_SQL });
    }
    if (status === "pending") {
      return connection.all(LIST_PENDING_SQL, customerId, only, only, before, sinceMs, sinceMs, limit);
    }
    if (status === "held" && subscriptionId !== undefined) {
      return connection.all(
        LIST_HELD_OF_SUBSCRIPTION_SQL,
        customerId,
        subscriptionId,
        before,
        from,
        sinceMs,
        limit,
      );
    }
    return connection.all(
      LIST_UNDELIVERED_SQL,
      customerId,
      status,
      only,
      only,
      before,
      from,
      sinceMs,
      limit,
    );
  });
  return recordsOf(rows, query);
}

function listAll(
  connection: Connection,
  query: Parameters<Store["listAllDeliveries"]>[0],
): DeliveryRecord[] {
  const { before, sinceMs, limit } = stretchOf(connection, query);
  const { eventId, statuses } = query;
  if (eventId !== undefined) {
    const rows = connection.all(ALL_OF_EVENT_SQL, eventId, before);
    return recordsOf(rows.filter(isWanted(query)), query);
  }
  if (statuses === undefined) return recordsOf(connection.all(ALL_SQL, before, sinceMs, limit), query);
  const rows = ofEach(statuses, (status) => {
    if (status === "delivered") return connection.all(ALL_DELIVERED_SQL, before, sinceMs, limit);
    if (status === "pending") return connection.all(ALL_PENDING_SQL, before, sinceMs, limit);
    return connection.all(ALL_UNDELIVERED_SQL, status, before, sinceMs, limit);
  });
  return recordsOf(rows, query);
}

/** Those of each state: each has an order of its own, so that several are merged. */
function ofEach(statuses: readonly DeliveryStatus[], read: (status: DeliveryStatus) => Row[]): Row[] {
  return [...new Set(statuses)].flatMap(read);
}

/** Of an event there is at most one for each subscription: they are looked through. */
function isWanted({ subscriptionId, statuses, sinceMs = 0 }: DeliveryQuery): (row: Row) => boolean {
  return (row) =>
    (subscriptionId === undefined || row["subscription_id"] === subscriptionId) &&
    (statuses === undefined || statuses.some((status) => status === row["status"])) &&
    Number(row["created_at"]) >= sinceMs;
}

function recordsOf(rows: Row[], { limit }: DeliveryQuery): DeliveryRecord[] {
  return rows.sort((a, b) => Number(b["seq"]) - Number(a["seq"])).slice(0, limit).map(deliveryFromRow);
}

function stretchOf(
  connection: Connection,
  { beforeId, subscriptionId, sinceMs = 0, limit }: DeliveryQuery,
): Stretch {
  if (beforeId === undefined) return { before: NEWEST, beforeSequence: NEWEST, sinceMs, limit };
  const row = connection.get("select seq, subscription_id, sequence from deliveries where id = ?", beforeId);
  if (row === undefined) throw new Error(`there is no delivery ${beforeId}`);
  const beforeSequence = row["subscription_id"] === subscriptionId ? Number(row["sequence"]) : NEWEST;
  return { before: Number(row["seq"]), beforeSequence, sinceMs, limit };
}

/** A clock that was set back by no more loses nothing in {@link firstPlaceAt}, ms. */
const MAX_CLOCK_STEP_MS = 86_400_000;

/**
 * The first place of a delivery made at that time or later, found by bisection: deliveries are stored in the order of
 * time, and to read those of a year would keep all other work waiting.
 */
function firstPlaceAt(connection: Connection, atMs: number): number {
  if (atMs <= 0) return 0;
  let low = 0;
  let high = 1 + Number(connection.get("select max(seq) as last from deliveries")?.["last"] ?? 0);
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = connection.get(
      "select seq, created_at from deliveries where seq >= ? order by seq limit 1",
      middle,
    );
    if (row === undefined || Number(row["created_at"]) >= atMs) high = middle;
    else low = Number(row["seq"]) + 1;
  }
  return low;
}

function deliveryFromRow(row: Row): DeliveryRecord {
  return {
    id: String(row["id"]),
    customerId: String(row["customer_id"]),
    subscriptionId: String(row["subscription_id"]),
    eventId: String(row["event_id"]),
    isRevision: row["is_revision"] === 1,
    sequence: Number(row["sequence"]),
    status: row["status"] as DeliveryStatus,
    holdReason: row["hold_reason"] as HoldReason | null,
    subscriptionDisabledBy: row["subscription_disabled_by"] as DisabledReason | null,
    attempts: Number(row["attempts"]),
    lastStatusCode: row["status_code"] as number | null,
    lastProblem: row["problem"] as string | null,
    nextAttemptAtMs: Number(row["next_attempt_at"]),
    createdAtMs: Number(row["created_at"]),
    arrivedAtMs: row["arrived_at"] as number | null,
    finishedAtMs: row["finished_at"] as number | null,
  };
}

function attemptFromRow(row: Row): AttemptRecord {
  return {
    number: Number(row["number"]),
    startedAtMs: Number(row["started_at"]),
    durationMs: Number(row["duration_ms"]),
    statusCode: row["status_code"] as number | null,
    problem: row["problem"] as string | null,
    response: row["response"] as string | null,
  };
}
