// The event index: words and tags in two full-text tables, one for each list order.
import type { RegEvent } from "../../../domain/event/event.ts";
import { foldSearched, type SearchTerm } from "../../../domain/event/search.ts";
import { searchedText, type TagKind, tagOf, tagsOf } from "../../../domain/plans/search_text.ts";
import type { EventQuery } from "../../../domain/ports/store/events.ts";
import { servedBySeq } from "./served_record.ts";
import type { Connection } from "../connection/connection.ts";
import { type Sql, sql } from "../connection/sql.ts";

/** Number of bits of a position that distinguish events of the same millisecond. */
const TIE_BITS = 20n;
/** The last time in Unix ms whose positions fit into 64 bits; it is in the year 2248. */
const LAST_MS = 2 ** 43 - 1;

/** Returns the first position of a publication time, which is in Unix ms. */
export function firstPosition(publishedAtMs: number): bigint {
  const ms = Math.max(-LAST_MS - 1, Math.min(publishedAtMs, LAST_MS));
  return BigInt(ms) << TIE_BITS;
}

export function lastPosition(publishedAtMs: number): bigint {
  return firstPosition(publishedAtMs) + (1n << TIE_BITS) - 1n;
}

export function positionOf(connection: Connection, seq: number): bigint {
  // The position is read as text, because the runtime throws on integers beyond 2^53.
  const row = connection.get(
    sql`select cast(position as text) as position from event_order where event_seq = ${seq}`,
  );
  if (row === undefined) throw new Error(`there is no event ${seq}`);
  return BigInt(String(row["position"]));
}

/** Returns the FTS5 expression for events with any of these tags. */
export function tagMatch(kind: TagKind, ...values: readonly string[]): string {
  return `tags : (${values.map((value) => tagOf(kind, value)).join(" OR ")})`;
}

/** Returns the FTS5 expression for a query's words and tags, or null if it has neither. */
export function matchOf(connection: Connection, query: EventQuery): string | null {
  const { search, sources, severityMin = "info", topics, eventTypes, articles, eventLanguages } = query;
  const parts: string[] = [];
  if (search !== undefined && search !== null) {
    parts.push(`words : (${search.terms.map((term) => searchMatch(connection, term)).join(" AND ")})`);
  }
  const anyOf = (kind: TagKind, values: readonly string[] = []): void => {
    if (values.length > 0) parts.push(tagMatch(kind, ...values));
  };
  anyOf("source", sources);
  anyOf("severity", severityMin === "info" ? [] : [severityMin]);
  anyOf("topic", topics);
  anyOf("type", eventTypes);
  anyOf("article", articles);
  anyOf("language", eventLanguages);
  return parts.length === 0 ? null : parts.map((part) => `(${part})`).join(" AND ");
}

/** Maximum number of words by which a prefix is replaced. */
const MAX_EXPANDED = 100;

/**
 * Returns the FTS5 expression for a term. Of a word, FTS5 reads only the entries that a page needs, but of a prefix all
 * entries, which takes 70 ms for a million. So a prefix is replaced by the words that begin with it, unless they are many.
 */
function searchMatch(connection: Connection, { words, isPrefix }: SearchTerm): string {
  const term = quoted(words.join(" "));
  if (!isPrefix) return term;
  const expanded = wordsWith(connection, foldSearched(words.join("")));
  const isReplaced = expanded.length > 0 && expanded.length <= MAX_EXPANDED;
  return isReplaced ? `(${expanded.map(quoted).join(" OR ")})` : `${term} *`;
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** Returns the indexed words that begin with a prefix: all of them, or {@link MAX_EXPANDED} + 1. */
function wordsWith(connection: Connection, prefix: string): string[] {
  return connection.all(
    sql`with recursive found (word) as (
        select (select term from event_words where term >= ${prefix} limit 1)
        union all
        select (select term from event_words where term >= word || char(1) limit 1) from found
        where substr(word, 1, length(${prefix})) = ${prefix})
      select word from found where substr(word, 1, length(${prefix})) = ${prefix} limit ${MAX_EXPANDED + 1}`,
  ).map((row) => String(row["word"]));
}

interface IndexText {
  words: string;
  tags: string;
}

function textOf(event: RegEvent): IndexText {
  return { words: searchedText(event), tags: tagsOf(event).join(" ") };
}

interface IndexedEvent {
  seq: number;
  id: string;
  text: IndexText;
}

const BY_DATE = sql`events_by_date`;
const BY_SEQ = sql`events_by_seq`;

/** Collects the events of one transaction, and writes their index entries at its end. */
export class IndexWriter {
  readonly #added = new Map<number, RegEvent>();
  readonly #changed: { seq: number; before: RegEvent; after: RegEvent }[] = [];

  constructor(readonly connection: Connection) {}

  add(event: RegEvent, seq: number): void {
    this.#added.set(seq, event);
  }

  change(seq: number, before: RegEvent, after: RegEvent): void {
    if (this.#added.has(seq)) this.#added.set(seq, after);
    else this.#changed.push({ seq, before, after });
  }

  /** Writes the entries of all collected events. Call this last in the transaction. */
  finish(): void {
    for (const { seq, before, after } of this.#changed) {
      const [old, text] = [textOf(before), textOf(after)];
      const position = positionOf(this.connection, seq);
      for (const [table, rowid] of [[BY_DATE, position], [BY_SEQ, seq]] as const) {
        this.#delete(table, rowid, old);
        this.#insert(table, rowid, text);
      }
    }
    const added = [...this.#added].map(([seq, event]) => ({ seq, event, id: event.id, text: textOf(event) }));
    const byTime = [...Map.groupBy(added, ({ event }) => event.published_at)].sort(([a], [b]) => a - b);
    // The rows are sorted because FTS5 flushes its pending rows whenever a rowid is not greater than the previous one.
    for (const [publishedAtMs, events] of byTime) this.#addToTime(publishedAtMs, events);
    for (const { seq, text } of added) this.#insert(BY_SEQ, seq, text);
  }

  /** Assigns positions to events with the same publication time, in order of their ids. */
  #addToTime(publishedAtMs: number, events: readonly IndexedEvent[]): void {
    const sorted = events.toSorted(compareIds);
    const [first, last] = [firstPosition(publishedAtMs), lastPosition(publishedAtMs)];
    const lowest = sorted[0]?.id ?? "";
    const atTime = sql`event_order.position >= ${first} and event_order.position <= ${last}`;
    const newest = this.#positions(sql`${atTime} order by event_order.position desc limit 1`)[0];
    if (newest === undefined || newest.id < lowest) {
      this.#assign(newest === undefined ? first : newest.position + 1n, sorted);
      return;
    }
    // Rare, because ids ascend unless the clock is set back between two starts. Events with greater ids are moved up.
    const later = this.#positions(sql`${atTime} and id > ${lowest} order by event_order.position`);
    const moved = later.map(({ seq, id, position }) => {
      const text = textOf(servedBySeq(this.connection, seq));
      this.#delete(BY_DATE, position, text);
      this.connection.run(sql`delete from event_order where event_seq = ${seq}`);
      return { seq, id, text };
    });
    this.#assign(later[0]?.position ?? first, [...moved, ...sorted].sort(compareIds));
  }

  #assign(first: bigint, events: readonly IndexedEvent[]): void {
    for (const [index, { seq, text }] of events.entries()) {
      const position = first + BigInt(index);
      this.connection.run(sql`insert into event_order (position, event_seq) values (${position}, ${seq})`);
      this.#insert(BY_DATE, position, text);
    }
  }

  #positions(where: Sql): { seq: number; id: string; position: bigint }[] {
    return this.connection.all(
      sql`select seq, id, cast(position as text) as position
        from event_order cross join events on seq = event_seq where ${where}`,
    ).map((row) => ({
      seq: Number(row["seq"]),
      id: String(row["id"]),
      position: BigInt(String(row["position"])),
    }));
  }

  #insert(table: Sql, rowid: number | bigint, { words, tags }: IndexText): void {
    this.connection.run(
      sql`insert into ${table} (rowid, words, tags) values (cast(${rowid} as integer), ${words}, ${tags})`,
    );
  }

  /** Deletes an entry. FTS5 needs the text of the entry, which a contentless table does not store. */
  #delete(table: Sql, rowid: number | bigint, { words, tags }: IndexText): void {
    this.connection.run(
      sql`insert into ${table} (${table}, rowid, words, tags)
        values ('delete', cast(${rowid} as integer), ${words}, ${tags})`,
    );
  }
}

function compareIds(a: IndexedEvent, b: IndexedEvent): number {
  return a.id < b.id ? -1 : 1;
}
