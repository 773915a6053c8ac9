// Reads records as they are served, with translations that were added later.
import type { RegEvent } from "../../../domain/event/event.ts";
import type { Connection } from "../connection/connection.ts";
import { sql } from "../connection/sql.ts";

/** Selects the served record as the column `json` of a query on `events`. */
export const SERVED_JSON = sql`coalesce(
    (select event_renderings.json from event_renderings where event_renderings.event_seq = events.seq),
      events.json
  ) as json`;

/** Returns the served record of the event with this `seq`, which must exist. */
export function servedBySeq(connection: Connection, seq: number): RegEvent {
  return JSON.parse(
    String(connection.get(sql`select ${SERVED_JSON} from events where seq = ${seq}`)?.["json"]),
  );
}

export function eventById(connection: Connection, id: string): RegEvent | null {
  const row = connection.get(sql`select ${SERVED_JSON} from events where id = ${id}`);
  return row === undefined ? null : JSON.parse(String(row["json"]));
}

/** Converts a value to ASCII JSON, which SQLite reads and joins several times faster than other text. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
