// Fills big stores fast: the rows that the store would write, in the order in which the file takes them best. A million
// events through the port take minutes of a quiet machine, a quarter of that through here; a test compares the rows.
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import type { RegEvent } from "../../src/domain/event.ts";
import { severityRank } from "../../src/domain/severity.ts";
import { tagsOf } from "../../src/store/sqlite/event_tags.ts";
import { wordsOf } from "../../src/store/sqlite/records.ts";
import { asciiJson } from "../../src/store/sqlite/served.ts";
import { PROVENANCE } from "./fill.ts";

/** Events of one transaction. */
const BATCH = 20_000;
/** Rows of one statement. */
const ROWS = 50;

/**
 * Adds as many events as are wanted to a store's file, which nobody has open: each a publication of its own or a revision
 * of one of the batch's, that nobody is told of. The file is whole only when all is done.
 */
export function fillFile(
  path: string,
  count: number,
  { next, tell }: { next: () => RegEvent; tell: (done: number) => void },
): void {
  const database = new DatabaseSync(path);
  try {
    // Nothing of a bench's store is worth a wait for the disk, or half a store.
    database.exec(
      "pragma journal_mode = off; pragma synchronous = off; pragma foreign_keys = off; pragma cache_size = -262144;",
    );
    for (let done = 0; done < count;) {
      const events = Array.from({ length: Math.min(BATCH, count - done) }, next);
      database.exec("begin");
      addRows(database, events);
      database.exec("commit");
      done += events.length;
      tell(done);
    }
    database.exec("pragma journal_mode = wal;");
  } finally {
    database.close();
  }
}

function addRows(database: DatabaseSync, events: readonly RegEvent[]): void {
  const last = database.prepare("select coalesce(max(seq), 0) as seq from events").get();
  const first = Number(last?.["seq"]) + 1;
  const provenance = asciiJson(PROVENANCE);
  insert(
    database,
    "events (seq, id, source_id, external_id, version, severity, published_at, json, provenance)",
    events.map((event, at) => [
      first + at,
      event.id,
      event.source_id,
      event.external_id,
      event.version,
      severityRank(event.severity),
      event.published_at,
      asciiJson(event),
      provenance,
    ]),
  );
  insert(database, "event_words (rowid, words)", events.map((event, at) => [first + at, wordsOf(event)]));
  addPublications(database, events, first);
  addTags(database, events, first);
}

function addPublications(database: DatabaseSync, events: readonly RegEvent[], first: number): void {
  const newest = new Map<string, SQLInputValue[]>();
  for (const [at, { source_id, external_id, id, version }] of events.entries()) {
    newest.set(`${source_id} ${external_id}`, [source_id, external_id, external_id, id, version, first + at]);
  }
  const rows = [...newest].sort(([a], [b]) => a < b ? -1 : 1).map(([, row]) => row);
  insert(
    database,
    "publications (source_id, key, external_id, content_hash, version, latest_seq)",
    rows,
    "or replace",
  );
}

function addTags(database: DatabaseSync, events: readonly RegEvent[], first: number): void {
  const byName = new Map<string, { event: RegEvent; seq: number }[]>();
  for (const [at, event] of events.entries()) {
    for (const name of tagsOf(event)) {
      const known = byName.get(name);
      if (known === undefined) byName.set(name, [{ event, seq: first + at }]);
      else known.push({ event, seq: first + at });
    }
  }
  const count = database.prepare(
    "insert into tags (name, events) values (?, ?) on conflict (name) do update set events = events + excluded.events",
  );
  const idOf = database.prepare("select id from tags where name = ?");
  for (const [name, tagged] of byName) {
    count.run(name, tagged.length);
    const id = Number(idOf.get(name)?.["id"]);
    tagged.sort((a, b) => b.event.published_at - a.event.published_at || (a.event.id < b.event.id ? 1 : -1));
    const rows = tagged.map(({ event, seq }) => [id, event.published_at, event.id, seq]);
    insert(database, "event_tags (tag_id, published_at, event_id, event_seq)", rows);
  }
}

/** Inserts the rows; `into` is the table with its columns. */
function insert(
  database: DatabaseSync,
  into: string,
  rows: readonly SQLInputValue[][],
  conflict: "" | "or replace" = "",
): void {
  const marks = `(${(rows[0] ?? []).map(() => "?").join(", ")})`;
  const statementOf = (count: number) =>
    database.prepare(`insert ${conflict} into ${into} values ${Array(count).fill(marks).join(", ")}`);
  const many = statementOf(ROWS);
  let at = 0;
  for (; at + ROWS <= rows.length; at += ROWS) many.run(...rows.slice(at, at + ROWS).flat());
  for (const row of rows.slice(at)) statementOf(1).run(...row);
}
