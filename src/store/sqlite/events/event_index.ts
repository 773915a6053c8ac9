// The index of events: words and tags in two full-text tables, one for each order of a list.
import type { RegEvent } from "../../../domain/event/event.ts";
import { SEVERITIES, severityRank } from "../../../domain/event/severity.ts";
import { searchedText, type TagKind, tagOf, tagsOf } from "../../../domain/plans/search_text.ts";
import type { EventQuery } from "../../../domain/ports/store/events.ts";
import { servedBySeq } from "./served_record.ts";
import type { Connection, Value } from "../connection/connection.ts";
import { insertRows, rowInsert } from "../connection/many_rows.ts";

/** Bits of a position that tell events of one millisecond apart. */
const TIE_BITS = 20n;
/** Times whose positions fit into 64 bits, ms: until the year 2248. */
const LAST_MS = 2 ** 43 - 1;

/** The first position of a publication time (Unix ms) in the order of publication. */
export function firstPosition(publishedAtMs: number): bigint {
  const ms = Math.max(-LAST_MS - 1, Math.min(publishedAtMs, LAST_MS));
  return BigInt(ms) << TIE_BITS;
}

/** The last position of a publication time. */
export function lastPosition(publishedAtMs: number): bigint {
  return firstPosition(publishedAtMs) + (1n << TIE_BITS) - 1n;
}

/** The position of a stored event. */
export function positionOf(connection: Connection, seq: number): bigint {
  // As text: the runtime throws on numbers beyond 2^53.
  const row = connection.get(
    "select cast(position as text) as position from event_order where event_seq = ?",
    seq,
  );
  if (row === undefined) throw new Error(`there is no event ${seq}`);
  return BigInt(String(row["position"]));
}

/** The FTS5 expression for events that have a tag. */
export function tagMatch(kind: TagKind, ...values: readonly string[]): string {
  return `tags : (${values.map((value) => tagOf(kind, value)).join(" OR ")})`;
}

/** The FTS5 expression of a query's words and tags; null when it has none. */
export function matchOf(query: EventQuery): string | null {
  const { search: words = [], source, severityMin = "info", topics, eventTypes, articles, languages } = query;
  const parts: string[] = [];
  if (words.length > 0) {
    parts.push(`words : (${words.map((word) => `"${word.replaceAll('"', '""')}"`).join(" ")})`);
  }
  const anyOf = (kind: TagKind, values: readonly string[] | undefined): void => {
    if (values !== undefined) parts.push(tagMatch(kind, ...values));
  };
  anyOf("source", source === undefined ? undefined : [source]);
  anyOf("severity", severityMin === "info" ? undefined : SEVERITIES.slice(severityRank(severityMin)));
  anyOf("topic", topics);
  anyOf("type", eventTypes);
  anyOf("article", articles);
  anyOf("language", languages);
  return parts.length === 0 ? null : parts.map((part) => `(${part})`).join(" AND ");
}

/** The text of an event in the index. */
interface IndexText {
  words: string;
  tags: string;
}

function textOf(event: RegEvent): IndexText {
  return { words: searchedText(event), tags: tagsOf(event).join(" ") };
}

/** An event that gets a position. */
interface Placed {
  seq: number;
  id: string;
  text: IndexText;
}

const INSERT_ORDER = rowInsert("insert into event_order (position, event_seq)", 2);

/** Writes the index for the events of one transaction, at its end. */
export class IndexWriter {
  readonly #added = new Map<number, RegEvent>();
  readonly #changed: { seq: number; before: RegEvent; after: RegEvent }[] = [];

  constructor(readonly connection: Connection) {}

  /** Takes an event that is recorded in this transaction. */
  add(event: RegEvent, seq: number): void {
    this.#added.set(seq, event);
  }

  /** Takes what a stored event was served as before, and is from now on. */
  change(seq: number, before: RegEvent, after: RegEvent): void {
    if (this.#added.has(seq)) this.#added.set(seq, after);
    else this.#changed.push({ seq, before, after });
  }

  /** Writes everything; nothing is added after it. */
  finish(): void {
    for (const { seq, before, after } of this.#changed) {
      const [old, text] = [textOf(before), textOf(after)];
      const position = positionOf(this.connection, seq);
      for (const [table, rowid] of [["by_date", position], ["by_seq", seq]] as const) {
        this.#delete(table, rowid, old);
        this.#insert(table, rowid, text);
      }
    }
    const added = [...this.#added].map(([seq, event]) => ({ seq, event, id: event.id, text: textOf(event) }));
    const byTime = [...Map.groupBy(added, ({ event }) => event.published_at)].sort(([a], [b]) => a - b);
    // FTS5 writes out what it has gathered whenever a rowid is not above the one before.
    for (const [publishedAtMs, events] of byTime) this.#addToTime(publishedAtMs, events);
    for (const { seq, text } of added) this.#insert("by_seq", seq, text);
  }

  /** Assigns positions to events of one time, in the order of ids. */
  #addToTime(publishedAtMs: number, events: readonly Placed[]): void {
    const sorted = events.toSorted(compareIds);
    const [first, last] = [firstPosition(publishedAtMs), lastPosition(publishedAtMs)];
    const lowest = sorted[0]?.id ?? "";
    const newest = this.#positions(`${AT_TIME} order by event_order.position desc limit 1`, first, last)[0];
    if (newest === undefined || newest.id < lowest) {
      this.#assign(newest === undefined ? first : newest.position + 1n, sorted);
      return;
    }
    // Rare, as ids ascend: the clock went back between two starts. Events with greater ids move to later positions.
    const later = this.#positions(`${AT_TIME} and id > ? order by event_order.position`, first, last, lowest);
    const moved = later.map(({ seq, id, position }) => {
      const text = textOf(servedBySeq(this.connection, seq));
      this.#delete("by_date", position, text);
      this.connection.run("delete from event_order where event_seq = ?", seq);
      return { seq, id, text };
    });
    this.#assign(later[0]?.position ?? first, [...moved, ...sorted].sort(compareIds));
  }

  #assign(first: bigint, events: readonly Placed[]): void {
    const positions = events.map((_, index) => first + BigInt(index));
    insertRows(
      this.connection,
      INSERT_ORDER,
      events.map(({ seq }, index) => [positions[index] ?? first, seq]),
    );
    for (const [index, { text }] of events.entries()) {
      this.#insert("by_date", positions[index] ?? first, text);
    }
  }

  #positions(sql: string, ...values: readonly Value[]): { seq: number; id: string; position: bigint }[] {
    return this.connection.all(sql, ...values).map((row) => ({
      seq: Number(row["seq"]),
      id: String(row["id"]),
      position: BigInt(String(row["position"])),
    }));
  }

  #insert(table: "by_date" | "by_seq", rowid: number | bigint, { words, tags }: IndexText): void {
    this.connection.run(
      `insert into events_${table} (rowid, words, tags) values (cast(? as integer), ?, ?)`,
      rowid,
      words,
      tags,
    );
  }

  /** The index does not store texts: to delete an entry, it needs the text of the entry. */
  #delete(table: "by_date" | "by_seq", rowid: number | bigint, { words, tags }: IndexText): void {
    this.connection.run(
      `insert into events_${table} (events_${table}, rowid, words, tags)
       values ('delete', cast(? as integer), ?, ?)`,
      rowid,
      words,
      tags,
    );
  }
}

/** The events between two positions; positions as text, as the runtime throws on numbers beyond 2^53. */
const AT_TIME = `select seq, id, cast(position as text) as position
  from event_order cross join events on seq = event_seq where event_order.position >= ? and event_order.position <= ?`;

function compareIds(a: Placed, b: Placed): number {
  return a.id < b.id ? -1 : 1;
}

/** Events that are indexed together. */
const INDEXED_AT_ONCE = 1_000;

/** Indexes every stored event: for a database that has no index yet. */
export function indexAll(connection: Connection): void {
  for (let last = 0;;) {
    const seqs = connection.all(
      "select seq from events where seq > ? order by seq limit ?",
      last,
      INDEXED_AT_ONCE,
    )
      .map((row) => Number(row["seq"]));
    if (seqs.length === 0) return;
    const writer = new IndexWriter(connection);
    for (const seq of seqs) writer.add(servedBySeq(connection, seq), seq);
    writer.finish();
    last = seqs.at(-1) ?? last;
  }
}
