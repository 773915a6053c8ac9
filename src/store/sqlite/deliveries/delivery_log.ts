// The log of deliveries and attempts in SQLite.
import type {
  AttemptRecord,
  DeliveryRecord,
  DeliveryStatus,
  HoldReason,
} from "../../../domain/delivery/delivery.ts";
import type { DeliveryQuery } from "../../../domain/ports/store/deliveries.ts";
import type { DisabledReason } from "../../../domain/delivery/subscription.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { type Sql, sql } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";

type LogMethods =
  | "listDeliveries"
  | "listAllDeliveries"
  | "findOwner"
  | "findDelivery"
  | "findPayload"
  | "listAttempts"
  | "ownsSubscription";

/** Position from which a list without a cursor starts. */
const NEWEST = Number.MAX_SAFE_INTEGER;

const COLUMNS =
  sql`deliveries.id, deliveries.customer_id, subscription_id, event_id, sequence, status, attempts,
  next_attempt_at, deliveries.created_at, arrived_at, finished_at, deliveries.seq,
  (select version from events where events.id = event_id) > 1 as is_revision,
  case status when 'held' then (
    select iif(disabled_at is null and enabled = 1, 'quota', 'disabled')
    from subscriptions join customers on customers.id = customer_id
    where subscriptions.id = subscription_id) end as hold_reason,
  (select disabled_by from subscriptions where subscriptions.id = subscription_id) as subscription_disabled_by,
  case status when 'pending' then (
    select resume_at from subscriptions where subscriptions.id = subscription_id and pace = 'probing') end as probe_at,
  status_code, problem`;

const LAST_ATTEMPT = sql`left join attempts on delivery_id = deliveries.id
  and number = (select max(number) from attempts where delivery_id = deliveries.id)`;

export function createDeliveryLog(connection: Connection): Part<LogMethods> {
  return {
    listDeliveries: (customerId, query) => list(connection, customerId, query),
    listAllDeliveries: (query) => listAll(connection, query),
    findOwner: (of, id) => findOwner(connection, of, id),
    findDelivery: (customerId, id) => findDelivery(connection, customerId, id),
    findPayload: (deliveryId) => {
      const row = connection.get(
        sql`select coalesce(body || ending, body) as payload from deliveries
          join delivery_bodies on delivery_seq = seq left join body_endings using (ending_seq)
          where deliveries.id = ${deliveryId}`,
      );
      return (row?.["payload"] ?? null) as string | null;
    },
    listAttempts: (deliveryId) =>
      connection.all(
        sql`select number, started_at, duration_ms, status_code, problem, response from attempts
          where delivery_id = ${deliveryId} order by number`,
      ).map(attemptFromRow),
    ownsSubscription: (customerId, id) =>
      connection.get(sql`select 1 from subscriptions where id = ${id} and customer_id = ${customerId}`) !==
        undefined,
  };
}

export function findDelivery(connection: Connection, customerId: string, id: string): DeliveryRecord | null {
  const row = connection.get(
    sql`select ${COLUMNS} from deliveries ${LAST_ATTEMPT}
      where deliveries.id = ${id} and deliveries.customer_id = ${customerId}`,
  );
  return row === undefined ? null : deliveryFromRow(row);
}

function findOwner(connection: Connection, of: "subscription" | "delivery", id: string): string | null {
  const row = of === "subscription"
    ? connection.get(sql`select customer_id from subscriptions where id = ${id}`)
    : connection.get(sql`select customer_id from deliveries where id = ${id}`);
  return row === undefined ? null : String(row["customer_id"]);
}

/** Lists a customer's deliveries. If statuses are given, each is read by a separate query, through a suitable index. */
function list(connection: Connection, customerId: string, query: DeliveryQuery): DeliveryRecord[] {
  const { before, beforeSequence, sinceMs, limit } = startOf(connection, query);
  const { subscriptionId = null, eventId, statuses } = query;
  const read = (from: Sql, where: Sql, order = sql`deliveries.seq`) =>
    connection.all(
      sql`select ${COLUMNS} from deliveries ${from} ${LAST_ATTEMPT} where ${where} order by ${order} desc limit ${limit}`,
    );
  if (eventId !== undefined) {
    const rows = connection.all(
      sql`select ${COLUMNS} from deliveries ${LAST_ATTEMPT}
        where subscription_id in (select id from subscriptions where customer_id = ${customerId})
          and event_id = ${eventId} and deliveries.seq < ${before} order by deliveries.seq desc`,
    );
    return recordsOf(rows.filter(isWanted(query)), query);
  }
  const first = firstSeqAt(connection, sinceMs - MAX_CLOCK_STEP_MS);
  const range =
    sql`deliveries.seq < ${before} and deliveries.seq >= ${first} and deliveries.created_at >= ${sinceMs}`;
  const own = sql`deliveries.customer_id = ${customerId}`;
  const readAll = (state: Sql) =>
    subscriptionId === null
      ? read(sql`indexed by deliveries_by_customer`, sql`${own} and ${range} and ${state}`)
      : read(
        sql`indexed by deliveries_by_sequence`,
        sql`${own} and subscription_id = ${subscriptionId} and sequence < ${beforeSequence} and ${range} and ${state}`,
        sql`sequence`,
      );
  if (statuses === undefined) return recordsOf(readAll(sql`true`), query);
  const rows = [...new Set(statuses)].flatMap((status) => {
    if (status === "delivered") return readAll(sql`status = 'delivered'`);
    if (status === "pending") {
      // Unless a time is given, the index alone determines which pending deliveries are the newest.
      return connection.all(
        sql`select ${COLUMNS} from deliveries ${LAST_ATTEMPT} where deliveries.seq in (
            select seq from deliveries indexed by deliveries_due
            where status = 'pending' and is_replay in (0, 1) and ${own}
              and (${subscriptionId} is null or subscription_id = ${subscriptionId}) and seq < ${before}
              and (${sinceMs} = 0 or created_at >= ${sinceMs}) order by seq desc limit ${limit})`,
      );
    }
    if (status === "held" && subscriptionId !== null) {
      return read(
        sql`indexed by deliveries_held`,
        sql`${own} and subscription_id = ${subscriptionId} and ${range} and status = 'held'`,
      );
    }
    return read(
      sql`indexed by deliveries_undelivered`,
      sql`${own} and status = ${status} and status in ('failed', 'held', 'cancelled')
          and (${subscriptionId} is null or subscription_id = ${subscriptionId}) and ${range}`,
    );
  });
  return recordsOf(rows, query);
}

function listAll(connection: Connection, query: Omit<DeliveryQuery, "subscriptionId">): DeliveryRecord[] {
  const { before, sinceMs, limit } = startOf(connection, query);
  const { eventId, statuses } = query;
  const read = (where: Sql) =>
    connection.all(sql`select ${COLUMNS} from deliveries ${LAST_ATTEMPT} where ${where}`);
  if (eventId !== undefined) {
    const rows = read(sql`event_id = ${eventId} and deliveries.seq < ${before} order by deliveries.seq desc`);
    return recordsOf(rows.filter(isWanted(query)), query);
  }
  const range = sql`deliveries.seq < ${before} and deliveries.created_at >= ${sinceMs}`;
  const newest = sql`order by deliveries.seq desc limit ${limit}`;
  if (statuses === undefined) return recordsOf(read(sql`${range} ${newest}`), query);
  const rows = [...new Set(statuses)].flatMap((status) => {
    if (status === "delivered") return read(sql`${range} and status = 'delivered' ${newest}`);
    // The index is small but in another order, so the newest `seq` are selected before all columns are read.
    const [index, state] = status === "pending"
      ? [sql`deliveries_oldest_pending`, sql`status = 'pending'`]
      : [sql`deliveries_undelivered`, sql`status = ${status} and status in ('failed', 'held', 'cancelled')`];
    return read(
      sql`deliveries.seq in (
        select seq from deliveries indexed by ${index} where ${state} and ${range} ${newest})`,
    );
  });
  return recordsOf(rows, query);
}

/** Returns a filter for the deliveries of one event, of which there are few: at most one per subscription. */
function isWanted({ subscriptionId, statuses, sinceMs = 0 }: DeliveryQuery): (row: Row) => boolean {
  return (row) =>
    (subscriptionId === undefined || row["subscription_id"] === subscriptionId) &&
    (statuses === undefined || statuses.some((status) => status === row["status"])) &&
    Number(row["created_at"]) >= sinceMs;
}

function recordsOf(rows: Row[], { limit }: DeliveryQuery): DeliveryRecord[] {
  return rows.sort((a, b) => Number(b["seq"]) - Number(a["seq"])).slice(0, limit).map(deliveryFromRow);
}

/** Returns where a list starts: below a `seq`, and below a sequence number of the query's subscription. */
function startOf(
  connection: Connection,
  { beforeId, subscriptionId, sinceMs = 0, limit }: DeliveryQuery,
): { before: number; beforeSequence: number; sinceMs: number; limit: number } {
  if (beforeId === undefined) return { before: NEWEST, beforeSequence: NEWEST, sinceMs, limit };
  const row = connection.get(
    sql`select seq, subscription_id, sequence from deliveries where id = ${beforeId}`,
  );
  if (row === undefined) throw new Error(`no delivery ${beforeId}`);
  const beforeSequence = row["subscription_id"] === subscriptionId ? Number(row["sequence"]) : NEWEST;
  return { before: Number(row["seq"]), beforeSequence, sinceMs, limit };
}

/** Maximum time in ms by which the clock may have been set back without making {@link firstSeqAt} wrong. */
const MAX_CLOCK_STEP_MS = 86_400_000;

/** Returns the `seq` of the first delivery created at or after a time. Bisects, as `seq` and time grow together. */
function firstSeqAt(connection: Connection, atMs: number): number {
  if (atMs <= 0) return 0;
  let low = 0;
  let high = 1 + Number(connection.get(sql`select max(seq) as last from deliveries`)?.["last"] ?? 0);
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = connection.get(
      sql`select seq, created_at from deliveries where seq >= ${middle} order by seq limit 1`,
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
    isProbed: row["probe_at"] !== null,
    attempts: Number(row["attempts"]),
    lastStatusCode: row["status_code"] as number | null,
    lastProblem: row["problem"] as string | null,
    nextAttemptAtMs: Math.max(Number(row["next_attempt_at"]), Number(row["probe_at"])),
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
