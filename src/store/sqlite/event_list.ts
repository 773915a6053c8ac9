// Lists of events in SQLite: from a walk or a search, with the records as they are served.
import type { AfterOthers } from "../../domain/ports.ts";
import { type Soon, whenThere } from "../../domain/soon.ts";
import type { EventQuery, ListedEvent } from "../../domain/store.ts";
import type { Connection, Row } from "./connection.ts";
import { EventSearch } from "./event_search.ts";
import { inOrderOfStoring, newestFirst, tagFilters } from "./event_walk.ts";
import type { RecordReader } from "./record_reader.ts";
import { SERVED_JSON } from "./served.ts";

/** Lists events; one for a connection. */
export class EventLists {
  readonly #search: EventSearch;

  constructor(
    readonly connection: Connection,
    readonly records: RecordReader,
    afterOthers: AfterOthers | null,
  ) {
    this.#search = new EventSearch(connection, afterOthers);
  }

  /** The events of a query, in its order: at once, or with words after some turns of the event loop. */
  list(query: EventQuery): Soon<ListedEvent[]> {
    const rows = this.connection.reading(() => this.#find(query));
    return whenThere(rows, (rows) => this.connection.reading(() => this.#listed(rows)));
  }

  #find(query: EventQuery): Soon<Row[]> {
    const { connection, records } = this;
    const filters = tagFilters(connection, query);
    // A tag that no event has: the list is empty, whatever the other filters are.
    if (filters.some(({ ids }) => ids.length === 0)) return [];
    // Far from what is new no record is kept: there it is cheapest to read the records on the way.
    const columns = records.isKept(query.after?.seq ?? query.before?.seq ?? Infinity)
      ? ""
      : `, ${SERVED_JSON}`;
    const walk = { filters, columns };
    if (query.words !== undefined && query.words.length > 0) {
      return this.#search.find({ ...query, words: query.words }, walk);
    }
    const { sql, values } = query.after === undefined
      ? newestFirst(connection, query, walk)
      : inOrderOfStoring(connection, query, walk);
    return connection.all(sql, ...values);
  }

  #listed(rows: readonly Row[]): ListedEvent[] {
    const unread = rows.filter((row) => row["json"] === undefined).map((row) => Number(row["seq"]));
    const texts = this.records.read(unread);
    return rows.map((row, at) => ({
      id: String(row["id"]),
      publishedAtMs: Number(row["published_at"]),
      json: String(row["json"] ?? texts[at]),
    }));
  }
}
