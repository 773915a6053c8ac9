// Records and finds events and publications in SQLite.
import type { EventPosition, EventStore, FoundEvent } from "../../../domain/ports/store/events.ts";
import type { Store } from "../../../domain/ports/store/store.ts";
import type {
  MissingPublication,
  PublicationKey,
  PublicationStore,
  RecordDecision,
  RemovalDecision,
} from "../../../domain/ports/store/publications.ts";
import { isOfPublication, planHashes } from "../../../domain/plans/publication_hashes.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { countEvents, listByUrl, listEvents } from "./event_list.ts";
import { requireLease } from "../sources/leases.ts";
import { findPublication, keepMissed, learnKey, presentPublications, saveHashes } from "./publications.ts";
import { RecordWriter } from "./write_event_records.ts";
import { SERVED_JSON } from "./served_record.ts";
import { sql } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";

type Decide = Parameters<Store["recordPublications"]>[2];

export function createEvents(
  connection: Connection,
): Part<keyof EventStore | keyof PublicationStore> {
  return {
    recordPublications: (sourceId, publications, decide, holder) =>
      connection.transaction("durable", () => {
        requireLease(connection, sourceId, holder);
        return recordAll(connection, sourceId, publications, decide);
      }),

    previewPublications: (sourceId, publications, decide) =>
      connection.preview(() => recordAll(connection, sourceId, publications, decide)),

    recordRemovals: (sourceId, fetch, decide) =>
      connection.transaction("durable", () => recordRemovals(connection, sourceId, { ...fetch, decide })),

    listEvents: (query) => listEvents(connection, query),

    countEvents: (query) => countEvents(connection, query),

    listByUrl: (urls) => listByUrl(connection, urls),

    findEvent: (id) => findEvent(connection, id),

    findPosition: (id) =>
      positionOf(connection.get(sql`select id, seq, published_at from events where id = ${id}`)),

    lastPosition: () =>
      positionOf(connection.get(
        sql`select id, seq, published_at from events where seq = (select max(seq) from events)`,
      )),

    recordsState: createRecordsState(connection),

    listVersions: (id, { latest = -1, beforeId = null } = {}) =>
      connection.all(
        sql`select ${SERVED_JSON} from events where (source_id, external_id) =
             (select source_id, external_id from events where id = ${id})
             and (${beforeId} is null or version < (select version from events as other where id = ${beforeId}
               and (other.source_id, other.external_id) = (events.source_id, events.external_id)))
           order by version desc limit ${latest}`,
      ).map((row) => String(row["json"])).reverse(),
  };
}

function createRecordsState(connection: Connection): (nowMs: number) => string {
  let known = { nowMs: -1, transactions: -1, state: "" };
  return (nowMs) => {
    if (nowMs !== known.nowMs || connection.transactions !== known.transactions) {
      const row = connection.get(
        sql`select (select ifnull(max(seq), 0) from events) || '.' ||
          (select ifnull(max(seq), 0) from event_translations) as state`,
      );
      known = { nowMs, transactions: connection.transactions, state: String(row?.["state"]) };
    }
    return known.state;
  };
}

function findEvent(connection: Connection, id: string): FoundEvent | null {
  // Only events with translations that were added later have a rendering.
  const row = connection.get(
    sql`select ifnull(event_renderings.json, events.json) as json, provenance,
        case when event_seq is null then '[]' else (
          select json_group_array(json_object('language', language, 'url', url, 'added_at', added_at,
            'provenance', json(provenance)))
          from (select * from event_translations where event_seq = events.seq order by language)
        ) end as later
      from events left join event_renderings on event_seq = events.seq where events.id = ${id}`,
  );
  return row === undefined ? null : {
    json: String(row["json"]),
    provenance: String(row["provenance"]),
    later: String(row["later"]),
  };
}

function positionOf(row: Row | undefined): EventPosition | null {
  return row === undefined
    ? null
    : { id: String(row["id"]), publishedAtMs: Number(row["published_at"]), seq: Number(row["seq"]) };
}

function recordAll(
  connection: Connection,
  sourceId: string,
  publications: readonly PublicationKey[],
  decide: Decide,
): RecordDecision[] {
  const writer = new RecordWriter(connection);
  const decisions = publications.map((publication) => {
    const stored = findPublication(connection, sourceId, publication);
    const decision = decide(publication, stored);
    if (stored !== null && isOfPublication(decision, stored)) {
      const { externalId } = stored;
      if (stored.foundBy !== "key") learnKey(connection, sourceId, { key: publication.key, externalId });
      const change = planHashes(publication, stored, decision);
      if (change !== null) saveHashes(connection, sourceId, externalId, change);
      const isJoined = decision.kind === "joined" ||
        (decision.kind === "unchanged" && decision.untranslated === true);
      if (isJoined) writer.join(sourceId, publication, externalId);
      if (decision.kind === "translated") {
        writer.translate(sourceId, publication, { externalId, translated: decision });
      }
    }
    if (decision.kind === "record") writer.record(publication, stored, decision);
    return decision;
  });
  writer.finish();
  return decisions;
}

function recordRemovals(
  connection: Connection,
  sourceId: string,
  { seen, sinceMs, holder, decide }: Parameters<Store["recordRemovals"]>[1] & {
    decide: Parameters<Store["recordRemovals"]>[2];
  },
): RemovalDecision[] {
  requireLease(connection, sourceId, holder);
  const missing: MissingPublication[] = [];
  for (const { stored, missed } of presentPublications(connection, sourceId, sinceMs)) {
    if (!seen.has(stored.externalId)) missing.push({ stored, missed: missed + 1 });
    else if (missed > 0) keepMissed(connection, sourceId, { externalId: stored.externalId, missed: 0 });
  }
  const writer = new RecordWriter(connection);
  const decisions = decide(missing);
  for (const [at, { stored, missed }] of missing.entries()) {
    const { externalId, contentHash, textHash } = stored;
    const decision = decisions[at];
    if (decision?.kind === "missed") keepMissed(connection, sourceId, { externalId, missed });
    if (decision?.kind === "record") {
      const publication = { key: externalId, contentHash, ...(textHash === null ? {} : { textHash }) };
      writer.record(publication, stored, decision);
    }
  }
  writer.finish();
  return decisions;
}
