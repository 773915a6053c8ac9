// Events by their words: what they match is taken a window at a time, and between two windows everybody else has a turn.
import type { AfterOthers } from "../../domain/ports.ts";
import type { Soon } from "../../domain/soon.ts";
import type { EventPlace, EventQuery } from "../../domain/store.ts";
import type { Connection, Row, Value } from "./connection.ts";
import {
  conditionsOf,
  joined,
  newestFirst,
  type Part,
  shortest,
  type TagFilter,
  type Walk,
  WORTH_SORTING,
} from "./event_walk.ts";
import { SearchTurns } from "./search_turns.ts";

/** Places whose matches are taken together: so many first, then twice as many each time while little is found, */
const FIRST_WINDOW = { newest: 5_000, asStored: 500 };
/** and at most so many: some milliseconds of ten words that most events have, and never together. */
const LARGEST_WINDOW = 40_000;
/** Matches of a window that are enough: where they are only noted, and where each is asked for the other filters. */
const ENOUGH = { noted: 4_000, asked: 400 };
/** Events that are walked along together. */
const WALKED_TOGETHER = 500;
/** Matches up to which it is cheapest to look at every one of them. */
const FEW_MATCHES = 2_000;
/** The part of the newest events that must match for a walk to meet a page of matches soon. */
const DENSE = 0.4;
/** How many events a walk asks for each one that the list may hold, before it gives up to meet them. */
const ASKED_FOR_ONE = 4;

/**
 * Matches in a window of places. A number is bound as REAL, and the full-text index takes bounds that are INTEGER alone:
 * from any other it would begin at its first match.
 */
const MATCHES = `from event_words where event_words match ?
  and rowid > cast(? as integer) and rowid <= cast(? as integer)`;

/** A query with words. */
type WordQuery = EventQuery & { words: readonly string[] };

/** What is searched for, in the events up to the place that was the last when the search began. */
interface Search extends Walk {
  query: WordQuery & { asOf: { seq: number } };
  match: string;
}

/** Places behind `from`, up to `until`. */
interface Window {
  from: number;
  until: number;
}

/** Searches events by their words; one for a connection. */
export class EventSearch {
  /** One window is taken in a turn, whoever asks. */
  readonly #turns: SearchTurns;

  constructor(readonly connection: Connection, afterOthers: AfterOthers | null) {
    this.#turns = new SearchTurns(afterOthers);
  }

  /**
   * The events of a query, in its order. The list is as it was when the search began, whatever is stored meanwhile: what
   * is stored later has a later place, and nothing goes; only a language that comes meanwhile may count already.
   */
  find(query: WordQuery, walk: Walk): Soon<Row[]> {
    const last = Number(this.connection.get("select max(seq) as last from events")?.["last"] ?? 0);
    const asOf = { seq: Math.min(last, query.asOf?.seq ?? last) };
    const match = query.words.map((word) => `"${word.replaceAll('"', '""')}"`).join(" ");
    const search = { ...walk, query: { ...query, asOf }, match };
    if (query.after !== undefined) return this.#turns.take(() => this.#asStored(search));
    const asked = this.#isDense(search) ? this.#askedOnTheWay(search) : null;
    return asked ?? this.#turns.take(() => this.#newest(search));
  }

  /** In the order of storing each window has what the one before it has left to be found. */
  async #asStored({ query, match, filters, columns }: Search): Promise<Row[]> {
    const rows: Row[] = [];
    const { limit, asOf: { seq: last } } = query;
    const driver = shortest(this.connection, filters, WORTH_SORTING);
    const tagged = driver === null ? null : marksOf(this.#tagged(driver), last);
    const conditions = conditionsOf(query, filters.filter((filter) => filter !== driver));
    const enough = tagged === null ? ENOUGH.asked : ENOUGH.noted;
    for (
      let from = query.after?.seq ?? 0, size = FIRST_WINDOW.asStored;
      from < last && rows.length < limit;
    ) {
      const until = Math.min(last, from + size);
      const found = this.#among(match, { from, until }, (places) => {
        const where = placed(
          tagged === null ? places : places.filter((place) => tagged[place] === 1),
          conditions,
        );
        rows.push(...this.connection.all(
          `select seq, id, published_at${columns} from events ${where.sql} order by events.seq limit ?`,
          ...where.values,
          limit - rows.length,
        ));
      });
      size = nextSize(size, found < enough);
      from = until;
      if (from < last && rows.length < limit) await this.#turns.next();
    }
    return rows;
  }

  /** The newest come by their dates, which are in no order of places: every match is known before the first is listed. */
  async #newest(search: Search): Promise<Row[]> {
    const places: number[] = [];
    for (let until = search.query.asOf.seq, size = FIRST_WINDOW.newest; until > 0;) {
      const from = Math.max(0, until - size);
      const found = this.#among(search.match, { from, until }, (window) => {
        for (const place of window) places.push(place);
      });
      size = nextSize(size, found < ENOUGH.noted);
      until = from;
      if (until > 0) await this.#turns.next();
    }
    return places.length <= FEW_MATCHES
      ? this.connection.reading(() => this.#newestOf(places, search))
      : await this.#newestAmong(places, search);
  }

  /** The places of the events that a filter leaves, in no order. */
  #tagged({ ids }: TagFilter): number[] {
    const row = this.connection.get(
      `select group_concat(event_seq) as places from event_tags where tag_id in (${
        ids.map(() => "?").join(", ")
      })`,
      ...ids,
    );
    return numbersOf(row?.["places"]);
  }

  /** Does something with the matches of a window, on the state in which they are found; returns how many there are. */
  #among(match: string, { from, until }: Window, work: (places: number[]) => void): number {
    return this.connection.reading(() => {
      const row = this.connection.get(`select group_concat(rowid) as places ${MATCHES}`, match, from, until);
      const places = numbersOf(row?.["places"]);
      if (places.length > 0) work(places);
      return places.length;
    });
  }

  #newestOf(places: readonly number[], { query, filters }: Search): Row[] {
    const where = placed(places, conditionsOf(query, filters));
    return this.connection.all(
      `select seq, id, published_at from events ${where.sql} order by published_at desc, id desc limit ?`,
      ...where.values,
      query.limit,
    );
  }

  /** Walks along the events that the other filters leave, and takes those that match. */
  async #newestAmong(places: readonly number[], { query, filters }: Search): Promise<Row[]> {
    const matches = marksOf(places, query.asOf.seq);
    const rows: Row[] = [];
    for (let before = query.before;;) {
      const walked = this.#walk({ ...query, limit: WALKED_TOGETHER, ...(before ? { before } : {}) }, filters);
      for (const row of walked) {
        if (matches[Number(row["seq"])] === 1) rows.push(row);
        if (rows.length === query.limit) return rows;
      }
      const last = walked.at(-1);
      if (last === undefined || walked.length < WALKED_TOGETHER) return rows;
      before = placeOf(last);
      await this.#turns.next();
    }
  }

  #walk(query: EventQuery, filters: Walk["filters"]): Row[] {
    return this.connection.reading(() => {
      const { sql, values } = newestFirst(this.connection, query, { filters, columns: "" });
      return this.connection.all(sql, ...values);
    });
  }

  /** Whether more than {@link FEW_MATCHES} match, and of the newest events at least {@link DENSE}. */
  #isDense({ query: { asOf: { seq: last } }, match }: Search): boolean {
    const row = this.connection.get(
      `select count(*) as found from (select 1 ${MATCHES} limit ?)`,
      match,
      last - FEW_MATCHES / DENSE,
      last,
      FEW_MATCHES + 1,
    );
    return Number(row?.["found"]) > FEW_MATCHES;
  }

  /**
   * The events of a query whose words most events have: each that the other filters leave is asked for them, which takes
   * no longer the more events there are. Null where that would be dear: to ask an event costs as much as to find the next
   * one that matches, and other filters may leave just those that do not (`language=fr` those without an English word).
   */
  #askedOnTheWay({ query, match, filters, columns }: Search): Row[] | null {
    const limit = ASKED_FOR_ONE * query.limit;
    const candidates = newestFirst(this.connection, { ...query, limit }, { filters, columns });
    // They come in the order of the walk, which ends with the last event that the list may hold.
    const rows = this.connection.all(
      `select * from (${candidates.sql}) as candidate
       where exists (select 1 from event_words where event_words match ? and event_words.rowid = candidate.seq)
       limit ?`,
      ...candidates.values,
      match,
      query.limit,
    );
    if (rows.length === query.limit) return rows;
    const asked = this.connection.get(
      `select count(*) as events from (${candidates.sql})`,
      ...candidates.values,
    );
    return Number(asked?.["events"]) < limit ? rows : null;
  }
}

/** Events at these places for which the conditions hold. */
function placed(places: readonly number[], conditions: readonly Part[]): Part {
  const listed = {
    sql: "events.seq in (select value from json_each(?))",
    values: [JSON.stringify(places)],
  };
  return joined([listed, ...conditions]);
}

/** Places as 1 in their places, up to the last one that counts. */
function marksOf(places: readonly number[], last: number): Uint8Array {
  const marks = new Uint8Array(last + 1);
  for (const place of places) marks[place] = 1;
  return marks;
}

/** What SQLite has put into one text; null where it has found nothing. */
function numbersOf(text: Value | undefined): number[] {
  return typeof text === "string" ? text.split(",").map(Number) : [];
}

function nextSize(size: number, isLittle: boolean): number {
  return isLittle ? Math.min(2 * size, LARGEST_WINDOW) : size;
}

function placeOf(row: Row): EventPlace {
  return { id: String(row["id"]), publishedAtMs: Number(row["published_at"]), seq: Number(row["seq"]) };
}
