// Walks along the events of a query in SQL: along the shortest index that its filters offer, the others checked on the way.
import { SEVERITIES, severityRank } from "../../domain/severity.ts";
import type { EventQuery } from "../../domain/store.ts";
import type { Connection, Value } from "./connection.ts";
import { tagName } from "./event_tags.ts";

/** Where the events of a list are taken from is worth its own index below this part of all events. */
const WORTH_AN_INDEX = 0.25;
/** The same where the index is not in the order of the list and its entries must be sorted. */
export const WORTH_SORTING = 0.05;

/** SQL with its values, in order. */
export interface Part {
  sql: string;
  values: Value[];
}

/** Where a walk finds what the conditions are about: in the events themselves, or in the tags, which hold the same. */
interface Walked {
  publishedAt: string;
  id: string;
  seq: string;
  /** Where later versions of the walked one are found, with a condition still to come. */
  later: string;
  /** The columns of what each event has one of, where the walk is along the events themselves. */
  columns: { source: string; severity: string } | null;
}

const IN_EVENTS: Walked = {
  publishedAt: "events.published_at",
  id: "events.id",
  seq: "events.seq",
  later: `from events as later where later.source_id = events.source_id
            and later.external_id = events.external_id and later.version > events.version`,
  columns: { source: "events.source_id", severity: "events.severity" },
};
const IN_TAGS: Walked = {
  publishedAt: "event_tags.published_at",
  id: "event_tags.event_id",
  seq: "event_tags.event_seq",
  later: `from events as walked_event
            cross join events as later on later.source_id = walked_event.source_id
              and later.external_id = walked_event.external_id and later.version > walked_event.version
            where walked_event.seq = event_tags.event_seq`,
  columns: null,
};

/** One filter as tags of which an event has one. */
export interface TagFilter {
  ids: number[];
  /** Events that have one of them, at most. */
  events: number;
  /** The same asked of an event's own columns, where they tell it: that is cheaper than looking the tag up. */
  column: ((columns: { source: string; severity: string }) => Part) | null;
}

/** Filters, and what a walk along the events takes of each beside its place. */
export interface Walk {
  filters: TagFilter[];
  columns: string;
}

/** The events of a query, the newest first. */
export function newestFirst(connection: Connection, query: EventQuery, { filters, columns }: Walk): Part {
  const driver = shortest(connection, filters, WORTH_AN_INDEX);
  const rest = filters.filter((filter) => filter !== driver);
  if (driver === null) {
    const where = joined(conditionsOf(query, rest));
    return {
      sql: `select seq, id, published_at${columns} from events indexed by events_newest ${where.sql}
            order by published_at desc, id desc limit ?`,
      values: [...where.values, query.limit],
    };
  }
  const walks = driver.ids.map((id): Part => {
    const tag = { sql: "event_tags.tag_id = ?", values: [id] };
    const where = joined([tag, ...range(query, IN_TAGS), ...checks(query, rest, IN_TAGS)]);
    return {
      sql: `select * from (
              select event_seq as seq, event_id as id, published_at
              from event_tags ${where.sql}
              order by published_at desc, event_id desc limit ?)`,
      values: [...where.values, query.limit],
    };
  });
  return {
    // Each walk ends after as many events as the list may hold; union leaves out what two tags share.
    sql: `select * from (${walks.map(({ sql }) => sql).join(" union ")}) as walked
          order by published_at desc, id desc limit ?`,
    values: [...walks.flatMap(({ values }) => values), query.limit],
  };
}

/** The events of a query in the order of storing. */
export function inOrderOfStoring(
  connection: Connection,
  query: EventQuery,
  { filters, columns }: Walk,
): Part {
  const driver = shortest(connection, filters, WORTH_SORTING);
  const rest = filters.filter((filter) => filter !== driver);
  const after: Part = { sql: "events.seq > ?", values: [query.after?.seq ?? 0] };
  const listed: Part | null = driver === null ? null : {
    sql: `events.seq in (select event_seq from event_tags
            where tag_id in (${driver.ids.map(() => "?").join(", ")}) and event_seq > ?)`,
    values: [...driver.ids, query.after?.seq ?? 0],
  };
  const conditions = conditionsOf(query, rest);
  const where = joined(listed === null ? [after, ...conditions] : [after, listed, ...conditions]);
  return {
    sql: `select seq, id, published_at${columns} from events ${where.sql} order by events.seq limit ?`,
    values: [...where.values, query.limit],
  };
}

/** The filter that leaves the fewest events, if it leaves a part of all that is small enough. */
export function shortest(
  connection: Connection,
  filters: readonly TagFilter[],
  part: number,
): TagFilter | null {
  const [first] = [...filters].sort((a, b) => a.events - b.events);
  if (first === undefined) return null;
  const all = Number(connection.get("select max(seq) as last from events")?.["last"] ?? 0);
  return first.events < all * part ? first : null;
}

/** The filters of a query that are tags; one that no event has has no ids. */
export function tagFilters(connection: Connection, query: EventQuery): TagFilter[] {
  const lists: { names: string[]; column?: TagFilter["column"] }[] = [];
  const { source, severityMin } = query;
  if (source !== undefined) {
    lists.push({
      names: [tagName("source", source)],
      column: (columns) => ({ sql: `${columns.source} = ?`, values: [source] }),
    });
  }
  if (severityMin !== undefined && severityMin !== "info") {
    const least = severityRank(severityMin);
    lists.push({
      names: SEVERITIES.map((_, rank) => rank).filter((rank) => rank >= least)
        .map((rank) => tagName("severity", String(rank))),
      column: (columns) => ({ sql: `${columns.severity} >= ?`, values: [least] }),
    });
  }
  const anyOf = (kind: Parameters<typeof tagName>[0], values: readonly string[] | undefined): void => {
    if (values !== undefined) lists.push({ names: values.map((value) => tagName(kind, value)) });
  };
  anyOf("topic", query.topics);
  anyOf("type", query.eventTypes);
  anyOf("article", query.articles);
  anyOf("language", query.languages);
  return lists.map(({ names, column = null }) => {
    const rows = connection.all(
      "select id, events from tags where events > 0 and name in (select value from json_each(?))",
      JSON.stringify(names),
    );
    return {
      ids: rows.map((row) => Number(row["id"])),
      events: rows.reduce((sum, row) => sum + Number(row["events"]), 0),
      column,
    };
  });
}

/** The bounds of the list in its order. */
function range(query: EventQuery, { publishedAt, id }: Walked): Part[] {
  const parts: Part[] = [];
  if (query.since !== undefined) parts.push({ sql: `${publishedAt} >= ?`, values: [query.since] });
  if (query.until !== undefined) parts.push({ sql: `${publishedAt} <= ?`, values: [query.until] });
  if (query.before !== undefined) {
    parts.push({
      sql: `(${publishedAt}, ${id}) < (?, ?)`,
      values: [query.before.publishedAtMs, query.before.id],
    });
  }
  return parts;
}

/** What an event itself is asked: the bounds of the list, and the filters. */
export function conditionsOf(query: EventQuery, filters: readonly TagFilter[]): Part[] {
  return [...range(query, IN_EVENTS), ...checks(query, filters, IN_EVENTS)];
}

/** What is looked up for each event on the way. */
function checks(query: EventQuery, filters: readonly TagFilter[], walked: Walked): Part[] {
  const { publishedAt, id, seq, columns } = walked;
  const parts = filters.map(({ ids, column }): Part => {
    if (column !== null && columns !== null) return column(columns);
    return {
      sql: `exists (select 1 from event_tags as other indexed by sqlite_autoindex_event_tags_1
              where other.tag_id in (${ids.map(() => "?").join(", ")})
              and other.published_at = ${publishedAt} and other.event_id = ${id})`,
      values: ids,
    };
  });
  if (query.asOf !== undefined) parts.push({ sql: `${seq} <= ?`, values: [query.asOf.seq] });
  if (query.latest === true) parts.push(isLatest(query, walked));
  return parts;
}

/** That no later version is stored, or none was: the versions of a publication stand together in their index. */
function isLatest({ asOf }: EventQuery, { later }: Walked): Part {
  return asOf === undefined
    ? { sql: `not exists (select 1 ${later})`, values: [] }
    : { sql: `not exists (select 1 ${later} and later.seq <= ?)`, values: [asOf.seq] };
}

/** The conditions as the text behind `from`. */
export function joined(parts: readonly Part[]): Part {
  return {
    sql: parts.length === 0 ? "" : `where ${parts.map(({ sql }) => sql).join(" and ")}`,
    values: parts.flatMap(({ values }) => values),
  };
}
