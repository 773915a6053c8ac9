// Writes records in SQLite: versions, translations added later, and the events to match.
import { type RegEvent, withTranslation } from "../../../domain/event/event.ts";
import { severityRank } from "../../../domain/event/severity.ts";
import type {
  PublicationKey,
  RecordDecision,
  StoredPublication,
} from "../../../domain/ports/store/publications.ts";
import { planVersionHashes } from "../../../domain/plans/publication_hashes.ts";
import type { Connection } from "../connection/connection.ts";
import { IndexWriter } from "./event_index.ts";
import { asciiJson, servedBySeq } from "./served_record.ts";
import { sql } from "../connection/sql.ts";

type Recording = Extract<RecordDecision, { kind: "record" }>;
type Translating = Extract<RecordDecision, { kind: "translated" }>;

export class RecordWriter {
  readonly #index: IndexWriter;

  constructor(readonly connection: Connection) {
    this.#index = new IndexWriter(connection);
  }

  /** Writes a version of a publication. `stored` is null if the publication is new. */
  record(
    publication: PublicationKey,
    stored: StoredPublication | null,
    { event, provenance, notify }: Recording,
  ): void {
    const row = this.connection.get(
      sql`insert into events (id, source_id, external_id, version, severity, published_at, json, provenance)
        values (${event.id}, ${event.source_id}, ${event.external_id}, ${event.version},
          ${severityRank(event.severity)}, ${event.published_at}, ${asciiJson(event)},
          ${asciiJson(provenance)}) returning seq`,
    );
    this.connection.run(
      sql`update sources set event_count = event_count + 1 where id = ${event.source_id}`,
    );
    const seq = Number(row?.["seq"]);
    this.#index.add(event, seq);
    const translated = Object.values(provenance.other_languages ?? {});
    this.#keepUrls(event, [event.url_official, ...translated.map(({ url }) => url)]);
    this.#keepPublication(publication, stored, { event, seq });
    if (notify === false) return;
    const reason = this.#reasonBefore(event) ?? (notify === "after_fetch" ? "fetch" : null);
    this.connection.run(
      reason === null
        ? sql`insert into event_outbox (event_seq) values (${seq})`
        : sql`insert into quarantined_events (event_seq, source_id, reason)
          values (${seq}, ${event.source_id}, ${reason})`,
    );
  }

  translate(
    sourceId: string,
    { language, textHash }: PublicationKey,
    { externalId, translated }: { externalId: string; translated: Translating },
  ): void {
    if (language === undefined || textHash === undefined) {
      throw new Error("a translation must have a language");
    }
    const seq = Number(
      this.connection.get(
        sql`select latest_seq from publications where source_id = ${sourceId} and key = ${externalId}`,
      )?.["latest_seq"],
    );
    const before = servedBySeq(this.connection, seq);
    const after = withTranslation(before, language, translated.words);
    this.connection.run(
      sql`insert into event_translations (event_seq, language, title, summary, url, provenance, added_at)
        values (${seq}, ${language}, ${translated.words.title}, ${translated.words.summary},
          ${translated.url}, ${asciiJson(translated.provenance)}, ${translated.atMs})`,
    );
    this.connection.run(
      sql`insert into event_renderings (event_seq, json) values (${seq}, ${asciiJson(after)})
        on conflict (event_seq) do update set json = excluded.json`,
    );
    this.#index.change(seq, before, after);
    this.#keepUrls(after, [translated.url]);
    keepLanguage(this.connection, sourceId, { externalId, language, textHash });
  }

  /** Stores the hash of a translation that is already part of the recorded version. */
  join(sourceId: string, { language, textHash }: PublicationKey, externalId: string): void {
    if (language === undefined || textHash === undefined) {
      throw new Error("a joined text must have a language");
    }
    keepLanguage(this.connection, sourceId, { externalId, language, textHash });
  }

  finish(): void {
    // The index is written last, because FTS5 flushes pending rows before each statement that can be undone alone.
    this.#index.finish();
  }

  #keepUrls({ source_id, external_id }: RegEvent, urls: readonly string[]): void {
    for (const url of urls) {
      this.connection.run(
        sql`insert into publication_urls (url, source_id, external_id)
          values (${url}, ${source_id}, ${external_id}) on conflict do nothing`,
      );
    }
  }

  /** Returns why an earlier version is quarantined, or null if none is. Later versions must wait with it. */
  #reasonBefore(event: RegEvent): string | null {
    if (event.version === 1) return null;
    const before = this.connection.get(
      // 'spike' sorts after 'fetch', so one version in a spike keeps all later ones in quarantine.
      sql`select max(reason) as reason from quarantined_events
       where event_seq in (select seq from events where source_id = ${event.source_id}
         and external_id = ${event.external_id})`,
    );
    return before?.["reason"] as string | null | undefined ?? null;
  }

  #keepPublication(
    publication: PublicationKey,
    stored: StoredPublication | null,
    { event, seq }: { event: RegEvent; seq: number },
  ): void {
    const { source_id, external_id, version } = event;
    const { contentHash, textHash } = planVersionHashes(publication, stored, event);
    const withdrawn = event.status === "withdrawn" ? 1 : 0;
    this.connection.run(
      sql`insert into publications (source_id, key, external_id, content_hash, text_hash, version, latest_seq,
          withdrawn)
        values (${source_id}, ${publication.key}, ${external_id}, ${contentHash}, ${textHash}, ${version}, ${seq},
          ${withdrawn})
        on conflict (source_id, key) do update set external_id = excluded.external_id,
          content_hash = excluded.content_hash, text_hash = excluded.text_hash, pending_hash = null,
          version = excluded.version, latest_seq = excluded.latest_seq, withdrawn = excluded.withdrawn,
          ordinal = case when external_id = excluded.external_id then ordinal else 0 end`,
    );
    if (version > 1) {
      // Every identity of a publication refers to its newest version.
      this.connection.run(
        sql`update publications indexed by publications_by_external_id
          set content_hash = ${contentHash}, text_hash = ${textHash}, pending_hash = null,
            version = ${version}, latest_seq = ${seq}, withdrawn = ${withdrawn}, missed = 0
          where source_id = ${source_id} and external_id = ${external_id}`,
      );
    }
    const { language } = publication;
    if (language !== undefined && publication.textHash !== undefined) {
      const hash = publication.textHash;
      keepLanguage(this.connection, source_id, { externalId: external_id, language, textHash: hash });
    }
  }
}

function keepLanguage(
  connection: Connection,
  sourceId: string,
  { externalId, language, textHash }: { externalId: string; language: string; textHash: string },
): void {
  connection.run(
    sql`insert into publication_languages (source_id, external_id, language, text_hash)
      values (${sourceId}, ${externalId}, ${language}, ${textHash})
      on conflict (source_id, external_id, language) do update set text_hash = excluded.text_hash`,
  );
}
