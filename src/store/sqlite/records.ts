// Writing records in SQLite: a version of a publication, a language that comes later, who is told of it.
import { type RegEvent, withTranslation } from "../../domain/event.ts";
import { severityRank } from "../../domain/severity.ts";
import type { PublicationKey, RecordDecision, StoredPublication } from "../../domain/store.ts";
import type { Connection } from "./connection.ts";
import { tagName, TagWriter } from "./event_tags.ts";
import { asciiJson, servedBySeq } from "./served.ts";

type Recording = Extract<RecordDecision, { kind: "record" }>;
type Translating = Extract<RecordDecision, { kind: "translated" }>;

/** Writes the records of one transaction. */
export class RecordWriter {
  readonly #tags: TagWriter;
  readonly #words: { seq: number; text: string }[] = [];

  constructor(readonly connection: Connection) {
    this.#tags = new TagWriter(connection);
  }

  /** Writes a version; `stored` is the publication as it was found, null when it is new. */
  record(
    publication: PublicationKey,
    stored: StoredPublication | null,
    { event, provenance, notify }: Recording,
  ): void {
    const inserted = this.connection.get(
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
    this.#tags.add(event, seq);
    this.#words.push({ seq, text: joined(textsOf(event)) });
    this.#keepPublication(publication, stored, { event, seq });
    if (notify !== false) tell(this.connection, { event, seq, waits: notify === "after_fetch" });
  }

  /** Adds a language to the newest record of a publication. */
  translate(
    sourceId: string,
    { language, textHash }: PublicationKey,
    { externalId, translated }: { externalId: string; translated: Translating },
  ): void {
    if (language === undefined || textHash === undefined) throw new Error("a translation has a language");
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
    this.#tags.addName(after, { seq, name: tagName("language", language) });
    this.#changeWords(seq);
    keepLanguage(this.connection, sourceId, { externalId, language, textHash });
  }

  /** Writes what is written once for all; nothing is recorded after it. */
  finish(): void {
    this.#tags.finish();
    // At the end and together: the full-text index writes what it has gathered before each statement that may need to
    // be undone by itself, which most others are.
    for (const { seq, text } of this.#words) {
      this.connection.run("insert into event_words (rowid, words) values (?, ?)", seq, text);
    }
  }

  /** The index holds no texts of its own: what goes out of it is told to it. */
  #changeWords(seq: number): void {
    const own: RegEvent = JSON.parse(
      String(this.connection.get("select json from events where seq = ?", seq)?.["json"]),
    );
    const later = this.connection.all(
      "select title, summary from event_translations where event_seq = ? order by seq",
      seq,
    ).map((row) => [String(row["title"]), String(row["summary"])]);
    const text = joined([...textsOf(own), ...later.flat()]);
    const waiting = this.#words.find((entry) => entry.seq === seq);
    if (waiting !== undefined) {
      waiting.text = text;
      return;
    }
    this.connection.run(
      "insert into event_words (event_words, rowid, words) values ('delete', ?, ?)",
      seq,
      joined([...textsOf(own), ...later.slice(0, -1).flat()]),
    );
    this.#words.push({ seq, text });
  }

  #keepPublication(
    publication: PublicationKey,
    stored: StoredPublication | null,
    { event, seq }: { event: RegEvent; seq: number },
  ): void {
    // A revision in another language leaves that by which the publication's first language is known.
    const isOwn = stored === null || publication.language === undefined ||
      publication.language === event.language || stored.externalId !== event.external_id;
    const contentHash = isOwn ? publication.contentHash : stored.contentHash;
    const textHash = isOwn ? publication.textHash ?? null : stored.textHash;
    const withdrawn = event.status === "withdrawn" ? 1 : 0;
    this.connection.run(
      `insert into publications (source_id, key, external_id, content_hash, text_hash, version, latest_seq, withdrawn)
       values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (source_id, key) do update
       set external_id = excluded.external_id, content_hash = excluded.content_hash, text_hash = excluded.text_hash,
         sighted_hash = null, version = excluded.version, latest_seq = excluded.latest_seq,
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
         set content_hash = ?, text_hash = ?, sighted_hash = null, version = ?, latest_seq = ?, withdrawn = ?,
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
    const { language, textHash: words } = publication;
    if (language !== undefined && words !== undefined) {
      keepLanguage(this.connection, event.source_id, {
        externalId: event.external_id,
        language,
        textHash: words,
      });
    }
  }
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

/** Lets a record wait to be matched: at once, or where an earlier version of it waits, behind that. */
function tell(
  connection: Connection,
  { event, seq, waits }: { event: RegEvent; seq: number; waits: boolean },
): void {
  const before = event.version === 1 ? undefined : connection.get(
    // A flood stands behind what only waits for its fetch in the alphabet: one version of a flood holds all.
    `select max(reason) as reason from held_events
     where event_seq in (select seq from events where source_id = ? and external_id = ?)`,
    event.source_id,
    event.external_id,
  );
  const reason = before?.["reason"] as string | null | undefined ?? (waits ? "fetch" : null);
  if (reason === null) {
    connection.run("insert into event_outbox (event_seq) values (?)", seq);
    return;
  }
  connection.run(
    "insert into held_events (event_seq, source_id, reason) values (?, ?, ?)",
    seq,
    event.source_id,
    reason,
  );
}

function joined(texts: readonly string[]): string {
  return texts.filter((text, at) => texts.indexOf(text) === at).join("\n");
}

/** Title and summary in every language. */
function textsOf(event: RegEvent): string[] {
  const words = Object.values(event.translations).flatMap(({ title, summary }) => [title, summary]);
  return [event.title_en, event.summary_en, ...words];
}
