// What customers have seen of the feed, in SQLite.
import { type FeedVisit, planFeedVisit } from "../../../domain/plans/feed_visit.ts";
import type { FeedVisitStore } from "../../../domain/ports/store/feed_visits.ts";
import type { Connection } from "../connection/connection.ts";
import { sql } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";

export function createFeedVisits(connection: Connection): Part<keyof FeedVisitStore> {
  return {
    visitFeed: (customerId, nowMs) => {
      const known = findVisit(connection, customerId);
      const last = connection.get(sql`select seq, id from events where seq = (select max(seq) from events)`);
      const visit = planFeedVisit(known, { lastSeq: Number(last?.["seq"] ?? 0), nowMs });
      if (visit !== known) connection.transaction("relaxed", () => saveVisit(connection, customerId, visit));
      const event = connection.get(sql`select id from events where seq = ${visit.readSeq}`);
      const after = event === undefined ? null : { id: String(event["id"]), seq: visit.readSeq };
      return { after, sinceMs: visit.readAtMs, last: last === undefined ? null : { id: String(last["id"]) } };
    },

    newEvents: (seq, ids) =>
      connection.all(
        sql`select id from events where id in (select value from json_each(${
          JSON.stringify(ids)
        })) and seq > ${seq}`,
      ).map((row) => String(row["id"])),

    markFeedRead: (customerId, { eventId, nowMs }) =>
      connection.transaction("relaxed", () => {
        connection.run(
          sql`update feed_visits set read_at = ${nowMs},
              read_seq = max(read_seq, (select seq from events where id = ${eventId}))
            where customer_id = ${customerId} and exists (select 1 from events where id = ${eventId})`,
        );
      }),
  };
}

function findVisit(connection: Connection, customerId: string): FeedVisit | null {
  const row = connection.get(
    sql`select read_seq, read_at, seen_seq, seen_at from feed_visits where customer_id = ${customerId}`,
  );
  return row === undefined ? null : {
    readSeq: Number(row["read_seq"]),
    readAtMs: Number(row["read_at"]),
    seenSeq: Number(row["seen_seq"]),
    seenAtMs: Number(row["seen_at"]),
  };
}

function saveVisit(connection: Connection, customerId: string, visit: FeedVisit): void {
  const { readSeq, readAtMs, seenSeq, seenAtMs } = visit;
  connection.run(
    sql`insert into feed_visits (customer_id, read_seq, read_at, seen_seq, seen_at)
      values (${customerId}, ${readSeq}, ${readAtMs}, ${seenSeq}, ${seenAtMs})
      on conflict (customer_id) do update set read_seq = excluded.read_seq, read_at = excluded.read_at,
        seen_seq = excluded.seen_seq, seen_at = excluded.seen_at`,
  );
}
