// Lists of events in SQLite: walks the shortest index that a query's filters offer, and checks the others on the way.
import { SEVERITIES, severityRank } from "../../domain/severity.ts";
import type { EventQuery, ListedEvent } from "../../domain/store.ts";
import type { Connection, Row, Value } from "./connection.ts";
import { tagName } from "./event_tags.ts";
import type { RecordReader } from "./record_reader.ts";
import { SERVED_JSON } from "./served.ts";

/** Where the events of a list are taken from is worth its own index below this part of all events. */
const WORTH_AN_INDEX = 0.25;
/** The same where the index is not in the order of the list and its entries must be sorted. */
const WORTH_SORTING = 0.05;
/** Full-text matches up to which it is cheapest to look at every one of them. */
const FEW_MATCHES = 2_000;
/** The part of the newest events that must match for a walk to meet a page of matches soon. */
const DENSE = 0.4;
/** How many events a walk asks for each one that the list may hold, before it gives up to meet them. */
const ASKED_FOR_ONE = 4;

/** SQL with its values, in order. */
interface Part {
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

/** A full-text search. */
interface Search {
  match: string;
  /** Events that it finds; with more than {@link FEW_MATCHES} it is not known how many. */
  found: number;
  /** Whether more than {@link FEW_MATCHES} match, and of the newest events at least {@link DENSE}. */
  isDense: boolean;
}

/** One filter as tags of which an event has one. */
interface TagFilter {
  ids: number[];
  /** Events that have one of them, at most. */
  events: number;
  /** The same asked of an event's own columns, where they tell it: that is cheaper than looking the tag up. */
  column: ((columns: { source: string; severity: string }) => Part) | null;
}

/** The events of a query, in its order. */
export function listEvents(connection: Connection, records: RecordReader, query: EventQuery): ListedEvent[] {
  const filters = tagFilters(connection, query);
  // A tag that no event has: the list is empty, whatever the other filters are.
  if (filters.some(({ ids }) => ids.length === 0)) return [];
  const search = searchOf(connection, query);
  if (search?.found === 0) return [];
  // Far from what is new no record is kept: there it is cheapest to read the records on the way.
  const columns = records.isKept(query.after?.seq ?? query.before?.seq ?? Infinity) ? "" : `, ${SERVED_JSON}`;
  const walk = { filters, search, columns };
  const rows = askedOnTheWay(connection, query, walk) ?? all(connection, walkOf(connection, query, walk));
  const unread = rows.filter((row) => row["json"] === undefined).map((row) => Number(row["seq"]));
  const texts = records.read(unread);
  return rows.map((row, at) => ({
    id: String(row["id"]),
    publishedAtMs: Number(row["published_at"]),
    json: String(row["json"] ?? texts[at]),
  }));
}

/**
 * The events of a query whose words most events have: each that the other filters leave is asked for them, which takes
 * no longer the more events there are. Null where that would be dear: to ask an event costs as much as to find the next
 * one that matches, and other filters may leave just those that do not (`language=fr` those without an English word).
 */
function askedOnTheWay(
  connection: Connection,
  query: EventQuery,
  { filters, search, columns }: Walk,
): Row[] | null {
  if (search === null || !search.isDense) return null;
  const limit = ASKED_FOR_ONE * query.limit;
  const candidates = walkOf(connection, { ...query, limit }, { filters, search: null, columns });
  // They come in the order of the walk, which ends with the last event that the list may hold.
  const rows = all(connection, {
    sql: `select * from (${candidates.sql}) as candidate
          where exists (select 1 from event_words where event_words match ? and event_words.rowid = candidate.seq)
          limit ?`,
    values: [...candidates.values, search.match, query.limit],
  });
  if (rows.length === query.limit) return rows;
  const asked = connection.get(`select count(*) as events from (${candidates.sql})`, ...candidates.values);
  return Number(asked?.["events"]) < limit ? rows : null;
}

function all(connection: Connection, { sql, values }: Part): Row[] {
  return connection.all(sql, ...values);
}

interface Filters {
  filters: TagFilter[];
  search: Search | null;
}

/** Filters, and what a walk along the events takes of each beside its place. */
interface Walk extends Filters {
  columns: string;
}

function walkOf(connection: Connection, query: EventQuery, walk: Walk): Part {
  return query.after === undefined
    ? newestFirst(connection, query, walk)
    : inOrderOfStoring(connection, query, walk);
}

function newestFirst(connection: Connection, query: EventQuery, { filters, search, columns }: Walk): Part {
  const driver = shortest(connection, filters, WORTH_AN_INDEX);
  if (search !== null && search.found <= Math.min(FEW_MATCHES, driver?.events ?? Infinity)) {
    return fewFirst(query, filters, search);
  }
  const rest = filters.filter((filter) => filter !== driver);
  if (driver === null) {
    const where = joined([
      ...range(query, IN_EVENTS),
      ...checks(query, { filters: rest, search }, IN_EVENTS),
    ]);
    return {
      sql: `select seq, id, published_at${columns} from events indexed by events_newest ${where.sql}
            order by published_at desc, id desc limit ?`,
      values: [...where.values, query.limit],
    };
  }
  // Each walk would make the list of what the words match for itself: with words there is one, which must sort.
  const walked = search === null || driver.ids.length === 1 ? driver.ids.map((id) => [id]) : [driver.ids];
  const walks = walked.map((ids): Part => {
    const tag = ids.length === 1
      ? { sql: "event_tags.tag_id = ?", values: ids }
      : { sql: `event_tags.tag_id in (${ids.map(() => "?").join(", ")})`, values: ids };
    const where = joined([
      tag,
      ...range(query, IN_TAGS),
      ...checks(query, { filters: rest, search }, IN_TAGS),
    ]);
    return {
      sql: `select * from (
              select ${ids.length === 1 ? "" : "distinct "}event_seq as seq, event_id as id, published_at
              from event_tags ${where.sql}
              order by published_at desc, event_id desc limit ?)`,
      values: [...where.values, query.limit],
    };
  });
  return {
    // Each walk ends after as many events as the list may hold; union leaves out what two tags share.
    sql: newestOf(walks.map(({ sql }) => sql).join(" union ")),
    values: [...walks.flatMap(({ values }) => values), query.limit],
  };
}

/** A search that finds little: every event that it finds, the newest taken. */
function fewFirst(query: EventQuery, filters: TagFilter[], search: Search): Part {
  const match = { sql: "event_words match ?", values: [search.match] };
  const where = joined([
    match,
    ...range(query, IN_EVENTS),
    ...checks(query, { filters, search: null }, IN_EVENTS),
  ]);
  return {
    sql: newestOf(`select events.seq, events.id, events.published_at
            from event_words cross join events on events.seq = event_words.rowid ${where.sql}`),
    values: [...where.values, query.limit],
  };
}

/** Of walked events the newest, as many as the list holds. */
function newestOf(walked: string): string {
  return `select * from (${walked}) as walked order by published_at desc, id desc limit ?`;
}

function inOrderOfStoring(
  connection: Connection,
  query: EventQuery,
  { filters, search, columns }: Walk,
): Part {
  const driver = shortest(connection, filters, WORTH_SORTING);
  const rest = filters.filter((filter) => filter !== driver);
  const after: Part = { sql: "events.seq > ?", values: [query.after?.seq ?? 0] };
  const listed: Part | null = driver === null ? null : {
    sql: `events.seq in (select event_seq from event_tags
            where tag_id in (${driver.ids.map(() => "?").join(", ")}) and event_seq > ?)`,
    values: [...driver.ids, query.after?.seq ?? 0],
  };
  const conditions = [...range(query, IN_EVENTS), ...checks(query, { filters: rest, search }, IN_EVENTS)];
  const where = joined(listed === null ? [after, ...conditions] : [after, listed, ...conditions]);
  return {
    sql: `select seq, id, published_at${columns} from events ${where.sql} order by events.seq limit ?`,
    values: [...where.values, query.limit],
  };
}

/** The filter that leaves the fewest events, if it leaves a part of all that is small enough. */
function shortest(connection: Connection, filters: readonly TagFilter[], part: number): TagFilter | null {
  const [first] = [...filters].sort((a, b) => a.events - b.events);
  if (first === undefined) return null;
  const all = Number(connection.get("select max(seq) as last from events")?.["last"] ?? 0);
  return first.events < all * part ? first : null;
}

function tagFilters(connection: Connection, query: EventQuery): TagFilter[] {
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

/** What is looked up for each event on the way. */
function checks(query: EventQuery, { filters, search }: Filters, walked: Walked): Part[] {
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
  if (search !== null) {
    // All matches are found in one go: to ask event by event costs up to the whole search each time.
    const sql = `${seq} in (select rowid from event_words where event_words match ? and rowid > ?)`;
    parts.push({ sql, values: [search.match, query.after?.seq ?? 0] });
  }
  return parts;
}

/** That no later version is stored, or none was: the versions of a publication stand together in their index. */
function isLatest({ asOf }: EventQuery, { later }: Walked): Part {
  return asOf === undefined
    ? { sql: `not exists (select 1 ${later})`, values: [] }
    : { sql: `not exists (select 1 ${later} and later.seq <= ?)`, values: [asOf.seq] };
}

/** The search of the query's words, and how much it finds; null without words. */
function searchOf(connection: Connection, { words }: EventQuery): Search | null {
  if (words === undefined || words.length === 0) return null;
  const match = words.map((word) => `"${word.replaceAll('"', '""')}"`).join(" ");
  const row = connection.get(
    "select count(*) as found from (select 1 from event_words where event_words match ? limit ?)",
    match,
    FEW_MATCHES + 1,
  );
  const found = Number(row?.["found"]);
  return { match, found, isDense: found > FEW_MATCHES && isDense(connection, match) };
}

/** Whether of the newest events at least {@link DENSE} match, where more than {@link FEW_MATCHES} do. */
function isDense(connection: Connection, match: string): boolean {
  const row = connection.get(
    `select rowid as seq, (select max(seq) from events) as last
     from event_words where event_words match ? order by rowid desc limit 1 offset ?`,
    match,
    FEW_MATCHES,
  );
  return FEW_MATCHES >= DENSE * (Number(row?.["last"]) - Number(row?.["seq"]));
}

function joined(parts: readonly Part[]): Part {
  return {
    sql: parts.length === 0 ? "" : `where ${parts.map(({ sql }) => sql).join(" and ")}`,
    values: parts.flatMap(({ values }) => values),
  };
}
