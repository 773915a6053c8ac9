// Retention in SQLite: what is over for long is removed, in small batches, and never what is still to be done.
import type { Store } from "../../domain/store.ts";
import type { Connection, Row } from "./connection.ts";

/** The part of the port that removes old deliveries. */
export function createRetention(
  connection: Connection,
): Pick<Store, "removeOldDeliveries"> {
  return {
    removeOldDeliveries: ({ prunedUntilMs, forgottenUntilMs, limit }) => {
      const toPrune = connection.all(
        `select seq, id from deliveries indexed by deliveries_to_prune
         where finished_at is not null and pruned = 0 and finished_at <= ? order by finished_at limit ?`,
        prunedUntilMs,
        limit,
      );
      const toForget = connection.all(
        `select seq from deliveries indexed by deliveries_to_forget
         where pruned = 1 and finished_at <= ? order by finished_at limit ?`,
        forgottenUntilMs,
        limit,
      );
      if (toPrune.length + toForget.length > 0) {
        connection.transaction("relaxed", () => {
          prune(connection, toPrune);
          forget(connection, toForget, forgottenUntilMs);
        });
      }
      return Promise.resolve(toPrune.length + toForget.length);
    },
  };
}

/** Removes bodies and attempts; a delivery that was asked for anew in between is pending, and keeps its own. */
function prune(connection: Connection, rows: readonly Row[]): void {
  const over = connection.all(
    `update deliveries set pruned = 1
     where finished_at is not null and pruned = 0 and seq in (select value from json_each(?)) returning seq, id`,
    JSON.stringify(rows.map((row) => row["seq"])),
  );
  const bodies = connection.all(
    "delete from delivery_bodies where delivery_seq in (select value from json_each(?)) returning ending_seq",
    JSON.stringify(over.map((row) => row["seq"])),
  );
  connection.run(
    `delete from body_endings where ending_seq in (select value from json_each(?))
       and not exists (select 1 from delivery_bodies where delivery_bodies.ending_seq = body_endings.ending_seq)`,
    JSON.stringify([...new Set(bodies.map((row) => row["ending_seq"]))]),
  );
  connection.run(
    "delete from attempts where delivery_id in (select value from json_each(?))",
    JSON.stringify(over.map((row) => row["id"])),
  );
}

/** Removes deliveries; what their subscriptions count goes on, also when it was the last one. */
function forget(connection: Connection, rows: readonly Row[], finishedUntilMs: number): void {
  const gone = connection.all(
    `delete from deliveries where pruned = 1 and finished_at <= ? and seq in (select value from json_each(?))
     returning subscription_id, sequence`,
    finishedUntilMs,
    JSON.stringify(rows.map((row) => row["seq"])),
  );
  const last = new Map<string, number>();
  for (const row of gone) {
    const id = String(row["subscription_id"]);
    last.set(id, Math.max(last.get(id) ?? 0, Number(row["sequence"])));
  }
  for (const [id, sequence] of last) {
    connection.run(
      "update subscriptions set next_sequence = max(next_sequence, ?) where id = ?",
      sequence + 1,
      id,
    );
  }
}
