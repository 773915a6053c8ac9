// The bodies of deliveries in SQLite: removed with what no other body ends with.
import type { Connection } from "../connection/connection.ts";

/** Removes the bodies of deliveries, given as a JSON list of their `seq`, and endings that no other body has. */
export function removeBodies(connection: Connection, seqs: string): void {
  const bodies = connection.all(
    "delete from delivery_bodies where delivery_seq in (select value from json_each(?)) returning ending_seq",
    seqs,
  );
  connection.run(
    `delete from body_endings where ending_seq in (select value from json_each(?))
       and not exists (select 1 from delivery_bodies where delivery_bodies.ending_seq = body_endings.ending_seq)`,
    JSON.stringify([...new Set(bodies.map((row) => row["ending_seq"]))]),
  );
}
