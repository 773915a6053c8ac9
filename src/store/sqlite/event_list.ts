// Lists of events in SQLite: walks the shortest index that a query's filters offer, and checks the others on the way.
import { SEVERITIES, severityRank } from "../../domain/severity.ts";
import type { EventQuery, ListedEvent } from "../../domain/store.ts";
import type { Connection, Value } from "./connection.ts";
import { tagName } from "./event_tags.ts";

/** Where the events of a list are taken from is worth its own index below this part of all events. */
const WORTH_AN_INDEX = 0.25;
/** The same where the index is not in the order of the list and its entries must be sorted. */
const WORTH_SORTING = 0.05;
/** Full-text matches up to which they are taken as a list; more are found faster along the way. */
const FEW_MATCHES = 2_000;

/** SQL with its values, in order. */
interface Part {
  sql: string;
  values: Value[];
}

/** One filter as tags of which an event has one. */
interface TagFilter {
  ids: number[];
  /** Events that have one of them, at most. */
  events: number;
}

/** The events of a query, in its order. */
export function listEvents(connection: Connection, query: EventQuery): ListedEvent[] {
  const filters = tagFilters(connection, query);
  // A tag that no event has: the list is empty, whatever the other filters are.
  if (filters.some(({ ids }) => ids.length === 0)) return [];
  const words = wordFilter(connection, query);
  if (words === "nothing") return [];
  const { sql, values } = query.after === undefined
    ? newestFirst(connection, query, { filters, words })
    : inOrderOfStoring(connection, query, { filters, words });
  return connection.all(sql, ...values).map((row) => ({
    id: String(row["id"]),
    publishedAtMs: Number(row["published_at"]),
    json: String(row["json"]),
  }));
}

interface Filters {
  filters: TagFilter[];
  words: Part | null;
}

function newestFirst(connection: Connection, query: EventQuery, { filters, words }: Filters): Part {
  const driver = shortest(connection, filters, WORTH_AN_INDEX);
  const rest = filters.filter((filter) => filter !== driver);
  if (driver === null) {
    const where = joined([...range(query, "events"), ...checks(query, rest), words]);
    return {
      sql: `select id, published_at, json from events indexed by events_newest ${where.sql}
            order by published_at desc, id desc limit ?`,
      values: [...where.values, query.limit],
    };
  }
  const walks = driver.ids.map((id): Part => {
    const tag = { sql: "event_tags.tag_id = ?", values: [id] };
    const where = joined([tag, ...range(query, "event_tags"), ...checks(query, rest), words]);
    return {
      sql: `select * from (
              select event_tags.published_at, event_tags.event_id, event_tags.event_seq
              from event_tags cross join events on events.seq = event_tags.event_seq ${where.sql}
              order by event_tags.published_at desc, event_tags.event_id desc limit ?)`,
      values: [...where.values, query.limit],
    };
  });
  return {
    // Each walk ends after as many events as the list may hold; union leaves out what two tags share.
    sql: `select events.id, events.published_at, events.json
          from (${walks.map(({ sql }) => sql).join(" union ")}) as walked
          cross join events on events.seq = walked.event_seq
          order by walked.published_at desc, walked.event_id desc limit ?`,
    values: [...walks.flatMap(({ values }) => values), query.limit],
  };
}

function inOrderOfStoring(connection: Connection, query: EventQuery, { filters, words }: Filters): Part {
  const driver = shortest(connection, filters, WORTH_SORTING);
  const rest = filters.filter((filter) => filter !== driver);
  const after: Part = { sql: "events.seq > ?", values: [query.after?.seq ?? 0] };
  const listed: Part | null = driver === null ? null : {
    sql: `events.seq in (select event_seq from event_tags
            where tag_id in (${driver.ids.map(() => "?").join(", ")}) and event_seq > ?)`,
    values: [...driver.ids, query.after?.seq ?? 0],
  };
  const where = joined([after, listed, ...range(query, "events"), ...checks(query, rest), words]);
  return {
    sql: `select id, published_at, json from events ${where.sql} order by events.seq limit ?`,
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
  const lists: string[][] = [];
  if (query.source !== undefined) lists.push([tagName("source", query.source)]);
  if (query.severityMin !== undefined && query.severityMin !== "info") {
    const least = severityRank(query.severityMin);
    lists.push(
      SEVERITIES.map((_, rank) => rank).filter((rank) => rank >= least)
        .map((rank) => tagName("severity", String(rank))),
    );
  }
  if (query.topics !== undefined) lists.push(query.topics.map((topic) => tagName("topic", topic)));
  if (query.eventTypes !== undefined) lists.push(query.eventTypes.map((type) => tagName("type", type)));
  if (query.articles !== undefined) lists.push(query.articles.map((article) => tagName("article", article)));
  if (query.languages !== undefined) lists.push(query.languages.map((code) => tagName("language", code)));
  return lists.map((names) => {
    const rows = connection.all(
      "select id, events from tags where events > 0 and name in (select value from json_each(?))",
      JSON.stringify(names),
    );
    return {
      ids: rows.map((row) => Number(row["id"])),
      events: rows.reduce((sum, row) => sum + Number(row["events"]), 0),
    };
  });
}

/** The bounds of the list in its order, on the table that is walked. */
function range(query: EventQuery, table: "events" | "event_tags"): Part[] {
  const parts: Part[] = [];
  if (query.since !== undefined) parts.push({ sql: `${table}.published_at >= ?`, values: [query.since] });
  if (query.until !== undefined) parts.push({ sql: `${table}.published_at <= ?`, values: [query.until] });
  if (query.before !== undefined) {
    const id = table === "events" ? "id" : "event_id";
    parts.push({
      sql: `(${table}.published_at, ${table}.${id}) < (?, ?)`,
      values: [query.before.publishedAtMs, query.before.id],
    });
  }
  return parts;
}

/** What is looked up for each event on the way. */
function checks(query: EventQuery, filters: readonly TagFilter[]): Part[] {
  const parts = filters.map(({ ids }): Part => ({
    sql: `exists (select 1 from event_tags as other where other.tag_id in (${ids.map(() => "?").join(", ")})
            and other.published_at = events.published_at and other.event_id = events.id)`,
    values: ids,
  }));
  if (query.latest === true) {
    parts.push({
      sql: "exists (select 1 from publications indexed by publications_latest where latest_seq = events.seq)",
      values: [],
    });
  }
  return parts;
}

/** Few matches are a list to look into; many are asked for event by event. */
function wordFilter(connection: Connection, { words }: EventQuery): Part | null | "nothing" {
  if (words === undefined || words.length === 0) return null;
  const match = words.map((word) => `"${word.replaceAll('"', '""')}"`).join(" ");
  const found = Number(
    connection.get(
      "select count(*) as found from (select 1 from event_words where event_words match ? limit ?)",
      match,
      FEW_MATCHES + 1,
    )?.["found"],
  );
  if (found === 0) return "nothing";
  return found <= FEW_MATCHES
    ? { sql: "events.seq in (select rowid from event_words where event_words match ?)", values: [match] }
    : {
      sql: "exists (select 1 from event_words where event_words match ? and event_words.rowid = events.seq)",
      values: [match],
    };
}

function joined(parts: readonly (Part | null)[]): Part {
  const given = parts.filter((part) => part !== null);
  return {
    sql: given.length === 0 ? "" : `where ${given.map(({ sql }) => sql).join(" and ")}`,
    values: given.flatMap(({ values }) => values),
  };
}
