// Events and publications in SQLite: recording and finding.
import { severityRank } from "../../domain/severity.ts";
import type {
  EventPlace,
  PublicationKey,
  RecordDecision,
  Store,
  StoredPublication,
} from "../../domain/store.ts";
import type { RegEvent } from "../../domain/event.ts";
import type { Connection, Row } from "./connection.ts";
import { listEvents } from "./event_list.ts";
import { TagWriter } from "./event_tags.ts";

type EventMethods =
  | "recordPublications"
  | "previewPublications"
  | "listEvents"
  | "findEvent"
  | "findPlace"
  | "lastPlace"
  | "lastSeq"
  | "listVersions";

type Decide<T> = (publication: T, stored: StoredPublication | null) => RecordDecision;

type Recording = Extract<RecordDecision, { kind: "record" }>;

/** The part of the port that concerns events. */
export function createEvents(
  connection: Connection,
): Pick<Store, EventMethods> {
  return {
    recordPublications: (sourceId, publications, decide) =>
      Promise.resolve(
        connection.transaction("durable", () => recordAll(connection, sourceId, publications, decide)),
      ),

    previewPublications: (sourceId, publications, decide) =>
      Promise.resolve(connection.preview(() => recordAll(connection, sourceId, publications, decide))),

    listEvents: (query) => Promise.resolve(listEvents(connection, query)),

    findEvent: (id) => {
      const row = connection.get("select json, provenance from events where id = ?", id);
      return Promise.resolve(
        row === undefined ? null : { json: String(row["json"]), provenance: String(row["provenance"]) },
      );
    },

    findPlace: (id) =>
      Promise.resolve(placeOf(connection.get("select id, seq, published_at from events where id = ?", id))),

    lastPlace: () =>
      Promise.resolve(
        placeOf(
          connection.get(
            "select id, seq, published_at from events where seq = (select max(seq) from events)",
          ),
        ),
      ),

    lastSeq: () =>
      Promise.resolve(Number(connection.get("select max(seq) as last from events")?.["last"] ?? 0)),

    listVersions: (id) =>
      Promise.resolve(
        connection.all(
          `select json from events where (source_id, external_id) =
             (select source_id, external_id from events where id = ?) order by version`,
          id,
        ).map((row) => String(row["json"])),
      ),
  };
}

function placeOf(row: Row | undefined): EventPlace | null {
  return row === undefined
    ? null
    : { id: String(row["id"]), publishedAtMs: Number(row["published_at"]), seq: Number(row["seq"]) };
}

function recordAll<T extends PublicationKey>(
  connection: Connection,
  sourceId: string,
  publications: readonly T[],
  decide: Decide<T>,
): RecordDecision[] {
  const tags = new TagWriter(connection);
  const words: StoredWords[] = [];
  const decisions = publications.map((publication) => {
    const stored = findPublication(connection, sourceId, publication);
    const decision = decide(publication, stored);
    if (decision.kind === "record") record(connection, publication, { ...decision, tags, words });
    if (decision.kind === "redated" && stored !== null) {
      keepHash(connection, sourceId, { publication, stored });
    }
    return decision;
  });
  tags.finish();
  // At the end and together: the full-text index writes what it has gathered before each statement that may need to be
  // undone by itself, which most others are.
  for (const { seq, text } of words) {
    connection.run("insert into event_words (rowid, words) values (?, ?)", seq, text);
  }
  return decisions;
}

/** The words of a stored event, for the full-text index. */
interface StoredWords {
  seq: number;
  text: string;
}

/** The publication of this key or else of this content, which then has this key as well. */
function findPublication(
  connection: Connection,
  sourceId: string,
  { key, contentHash }: PublicationKey,
): StoredPublication | null {
  // One statement, because most look-ups of a fetch find nothing: the second half runs only when the first is empty.
  const row = connection.get(
    `select 1 as is_own, external_id, content_hash, version, latest_seq from publications
     where source_id = ? and key = ?
     union all
     select 0, external_id, content_hash, version, latest_seq
     from publications indexed by publications_by_content
     where source_id = ? and content_hash = ?
     limit 1`,
    sourceId,
    key,
    sourceId,
    contentHash,
  );
  if (row === undefined) return null;
  if (row["is_own"] === 0) {
    connection.run(
      `insert into publications (source_id, key, external_id, content_hash, version, latest_seq)
       select source_id, ?, external_id, content_hash, version, latest_seq
       from publications indexed by publications_by_content
       where source_id = ? and content_hash = ? limit 1`,
      key,
      sourceId,
      contentHash,
    );
  }
  return {
    externalId: String(row["external_id"]),
    contentHash: String(row["content_hash"]),
    version: Number(row["version"]),
    event: () => eventBySeq(connection, Number(row["latest_seq"])),
  };
}

/** Under every identity of the publication, as a revision would be. */
function keepHash(
  connection: Connection,
  sourceId: string,
  { publication, stored }: { publication: PublicationKey; stored: StoredPublication },
): void {
  connection.run(
    `update publications indexed by publications_by_external_id
     set content_hash = ? where source_id = ? and external_id = ?`,
    publication.contentHash,
    sourceId,
    stored.externalId,
  );
}

function eventBySeq(connection: Connection, seq: number): RegEvent {
  return JSON.parse(String(connection.get("select json from events where seq = ?", seq)?.["json"]));
}

function record(
  connection: Connection,
  publication: PublicationKey,
  { event, provenance, notify, tags, words }: Recording & { tags: TagWriter; words: StoredWords[] },
): void {
  const inserted = connection.get(
    `insert into events (id, source_id, external_id, version, severity, published_at, json, provenance)
     values (?, ?, ?, ?, ?, ?, ?, ?) returning seq`,
    event.id,
    event.source_id,
    event.external_id,
    event.version,
    severityRank(event.severity),
    event.published_at,
    asciiJson(event),
    asciiJson(provenance),
  );
  const seq = Number(inserted?.["seq"]);
  tags.add(event, seq);
  words.push({ seq, text: wordsOf(event) });
  connection.run(
    `insert into publications (source_id, key, external_id, content_hash, version, latest_seq)
     values (?, ?, ?, ?, ?, ?) on conflict (source_id, key) do update
     set external_id = excluded.external_id, content_hash = excluded.content_hash, version = excluded.version,
       latest_seq = excluded.latest_seq`,
    event.source_id,
    publication.key,
    event.external_id,
    publication.contentHash,
    event.version,
    seq,
  );
  if (event.version > 1) {
    // A publication may be known under several identities: all of them lead to the newest version.
    connection.run(
      `update publications indexed by publications_by_external_id
       set content_hash = ?, version = ?, latest_seq = ? where source_id = ? and external_id = ?`,
      publication.contentHash,
      event.version,
      seq,
      event.source_id,
      event.external_id,
    );
  }
  if (notify) connection.run("insert into event_outbox (event_seq) values (?)", seq);
}

/** JSON of ASCII alone: a text of one byte a character is read, joined and sent several times as fast. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Title and summary in every language, each text once. */
function wordsOf(event: RegEvent): string {
  const texts = [event.title_en, event.summary_en];
  for (const { title, summary } of Object.values(event.translations)) texts.push(title, summary);
  return [...new Set(texts)].join("\n");
}
