// Lists events in SQLite, with one query that reads the index in list order.
import type { EventQuery, ListedEvent } from "../../../domain/ports/store/events.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { firstPosition, lastPosition, matchOf, positionOf } from "./event_index.ts";
import { type Sql, sql } from "../connection/sql.ts";
import { SERVED_JSON } from "./served_record.ts";

/**
 * Returns the events that match a query, in its order. The time hardly grows with the number of stored events, even for
 * full-text search. If each of several filters matches many events, but few events match all of them, the index
 * compares the entries of all filters, which takes 5.6 ms for three tags with 50,000, 30,000 and 300,000 events.
 */
export function listEvents(connection: Connection, query: EventQuery): ListedEvent[] {
  const { from, by, conditions } = selectionOf(connection, query);
  return listed(connection.all(
    sql`select events.id, events.published_at, ${SERVED_JSON} from ${from} where ${conditions}
      order by ${by} limit ${query.limit}`,
  ));
}

/** Returns how many events match a query, at most its limit. */
export function countEvents(connection: Connection, query: EventQuery): number {
  const { from, conditions } = selectionOf(connection, query);
  const row = connection.get(
    sql`select count(*) as count from (select 1 from ${from} where ${conditions} limit ${query.limit})`,
  );
  return Number(row?.["count"]);
}

function selectionOf(connection: Connection, query: EventQuery): Omit<List, "where"> & { conditions: Sql } {
  const match = matchOf(connection, query);
  const { where, ...list } = query.after === undefined
    ? newestFirst(connection, query, match)
    : asStored(query, match);
  if (query.latest === true) where.push(isLatest(query));
  return { ...list, conditions: where.reduce((all, one) => sql`${all} and ${one}`, sql`true`) };
}

interface List {
  from: Sql;
  /** Conditions, joined by `and`. */
  where: Sql[];
  by: Sql;
}

/** Lists events newest first, by publication time and then by id. */
function newestFirst(connection: Connection, query: EventQuery, match: string | null): List {
  const position = match === null ? sql`event_order.position` : sql`events_by_date.rowid`;
  const where = match === null ? [] : [sql`events_by_date match ${match}`];
  if (query.since !== undefined) where.push(sql`${position} >= ${firstPosition(query.since)}`);
  // The index takes only one upper bound, so `until` and `before` are merged.
  let last = query.until === undefined ? null : lastPosition(query.until);
  if (query.before !== undefined) {
    const before = positionOf(connection, query.before.seq) - 1n;
    last = last === null || before < last ? before : last;
  }
  if (last !== null) where.push(sql`${position} <= ${last}`);
  if (query.asOf !== undefined) where.push(sql`events.seq <= ${query.asOf.seq}`);
  return {
    from: match === null
      ? sql`event_order cross join events on events.seq = event_order.event_seq`
      : sql`events_by_date cross join event_order on event_order.position = events_by_date.rowid cross
          join events on events.seq = event_order.event_seq`,
    where,
    by: sql`${position} desc`,
  };
}

function asStored({ after, asOf, since, until }: EventQuery, match: string | null): List {
  const seq = match === null ? sql`events.seq` : sql`events_by_seq.rowid`;
  const where = match === null ? [] : [sql`events_by_seq match ${match}`];
  where.push(sql`${seq} > cast(${after?.seq ?? 0} as integer)`);
  if (asOf !== undefined) where.push(sql`${seq} <= cast(${asOf.seq} as integer)`);
  if (since !== undefined) where.push(sql`events.published_at >= ${since}`);
  if (until !== undefined) where.push(sql`events.published_at <= ${until}`);
  return {
    from: match === null
      ? sql`events`
      : sql`events_by_seq cross join events on events.seq = events_by_seq.rowid`,
    where,
    by: seq,
  };
}

/** Returns the condition that an event has no later version, or had none when `asOf` was stored. */
function isLatest({ asOf }: Pick<EventQuery, "asOf">): Sql {
  const later = sql`select 1 from events as later
    where later.source_id = events.source_id and later.external_id = events.external_id
      and later.version > events.version`;
  return asOf === undefined
    ? sql`not exists (${later})`
    : sql`not exists (${later} and later.seq <= ${asOf.seq})`;
}

/** Returns the newest version of each publication that has or had one of these URLs, in any language. */
export function listByUrl(connection: Connection, urls: readonly string[]): ListedEvent[] {
  return listed(connection.all(
    sql`with found as (
        select distinct source_id, external_id from publication_urls
          where url in (select value from json_each(${JSON.stringify(urls)}))
      )
      select events.id, events.published_at, ${SERVED_JSON} from found join events using (source_id, external_id)
      where ${isLatest({})} order by events.published_at desc, events.id desc`,
  ));
}

function listed(rows: readonly Row[]): ListedEvent[] {
  return rows.map((row) => ({
    id: String(row["id"]),
    publishedAtMs: Number(row["published_at"]),
    json: String(row["json"]),
  }));
}
