// Publications in SQLite: their identities, and the state of their newest version.
import type { RegEvent } from "../../../domain/event/event.ts";
import type { HashChange } from "../../../domain/plans/publication_hashes.ts";
import type { PublicationKey, StoredPublication } from "../../../domain/ports/store/publications.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { SERVED_JSON } from "./served_record.ts";
import { sql } from "../connection/sql.ts";

/**
 * Maximum number of additional identities of a publication, so that a feed with new ids in each fetch cannot fill the
 * disk. The oldest are removed, and the content still identifies the publication.
 */
const MAX_RENAMINGS = 8;

const PUBLICATION_COLUMNS = sql`
  external_id, content_hash, text_hash, pending_hash, date_moves, version, withdrawn,
  (select ${SERVED_JSON} from events where seq = publications.latest_seq) as json,
  (select json_group_array(json_array(ordinal, key))
    from publications as known indexed by publications_by_external_id
    where known.source_id = publications.source_id and known.external_id = publications.external_id) as keys,
  (select json_group_array(json_array(language, text_hash)) from publication_languages as known
    where known.source_id = publications.source_id
      and known.external_id = publications.external_id) as languages`;

/** Finds a publication by key, then by content, then by content without dates, and finally by alias. */
export function findPublication(
  connection: Connection,
  sourceId: string,
  { key, contentHash, textHash, formerKeys }: PublicationKey,
): StoredPublication | null {
  // One statement, because most lookups find nothing. A part runs only if those before it find nothing.
  const row = connection.get(
    sql`select 'key' as found_by, ${PUBLICATION_COLUMNS} from publications
      where source_id = ${sourceId} and key = ${key} union all select 'content', ${PUBLICATION_COLUMNS}
      from publications indexed by publications_by_content
      where source_id = ${sourceId} and content_hash = ${contentHash}
      union all select 'text', ${PUBLICATION_COLUMNS} from publications indexed by publications_by_text
      where source_id = ${sourceId} and text_hash = ${textHash ?? null} limit 1`,
  );
  if (row !== undefined) return publicationFromRow(row);
  for (const former of formerKeys ?? []) {
    const known = connection.get(
      sql`select 'alias' as found_by, ${PUBLICATION_COLUMNS} from publications
        where source_id = ${sourceId} and key = ${former}`,
    );
    if (known !== undefined) return publicationFromRow(known);
  }
  return null;
}

/** Returns a source's publications that are dated `sinceMs` or later and not withdrawn, each with its missed count. */
export function presentPublications(
  connection: Connection,
  sourceId: string,
  sinceMs: number,
): { stored: StoredPublication; missed: number }[] {
  // Only the row of a publication's first identity has `key = external_id`.
  return connection.all(
    sql`select 'key' as found_by, ${PUBLICATION_COLUMNS}, missed from publications
     where source_id = ${sourceId} and key = external_id and withdrawn = 0
       and (select published_at from events where seq = latest_seq) >= ${sinceMs}`,
  ).map((row) => ({
    stored: publicationFromRow(row),
    missed: Number(row["missed"]),
  }));
}

/** Saves how many consecutive complete fetches did not contain a publication. */
export function keepMissed(
  connection: Connection,
  sourceId: string,
  { externalId, missed }: { externalId: string; missed: number },
): void {
  connection.run(
    sql`update publications set missed = ${missed} where source_id = ${sourceId} and key = ${externalId}`,
  );
}

/** Reads a publication from a row with {@link PUBLICATION_COLUMNS} and `found_by`. */
function publicationFromRow(row: Row): StoredPublication {
  const keys: [ordinal: number, key: string][] = JSON.parse(String(row["keys"]));
  keys.sort(([one, key], [other, otherKey]) => one - other || (key < otherKey ? -1 : 1));
  let event: RegEvent | null = null;
  return {
    externalId: String(row["external_id"]),
    contentHash: String(row["content_hash"]),
    version: Number(row["version"]),
    foundBy: row["found_by"] as StoredPublication["foundBy"],
    textHash: row["text_hash"] as string | null,
    pendingHash: row["pending_hash"] as string | null,
    dateMoves: Number(row["date_moves"]),
    withdrawn: row["withdrawn"] === 1,
    renamings: keys.at(-1)?.[0] ?? 0,
    keys: keys.map(([, key]) => key),
    languages: new Map(JSON.parse(String(row["languages"]))),
    // Most decisions do not need the record, and parsing it is expensive.
    get event() {
      return event ??= JSON.parse(String(row["json"])) as RegEvent;
    },
  };
}

/** Adds a key to a publication. If it then has too many additional keys, removes the oldest of them. */
export function learnKey(
  connection: Connection,
  sourceId: string,
  { key, externalId }: { key: string; externalId: string },
): void {
  connection.run(
    sql`insert into publications (source_id, key, external_id, content_hash, text_hash, pending_hash,
        date_moves, version, latest_seq, withdrawn, ordinal) select source_id, ${key}, external_id,
        content_hash, text_hash, pending_hash, date_moves, version, latest_seq, withdrawn,
        (select max(ordinal) + 1 from publications as known indexed by publications_by_external_id
          where source_id = ${sourceId} and external_id = ${externalId})
      from publications indexed by publications_by_external_id
      where source_id = ${sourceId} and external_id = ${externalId} order by ordinal limit 1`,
  );
  connection.run(
    sql`delete from publications where source_id = ${sourceId} and key in (
       select key from publications indexed by publications_by_external_id
       where source_id = ${sourceId} and external_id = ${externalId} and key <> external_id
       order by ordinal desc limit -1 offset ${MAX_RENAMINGS})`,
  );
}

/** Saves changed hashes for every identity of a publication, without a new version. */
export function saveHashes(
  connection: Connection,
  sourceId: string,
  externalId: string,
  change: HashChange,
): void {
  const set = change.kind === "hashes"
    ? sql`content_hash = ${change.contentHash}, text_hash = coalesce(${change.textHash ?? null}, text_hash),
        pending_hash = null, date_moves = date_moves + ${change.dateMoves}`
    : change.kind === "pending"
    ? sql`pending_hash = ${change.contentHash}, date_moves = date_moves + 1`
    : sql`text_hash = ${change.textHash}`;
  connection.run(
    sql`update publications indexed by publications_by_external_id set ${set}
      where source_id = ${sourceId} and external_id = ${externalId}`,
  );
}
