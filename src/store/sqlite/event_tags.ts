// Tags of events in SQLite: what a list can be narrowed by, each with how many events have it.
import type { RegEvent } from "../../domain/event.ts";
import { severityRank } from "../../domain/severity.ts";
import type { Connection } from "./connection.ts";
import { insertRows, rowInsert } from "./many_rows.ts";

/** The tag's name of a value: "topic:gpai". */
export function tagName(
  kind: "source" | "severity" | "topic" | "type" | "article" | "language",
  value: string,
): string {
  return `${kind}:${value}`;
}

/** Every tag of an event, each once; a reference has those of all that it lies in: `Art. 50(2)` that of `Art. 50`. */
export function tagsOf(event: RegEvent): Set<string> {
  const tags = new Set([
    tagName("source", event.source_id),
    tagName("severity", String(severityRank(event.severity))),
    tagName("type", event.event_type),
  ]);
  for (const topic of event.topics) tags.add(tagName("topic", topic));
  for (const language of event.language_versions) tags.add(tagName("language", language));
  for (const reference of event.ai_act_articles) {
    for (let whole = reference;; whole = whole.slice(0, whole.lastIndexOf("("))) {
      tags.add(tagName("article", whole));
      if (!whole.endsWith(")")) break;
    }
  }
  return tags;
}

const INSERT_TAGS = rowInsert("insert into event_tags (tag_id, published_at, event_id, event_seq)", 4);

/** A tag of an event. */
type TagRow = [tagId: number, publishedAt: number, eventId: string, eventSeq: number];

/** Writes the tags of the events of one transaction, with their counts, once at its end. */
export class TagWriter {
  /** Ids of this transaction only: were it rolled back, they would be nobody's. */
  readonly #ids = new Map<string, number>();
  /** By tag, so that neighbours are written one after the other. */
  readonly #rows = new Map<number, TagRow[]>();

  constructor(readonly connection: Connection) {}

  /** Takes the tags of a stored event. */
  add(event: RegEvent, seq: number): void {
    for (const name of tagsOf(event)) this.addName(event, { seq, name });
  }

  /** Takes one tag that a stored event does not have yet. */
  addName(event: Pick<RegEvent, "id" | "published_at">, { seq, name }: { seq: number; name: string }): void {
    const id = this.#idOf(name);
    const row: TagRow = [id, event.published_at, event.id, seq];
    const rows = this.#rows.get(id);
    if (rows === undefined) this.#rows.set(id, [row]);
    else rows.push(row);
  }

  /** Writes everything; nothing is added after it. */
  finish(): void {
    insertRows(this.connection, INSERT_TAGS, [...this.#rows.values()].flat());
    for (const [id, { length }] of this.#rows) {
      this.connection.run("update tags set events = events + ? where id = ?", length, id);
    }
  }

  #idOf(name: string): number {
    let id = this.#ids.get(name);
    if (id === undefined) {
      const known = this.connection.get("select id from tags where name = ?", name) ??
        this.connection.get("insert into tags (name) values (?) returning id", name);
      id = Number(known?.["id"]);
      this.#ids.set(name, id);
    }
    return id;
  }
}
