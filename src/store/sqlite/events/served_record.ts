// Records as they are served: with languages that were added later.
import type { RegEvent } from "../../../domain/event/event.ts";
import type { Connection } from "../connection/connection.ts";
import { sql } from "../connection/sql.ts";

/** The column `json` of a query over `events`: the record as it is served. */
export const SERVED_JSON = sql`coalesce(
    (select event_renderings.json from event_renderings where event_renderings.event_seq = events.seq),
      events.json
  ) as json`;

/** The served record of an existing `seq`. */
export function servedBySeq(connection: Connection, seq: number): RegEvent {
  return JSON.parse(
    String(connection.get(sql`select ${SERVED_JSON} from events where seq = ${seq}`)?.["json"]),
  );
}

/** The record of an event; null if there is none. */
export function eventById(connection: Connection, id: string): RegEvent | null {
  const row = connection.get(sql`select ${SERVED_JSON} from events where id = ${id}`);
  return row === undefined ? null : JSON.parse(String(row["json"]));
}

/** JSON in ASCII: SQLite reads and joins texts of one byte per character several times as fast. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
