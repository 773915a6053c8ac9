// Events and publications in SQLite: recording, listing, finding.
import { severityRank } from "../../domain/severity.ts";
import type {
  EventQuery,
  ListedEvent,
  PublicationKey,
  RecordDecision,
  Store,
  StoredPublication,
} from "../../domain/store.ts";
import type { RegEvent } from "../../domain/event.ts";
import type { Connection, Value } from "./connection.ts";

type Decide<T> = (publication: T, stored: StoredPublication | null) => RecordDecision;

/** The part of the port that concerns events. */
export function createEvents(
  connection: Connection,
): Pick<Store, "recordPublications" | "previewPublications" | "listEvents" | "findEvent"> {
  return {
    recordPublications: (sourceId, publications, decide) =>
      Promise.resolve(
        connection.transaction("durable", () => recordAll(connection, sourceId, publications, decide)),
      ),

    previewPublications: (sourceId, publications, decide) =>
      Promise.resolve(connection.preview(() => recordAll(connection, sourceId, publications, decide))),

    listEvents: (query) => Promise.resolve(list(connection, query)),

    findEvent: (id) => {
      const row = connection.get("select json from events where id = ?", id);
      return Promise.resolve(row === undefined ? null : String(row["json"]));
    },
  };
}

function recordAll<T extends PublicationKey>(
  connection: Connection,
  sourceId: string,
  publications: readonly T[],
  decide: Decide<T>,
): RecordDecision[] {
  return publications.map((publication) => {
    const stored = findPublication(connection, sourceId, publication);
    const decision = decide(publication, stored);
    if (decision.kind === "record") record(connection, publication, decision.event, decision.notify);
    return decision;
  });
}

function findPublication(
  connection: Connection,
  sourceId: string,
  publication: PublicationKey,
): StoredPublication | null {
  const own = selectPublication(connection, sourceId, publication.key);
  if (own !== null) return own;
  for (const key of publication.formerKeys) {
    const former = selectPublication(connection, sourceId, key);
    if (former === null || former.contentHash !== publication.contentHash) continue;
    connection.run(
      `insert into publications (source_id, key, external_id, content_hash, version, latest_seq)
       select source_id, ?, external_id, content_hash, version, latest_seq
       from publications where source_id = ? and key = ?`,
      publication.key,
      sourceId,
      key,
    );
    return former;
  }
  return null;
}

function selectPublication(connection: Connection, sourceId: string, key: string): StoredPublication | null {
  const row = connection.get(
    "select external_id, content_hash, version, latest_seq from publications where source_id = ? and key = ?",
    sourceId,
    key,
  );
  if (row === undefined) return null;
  return {
    externalId: String(row["external_id"]),
    contentHash: String(row["content_hash"]),
    version: Number(row["version"]),
    event: () => eventBySeq(connection, Number(row["latest_seq"])),
  };
}

function eventBySeq(connection: Connection, seq: number): RegEvent {
  return JSON.parse(String(connection.get("select json from events where seq = ?", seq)?.["json"]));
}

function record(connection: Connection, publication: PublicationKey, event: RegEvent, notify: boolean): void {
  const inserted = connection.get(
    `insert into events (id, source_id, external_id, version, severity, published_at, json)
     values (?, ?, ?, ?, ?, ?, ?) returning seq`,
    event.id,
    event.source_id,
    event.external_id,
    event.version,
    severityRank(event.severity),
    event.published_at,
    JSON.stringify(event),
  );
  const seq = Number(inserted?.["seq"]);
  for (const topic of event.topics) {
    connection.run("insert into event_topics (event_seq, topic) values (?, ?)", seq, topic);
  }
  connection.run(
    `insert into publications (source_id, key, external_id, content_hash, version, latest_seq)
     values (?, ?, ?, ?, ?, ?) on conflict (source_id, key) do nothing`,
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
      `update publications set content_hash = ?, version = ?, latest_seq = ?
       where source_id = ? and external_id = ?`,
      publication.contentHash,
      event.version,
      seq,
      event.source_id,
      event.external_id,
    );
  }
  if (notify) connection.run("insert into event_outbox (event_seq) values (?)", seq);
}

function list(connection: Connection, query: EventQuery): ListedEvent[] {
  const conditions: string[] = [];
  const values: Value[] = [];
  const narrow = (condition: string, ...given: Value[]): void => {
    conditions.push(condition);
    values.push(...given);
  };
  if (query.since !== undefined) narrow("published_at >= ?", query.since);
  if (query.source !== undefined) narrow("source_id = ?", query.source);
  if (query.severityMin !== undefined) narrow("severity >= ?", severityRank(query.severityMin));
  if (query.before !== undefined) {
    narrow("(published_at, id) < (?, ?)", query.before.publishedAtMs, query.before.id);
  }
  if (query.topics !== undefined) {
    narrow(
      `exists (select 1 from event_topics where event_seq = events.seq
         and topic in (select value from json_each(?)))`,
      JSON.stringify(query.topics),
    );
  }
  const where = conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
  return connection.all(
    `select id, published_at, json from events ${where} order by published_at desc, id desc limit ?`,
    ...values,
    query.limit,
  ).map((row) => ({
    id: String(row["id"]),
    publishedAtMs: Number(row["published_at"]),
    json: String(row["json"]),
  }));
}
