// The bodies of deliveries in SQLite, and the endings that they share.
import type { Connection } from "../connection/connection.ts";
import { sql } from "../connection/sql.ts";

/** Removes the bodies of the deliveries whose `seq` is in a JSON list, and the endings that no other body uses. */
export function removeBodies(connection: Connection, seqs: string): void {
  const bodies = connection.all(
    sql`delete from delivery_bodies where delivery_seq in (select value from json_each(${seqs}))
      returning ending_seq`,
  );
  connection.run(
    sql`delete from body_endings where ending_seq in (select value
      from json_each(${JSON.stringify([...new Set(bodies.map((row) => row["ending_seq"]))])}))
       and not exists (select 1 from delivery_bodies
         where delivery_bodies.ending_seq = body_endings.ending_seq)`,
  );
}
