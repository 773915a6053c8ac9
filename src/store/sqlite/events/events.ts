// Events and publications in SQLite: recording and finding.
import type { EventPosition } from "../../../domain/ports/store/events.ts";
import type { Store } from "../../../domain/ports/store/store.ts";
import type {
  MissingPublication,
  PublicationKey,
  RecordDecision,
  RemovalDecision,
  StoredPublication,
} from "../../../domain/ports/store/publications.ts";
import { isOfPublication, planHashes } from "../../../domain/plans/publication_state.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { listEvents } from "./event_list.ts";
import { requireLease } from "../sources/leases.ts";
import { PublicationBatch } from "./publication_batch.ts";
import {
  keepHashes,
  keepMissed,
  keepPendingChange,
  keepTextHash,
  learnKey,
  presentPublications,
} from "./publications.ts";
import { RecordWriter } from "./records.ts";
import { SERVED_JSON } from "./served_record.ts";

type EventMethods =
  | "recordPublications"
  | "previewPublications"
  | "recordRemovals"
  | "listEvents"
  | "findEvent"
  | "findPosition"
  | "lastPosition"
  | "recordsState"
  | "listVersions";

type Decide<T> = (publication: T, stored: StoredPublication | null) => RecordDecision;

/** The part of the port that concerns events. */
export function createEvents(
  connection: Connection,
): Pick<Store, EventMethods> {
  return {
    recordPublications: (sourceId, publications, decide, holder) =>
      Promise.resolve(connection.transaction("durable", () => {
        requireLease(connection, sourceId, holder);
        return recordAll(connection, sourceId, publications, decide);
      })),

    previewPublications: (sourceId, publications, decide) =>
      Promise.resolve(connection.preview(() => recordAll(connection, sourceId, publications, decide))),

    recordRemovals: (sourceId, fetch, decide) =>
      Promise.resolve(
        connection.transaction("durable", () => recordRemovals(connection, sourceId, { ...fetch, decide })),
      ),

    listEvents: (query) => Promise.resolve(connection.reading(() => listEvents(connection, query))),

    findEvent: (id) => Promise.resolve(connection.reading(() => findEvent(connection, id))),

    findPosition: (id) =>
      Promise.resolve(connection.reading(() => positionOf(connection.get(POSITION_SQL, id)))),

    lastPosition: () =>
      Promise.resolve(connection.reading(() => positionOf(connection.get(LAST_POSITION_SQL)))),

    recordsState: createRecordsState(connection),

    listVersions: (id, { latest = -1, beforeId = null } = {}) =>
      Promise.resolve(
        connection.all(
          `select ${SERVED_JSON} from events where (source_id, external_id) =
             (select source_id, external_id from events where id = ?)
             and (? is null or version < (select version from events as other where id = ?
               and (other.source_id, other.external_id) = (events.source_id, events.external_id)))
           order by version desc limit ?`,
          id,
          beforeId,
          beforeId,
          latest,
        ).map((row) => String(row["json"])).reverse(),
      ),
  };
}

function createRecordsState(connection: Connection): Store["recordsState"] {
  let known = { nowMs: -1, transactions: -1, state: "" };
  return (nowMs) => {
    connection.mustBeOpen();
    if (nowMs === known.nowMs && connection.transactions === known.transactions) {
      return Promise.resolve(known.state);
    }
    const row = connection.reading(() => connection.get(STATE_SQL));
    known = { nowMs, transactions: connection.transactions, state: String(row?.["state"]) };
    return Promise.resolve(known.state);
  };
}

const POSITION_SQL = "select id, seq, published_at from events where id = ?";
const LAST_POSITION_SQL =
  "select id, seq, published_at from events where seq = (select max(seq) from events)";
const STATE_SQL = `
  select (select ifnull(max(seq), 0) from events) || '.' ||
    (select ifnull(max(seq), 0) from event_translations) as state`;

/** An event with languages that were added later has a rendering; most events have neither. */
const FOUND_SQL = `
  select ifnull(event_renderings.json, events.json) as json, provenance,
    case when event_seq is null then '[]' else (
      select json_group_array(json_object('language', language, 'url', url, 'added_at', added_at,
        'provenance', json(provenance)))
      from (select * from event_translations where event_seq = events.seq order by language)
    ) end as later
  from events left join event_renderings on event_seq = events.seq where events.id = ?`;

function findEvent(connection: Connection, id: string): Awaited<ReturnType<Store["findEvent"]>> {
  const row = connection.get(FOUND_SQL, id);
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

function recordAll<T extends PublicationKey>(
  connection: Connection,
  sourceId: string,
  publications: readonly T[],
  decide: Decide<T>,
): RecordDecision[] {
  const writer = new RecordWriter(connection);
  const batch = new PublicationBatch(connection, sourceId, publications, () => writer.flush());
  const decisions = publications.map((publication, position) => {
    const stored = batch.find(position);
    const decision = decide(publication, stored);
    if (stored !== null && isOfPublication(decision, stored)) {
      if (stored.foundBy !== "key") {
        learnKey(connection, sourceId, { key: publication.key, externalId: stored.externalId });
        batch.noteChange();
      }
      if (saveHashes(connection, sourceId, { publication, stored, decision })) batch.noteChange();
    }
    if (decision.kind === "record") {
      writer.record(publication, stored, decision);
      if (stored === null && decision.event.version === 1) batch.noteNew(publication);
      else batch.noteChange();
    }
    if (decision.kind === "translated" && stored !== null) {
      writer.translate(sourceId, publication, { externalId: stored.externalId, translated: decision });
      batch.noteChange();
    }
    const isJoined = decision.kind === "joined" ||
      (decision.kind === "unchanged" && decision.untranslated === true);
    if (isJoined && stored !== null) {
      writer.join(sourceId, publication, stored.externalId);
      batch.noteChange();
    }
    return decision;
  });
  writer.finish();
  return decisions;
}

/** Stores a change of hashes without a new version; false when there is none. */
function saveHashes(
  connection: Connection,
  sourceId: string,
  { publication, stored, decision }: {
    publication: PublicationKey;
    stored: StoredPublication;
    decision: RecordDecision;
  },
): boolean {
  const { externalId } = stored;
  const change = planHashes(publication, stored, decision);
  if (change === null) return false;
  if (change.kind === "hashes") keepHashes(connection, sourceId, { externalId, ...change });
  else if (change.kind === "pending") keepPendingChange(connection, sourceId, { externalId, ...change });
  else keepTextHash(connection, sourceId, { externalId, ...change });
  return true;
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
