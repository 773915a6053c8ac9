// Retention in SQLite: removes old finished deliveries in small batches, and never pending ones.
import { removeBodies } from "./delivery_bodies.ts";
import { passedPositions } from "./catch_up_subscriptions.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { cancelDeliveries, CLOSE_BATCH, holdDeliveries } from "./delivery_states.ts";
import { sql } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";

export function createRetention(
  connection: Connection,
): Part<"removeOldDeliveries" | "closeSubscriptions"> {
  return {
    closeSubscriptions: (nowMs) => {
      const closing = connection.all(
        sql`select subscriptions.id, customer_id, deleted_at is not null as is_deleted, enabled
            and disabled_at is null as is_active
          from subscriptions indexed by subscriptions_closing join customers on customers.id = customer_id
          where closing = 1 limit ${CLOSE_BATCH}`,
      );
      if (closing.length === 0) return 0;
      return connection.transaction("relaxed", () => close(connection, closing, nowMs));
    },

    removeOldDeliveries: ({ prunedUntilMs, forgottenUntilMs, limit }) => {
      const toPrune = connection.all(
        sql`select seq, id from deliveries indexed by deliveries_to_prune
          where finished_at is not null and pruned = 0 and finished_at <= ${prunedUntilMs}
          order by finished_at limit ${limit}`,
      );
      const toForget = connection.all(
        sql`select seq from deliveries indexed by deliveries_to_forget
          where pruned = 1 and finished_at <= ${forgottenUntilMs} order by finished_at limit ${limit}`,
      );
      const neverSent = connection.all(
        sql`select seq from deliveries indexed by deliveries_never_sent
          where status = 'cancelled' and attempts = 0 order by seq limit ${limit}`,
      );
      const passed = passedPositions(connection, limit);
      const found = toPrune.length + toForget.length + neverSent.length + passed.length;
      if (found > 0) {
        connection.transaction("relaxed", () => {
          prune(connection, toPrune);
          forget(connection, toForget, forgottenUntilMs);
          forgetNeverSent(connection, neverSent);
          connection.run(
            sql`delete from match_log where position in (select value
              from json_each(${listOf(passed, "position")}))`,
          );
        });
      }
      return found;
    },
  };
}

/** Cancels the deliveries of deleted subscriptions, and holds the deliveries of disabled subscriptions. */
function close(connection: Connection, closing: readonly Row[], nowMs: number): number {
  let done = 0;
  for (const row of closing) {
    const id = String(row["id"]);
    const changed = closeOne(connection, row, nowMs);
    if (changed === 0) {
      connection.run(sql`update subscriptions set closing = 0 where id = ${id}`);
      if (row["is_deleted"] === 1) removeUnlogged(connection, String(row["customer_id"]));
    }
    done += Math.max(1, changed);
    if (done >= CLOSE_BATCH) break;
  }
  return done;
}

/** Returns the number of deliveries changed, which is 0 if none are left or the subscription was enabled again. */
function closeOne(connection: Connection, row: Row, nowMs: number): number {
  const id = String(row["id"]);
  if (row["is_deleted"] === 1) return cancelDeliveries(connection, id, nowMs);
  return row["is_active"] === 1 ? 0 : holdDeliveries(connection, id, nowMs);
}

/** Removes the bodies and attempts of deliveries that have not been replayed in the meantime. */
function prune(connection: Connection, rows: readonly Row[]): void {
  const over = connection.all(
    sql`update deliveries set pruned = 1
     where finished_at is not null and pruned = 0 and seq in (select value
       from json_each(${listOf(rows, "seq")})) returning seq, id`,
  );
  removeBodies(connection, listOf(over, "seq"));
  connection.run(
    sql`delete from attempts where delivery_id in (select value from json_each(${listOf(over, "id")}))`,
  );
}

function forget(connection: Connection, rows: readonly Row[], finishedUntilMs: number): void {
  const gone = connection.all(
    sql`delete from deliveries where pruned = 1 and finished_at <= ${finishedUntilMs}
      and seq in (select value from json_each(${listOf(rows, "seq")}))
     returning subscription_id, sequence`,
  );
  for (const id of countOn(connection, gone)) {
    connection.run(
      sql`delete from subscriptions where id = ${id} and deleted_at is not null and closing = 0
         and not exists (select 1 from deliveries where subscription_id = subscriptions.id)`,
    );
  }
}

function forgetNeverSent(connection: Connection, rows: readonly Row[]): void {
  const gone = connection.all(
    sql`delete from deliveries where seq in (select value from json_each(${listOf(rows, "seq")}))
      returning subscription_id, sequence`,
  );
  countOn(connection, gone);
}

/** Saves the next sequence number of subscriptions whose deliveries are removed. Returns the subscriptions' ids. */
function countOn(connection: Connection, gone: readonly Row[]): Iterable<string> {
  const last = new Map<string, number>();
  for (const row of gone) {
    const id = String(row["subscription_id"]);
    last.set(id, Math.max(last.get(id) ?? 0, Number(row["sequence"])));
  }
  for (const [id, sequence] of last) {
    connection.run(
      sql`update subscriptions set next_sequence = max(next_sequence, ${sequence + 1}) where id = ${id}`,
    );
  }
  return last.keys();
}

/** Maximum number of deleted subscriptions without logged deliveries that are kept for each customer. */
const MAX_UNLOGGED = 100;

/** Removes a customer's deleted subscriptions without logged deliveries, except the newest {@link MAX_UNLOGGED}. */
function removeUnlogged(connection: Connection, customerId: string): void {
  connection.run(
    sql`delete from subscriptions where id in (
       select id from subscriptions indexed by subscriptions_by_customer
       where customer_id = ${customerId} and deleted_at is not null and closing = 0
         and not exists (select 1 from deliveries where subscription_id = subscriptions.id)
       order by deleted_at desc, id desc limit -1 offset ${MAX_UNLOGGED})`,
  );
}

function listOf(rows: readonly Row[], column: string): string {
  return JSON.stringify(rows.map((row) => row[column]));
}
