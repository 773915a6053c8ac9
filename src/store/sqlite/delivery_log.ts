// The log of deliveries in SQLite: what a customer was promised, and the attempts made.
import type { AttemptRecord, DeliveryRecord, DeliveryStatus, HoldReason } from "../../domain/delivery.ts";
import type { DeliveryQuery } from "../../domain/catch_up_store.ts";
import type { SwitchedOffBy } from "../../domain/subscription.ts";
import type { Store } from "../../domain/store.ts";
import type { Connection, Row } from "./connection.ts";

type LogMethods = "listDeliveries" | "findDelivery" | "listAttempts" | "ownsSubscription";

/** Where the first delivery of a list begins: behind every one there is. */
const NEWEST = Number.MAX_SAFE_INTEGER;

const COLUMNS =
  `deliveries.id, subscription_id, event_id, sequence, status, hold_reason, attempts, next_attempt_at,
  deliveries.created_at, arrived_at, finished_at, deliveries.seq,
  (select version from events where events.id = event_id) > 1 as is_revision,
  (select disabled_by from subscriptions where subscriptions.id = subscription_id) as subscription_disabled_by, status_code, problem`;

const LAST_ATTEMPT = `left join attempts on delivery_id = deliveries.id
  and number = (select max(number) from attempts where delivery_id = deliveries.id)`;

const LIST_SQL = `select ${COLUMNS} from deliveries indexed by deliveries_by_customer ${LAST_ATTEMPT}
  where deliveries.customer_id = ? and deliveries.seq < ? order by deliveries.seq desc limit ?`;

/** Of one subscription: there the order of the sequence is that of making. */
const LIST_OF_SUBSCRIPTION_SQL = `select ${COLUMNS} from deliveries ${LAST_ATTEMPT}
  where deliveries.customer_id = ? and subscription_id = ? and deliveries.seq < ?
    and (? is null or status = ?) order by sequence desc limit ?`;

const LIST_OF_EVENT_SQL = `select ${COLUMNS} from deliveries ${LAST_ATTEMPT}
  where subscription_id in (select id from subscriptions where customer_id = ?) and event_id = ?
    and deliveries.seq < ? order by deliveries.seq desc`;

const LIST_DELIVERED_SQL =
  `select ${COLUMNS} from deliveries indexed by deliveries_by_customer ${LAST_ATTEMPT}
  where deliveries.customer_id = ? and deliveries.seq < ? and status = 'delivered'
  order by deliveries.seq desc limit ?`;

const LIST_UNDELIVERED_SQL =
  `select ${COLUMNS} from deliveries indexed by deliveries_undelivered ${LAST_ATTEMPT}
  where deliveries.customer_id = ? and status = ? and status <> 'delivered' and deliveries.seq < ?
  order by deliveries.seq desc limit ?`;

/** The part of the port that concerns the log. */
export function createDeliveryLog(connection: Connection): Pick<Store, LogMethods> {
  return {
    listDeliveries: (customerId, query) => Promise.resolve(list(connection, customerId, query)),
    findDelivery: (customerId, id) => Promise.resolve(findDelivery(connection, customerId, id)),
    listAttempts: (deliveryId) =>
      Promise.resolve(
        connection.all(
          `select number, started_at, duration_ms, status_code, problem, answer
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

function list(connection: Connection, customerId: string, query: DeliveryQuery): DeliveryRecord[] {
  const before = query.beforeId === undefined ? NEWEST : placeOf(connection, customerId, query.beforeId);
  const rows = query.eventId !== undefined
    ? listOfEvent(connection, customerId, { ...query, eventId: query.eventId, before })
    : query.statuses === undefined
    ? listAny(connection, customerId, { ...query, before })
    : [...new Set(query.statuses)].flatMap((status) =>
      listOfStatus(connection, customerId, { ...query, before, status })
    );
  return rows.sort((a, b) => Number(b["seq"]) - Number(a["seq"])).slice(0, query.limit).map(deliveryFromRow);
}

function listAny(
  connection: Connection,
  customerId: string,
  { subscriptionId, before, limit }: DeliveryQuery & { before: number },
): Row[] {
  return subscriptionId === undefined
    ? connection.all(LIST_SQL, customerId, before, limit)
    : connection.all(LIST_OF_SUBSCRIPTION_SQL, customerId, subscriptionId, before, null, null, limit);
}

/** Those of one state: each has an order of its own, so that several are merged. */
function listOfStatus(
  connection: Connection,
  customerId: string,
  { subscriptionId, before, limit, status }: DeliveryQuery & { before: number; status: DeliveryStatus },
): Row[] {
  if (subscriptionId !== undefined) {
    return connection.all(
      LIST_OF_SUBSCRIPTION_SQL,
      customerId,
      subscriptionId,
      before,
      status,
      status,
      limit,
    );
  }
  return status === "delivered"
    ? connection.all(LIST_DELIVERED_SQL, customerId, before, limit)
    : connection.all(LIST_UNDELIVERED_SQL, customerId, status, before, limit);
}

/** At most one for each subscription of the customer. */
function listOfEvent(
  connection: Connection,
  customerId: string,
  { eventId, subscriptionId, statuses, before }: DeliveryQuery & { eventId: string; before: number },
): Row[] {
  return connection.all(LIST_OF_EVENT_SQL, customerId, eventId, before).filter((row) =>
    (subscriptionId === undefined || row["subscription_id"] === subscriptionId) &&
    (statuses === undefined || statuses.some((status) => status === row["status"]))
  );
}

function placeOf(connection: Connection, customerId: string, id: string): number {
  const row = connection.get("select seq from deliveries where id = ? and customer_id = ?", id, customerId);
  if (row === undefined) throw new Error(`no delivery ${id} of customer ${customerId}`);
  return Number(row["seq"]);
}

function deliveryFromRow(row: Row): DeliveryRecord {
  return {
    id: String(row["id"]),
    subscriptionId: String(row["subscription_id"]),
    eventId: String(row["event_id"]),
    isRevision: row["is_revision"] === 1,
    sequence: Number(row["sequence"]),
    status: row["status"] as DeliveryStatus,
    holdReason: row["hold_reason"] as HoldReason | null,
    subscriptionDisabledBy: row["subscription_disabled_by"] as SwitchedOffBy | null,
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
    answer: row["answer"] as string | null,
  };
}
