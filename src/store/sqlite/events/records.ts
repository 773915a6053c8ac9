// Writing records in SQLite: versions, languages that are added later, and the events to be matched.
import { type RegEvent, withTranslation } from "../../../domain/event/event.ts";
import { severityRank } from "../../../domain/event/severity.ts";
import type {
  PublicationKey,
  RecordDecision,
  StoredPublication,
} from "../../../domain/ports/store/publications.ts";
import { planVersionHashes } from "../../../domain/plans/publication_state.ts";
import type { Connection, Value } from "../connection/connection.ts";
import { IndexWriter } from "./event_index.ts";
import { insertRows, type RowInsert, rowInsert } from "../connection/many_rows.ts";
import { asciiJson, servedBySeq } from "./served_record.ts";

type Recording = Extract<RecordDecision, { kind: "record" }>;
type Translating = Extract<RecordDecision, { kind: "translated" }>;

/** The inserts that a new publication may take. */
const EVENT = rowInsert(
  "insert into events (seq, id, source_id, external_id, version, severity, published_at, json, provenance)",
  9,
);
const PUBLICATION = rowInsert(
  `insert into publications (source_id, key, external_id, content_hash, text_hash, version, latest_seq, withdrawn)`,
  8,
);
const OUTBOX = rowInsert("insert into event_outbox (event_seq)", 1);
const HELD = rowInsert("insert into quarantined_events (event_seq, source_id, reason)", 3);

/** Writes the records of one transaction, the only writer of records. */
export class RecordWriter {
  readonly #index: IndexWriter;
  /** The last position that was assigned; null before the first. */
  #lastSeq: number | null = null;
  /** Rows to be written in bulk; tables that refer to events come after them. */
  readonly #waiting = new Map<RowInsert, Value[][]>([[EVENT, []], [PUBLICATION, []], [OUTBOX, []], [
    HELD,
    [],
  ]]);

  constructor(readonly connection: Connection) {
    this.#index = new IndexWriter(connection);
  }

  /**
   * Writes a version; `stored` is the publication as it was found, null when it is new. New rows may wait until {@link
   * flush}.
   */
  record(
    publication: PublicationKey,
    stored: StoredPublication | null,
    { event, provenance, notify }: Recording,
  ): void {
    const seq = this.#nextSeq();
    this.#add(EVENT, [
      seq,
      event.id,
      event.source_id,
      event.external_id,
      event.version,
      severityRank(event.severity),
      event.published_at,
      asciiJson(event),
      asciiJson(provenance),
    ]);
    this.#index.add(event, seq);
    const isNew = stored === null && event.version === 1;
    if (!isNew) this.flush();
    if (isNew) this.#addPublication(publication, { event, seq });
    else this.#keepPublication(publication, stored, { event, seq });
    if (notify === false) return;
    const reason = notify === "after_fetch" ? "fetch" : null;
    this.#notify(event, { seq, reason: (isNew ? null : this.#reasonBefore(event)) ?? reason });
  }

  /** Adds a language to the newest record of a publication. */
  translate(
    sourceId: string,
    { language, textHash }: PublicationKey,
    { externalId, translated }: { externalId: string; translated: Translating },
  ): void {
    if (language === undefined || textHash === undefined) throw new Error("a translation has a language");
    this.flush();
    const seq = Number(
      this.connection.get(
        "select latest_seq from publications where source_id = ? and key = ?",
        sourceId,
        externalId,
      )?.["latest_seq"],
    );
    const before = servedBySeq(this.connection, seq);
    const after = withTranslation(before, language, translated.words);
    this.connection.run(
      `insert into event_translations (event_seq, language, title, summary, url, provenance, added_at)
       values (?, ?, ?, ?, ?, ?, ?)`,
      seq,
      language,
      translated.words.title,
      translated.words.summary,
      translated.url,
      asciiJson(translated.provenance),
      translated.atMs,
    );
    this.connection.run(
      `insert into event_renderings (event_seq, json) values (?, ?)
       on conflict (event_seq) do update set json = excluded.json`,
      seq,
      asciiJson(after),
    );
    this.#index.change(seq, before, after);
    keepLanguage(this.connection, sourceId, { externalId, language, textHash });
  }

  /** Stores the hash of a language's text that an item of another language has recorded. */
  join(sourceId: string, { language, textHash }: PublicationKey, externalId: string): void {
    if (language === undefined || textHash === undefined) throw new Error("what is joined has a language");
    this.flush();
    keepLanguage(this.connection, sourceId, { externalId, language, textHash });
  }

  /** Writes the rows that wait, so that a query finds what was recorded. */
  flush(): void {
    for (const [insert, rows] of this.#waiting) insertRows(this.connection, insert, rows.splice(0));
  }

  /** Writes what is written once for all; nothing is recorded after it. */
  finish(): void {
    this.flush();
    // Last and together: FTS5 flushes its pending rows before each statement that can be rolled back by itself.
    this.#index.finish();
  }

  #add(insert: RowInsert, row: Value[]): void {
    this.#waiting.get(insert)?.push(row);
  }

  /** The position of the next record, as the table would number it: no record is ever removed. */
  #nextSeq(): number {
    this.#lastSeq ??= Number(this.connection.get("select max(seq) as last from events")?.["last"] ?? 0);
    return ++this.#lastSeq;
  }

  #addPublication(
    publication: PublicationKey,
    { event, seq }: { event: RegEvent; seq: number },
  ): void {
    this.#add(PUBLICATION, [
      event.source_id,
      publication.key,
      event.external_id,
      publication.contentHash,
      publication.textHash ?? null,
      event.version,
      seq,
      withdrawnOf(event),
    ]);
    keepOwnLanguage(this.connection, publication, event);
  }

  /** Queues a record to be matched, or quarantines it. */
  #notify(event: RegEvent, { seq, reason }: { seq: number; reason: string | null }): void {
    if (reason === null) this.#add(OUTBOX, [seq]);
    else this.#add(HELD, [seq, event.source_id, reason]);
  }

  /** Why an earlier version of the record is quarantined: later ones follow it. */
  #reasonBefore(event: RegEvent): string | null {
    if (event.version === 1) return null;
    const before = this.connection.get(
      // 'spike' sorts after 'fetch': one version of a spike holds all.
      `select max(reason) as reason from quarantined_events
       where event_seq in (select seq from events where source_id = ? and external_id = ?)`,
      event.source_id,
      event.external_id,
    );
    return before?.["reason"] as string | null | undefined ?? null;
  }

  #keepPublication(
    publication: PublicationKey,
    stored: StoredPublication | null,
    { event, seq }: { event: RegEvent; seq: number },
  ): void {
    const { contentHash, textHash } = planVersionHashes(publication, stored, event);
    const withdrawn = withdrawnOf(event);
    this.connection.run(
      `insert into publications (source_id, key, external_id, content_hash, text_hash, version, latest_seq, withdrawn)
       values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (source_id, key) do update
       set external_id = excluded.external_id, content_hash = excluded.content_hash, text_hash = excluded.text_hash,
         pending_hash = null, version = excluded.version, latest_seq = excluded.latest_seq,
         withdrawn = excluded.withdrawn,
         ordinal = case when external_id = excluded.external_id then ordinal else 0 end`,
      event.source_id,
      publication.key,
      event.external_id,
      contentHash,
      textHash,
      event.version,
      seq,
      withdrawn,
    );
    if (event.version > 1) {
      // A publication may be known under several identities: all of them lead to the newest version.
      this.connection.run(
        `update publications indexed by publications_by_external_id
         set content_hash = ?, text_hash = ?, pending_hash = null, version = ?, latest_seq = ?, withdrawn = ?,
           missed = 0
         where source_id = ? and external_id = ?`,
        contentHash,
        textHash,
        event.version,
        seq,
        withdrawn,
        event.source_id,
        event.external_id,
      );
    }
    keepOwnLanguage(this.connection, publication, event);
  }
}

function withdrawnOf(event: RegEvent): number {
  return event.status === "withdrawn" ? 1 : 0;
}

function keepOwnLanguage(
  connection: Connection,
  { language, textHash }: PublicationKey,
  { source_id, external_id }: RegEvent,
): void {
  if (language === undefined || textHash === undefined) return;
  keepLanguage(connection, source_id, { externalId: external_id, language, textHash });
}

function keepLanguage(
  connection: Connection,
  sourceId: string,
  { externalId, language, textHash }: { externalId: string; language: string; textHash: string },
): void {
  connection.run(
    `insert into publication_languages (source_id, external_id, language, text_hash) values (?, ?, ?, ?)
     on conflict (source_id, external_id, language) do update set text_hash = excluded.text_hash`,
    sourceId,
    externalId,
    language,
    textHash,
  );
}
