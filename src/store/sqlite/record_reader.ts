// The JSON of event records as they are served, by their places; that of the newest comes from memory.
import type { Connection } from "./connection.ts";
import { SERVED_JSON } from "./served.ts";

/** Most lists are of what is new: so many of the last stored records are kept once they were read. */
const KEPT_RECORDS = 10_000;
/** What they take at most, bytes; their JSON is ASCII, one byte a character. */
const KEPT_BYTES = 24 * 1024 * 1024;

/** Reads records; one for a connection. */
export class RecordReader {
  readonly #kept = new Map<number, string>();
  #bytes = 0;
  /** The last stored place that was read. */
  #last = 0;
  /** The language up to which the kept records are served: a record changes by a language that comes later, alone. */
  #language = 0;

  constructor(readonly connection: Connection) {}

  /** Whether the record at this place is one of those that are kept once they were read. */
  isKept(seq: number): boolean {
    return seq > this.#last - KEPT_RECORDS;
  }

  /** The JSON of the records at these places (`seq`), each in its turn; there must be one at each. */
  read(seqs: readonly number[]): string[] {
    if (seqs.length === 0) return [];
    this.#forgetTranslated();
    const missing = seqs.filter((seq) => !this.#kept.has(seq));
    if (missing.length === 0) return seqs.map((seq) => this.#kept.get(seq) ?? "");
    const rows = this.connection.all(
      `select seq, ${SERVED_JSON} from events where seq in (select value from json_each(?))`,
      JSON.stringify(missing),
    );
    const found = new Map(rows.map((row) => [Number(row["seq"]), String(row["json"])]));
    const texts = seqs.map((seq) => found.get(seq) ?? this.#kept.get(seq) ?? "");
    for (const [seq, json] of found) this.#keep(seq, json);
    return texts;
  }

  #forgetTranslated(): void {
    const rows = this.connection.all(
      "select seq, event_seq from event_translations where seq > ? order by seq",
      this.#language,
    );
    for (const row of rows) {
      this.#language = Number(row["seq"]);
      this.#forget(Number(row["event_seq"]));
    }
  }

  #keep(seq: number, json: string): void {
    if (seq > this.#last) this.#last = seq;
    if (!this.isKept(seq)) return;
    this.#kept.set(seq, json);
    this.#bytes += json.length;
    if (this.#bytes <= KEPT_BYTES && this.#kept.size <= KEPT_RECORDS) return;
    // The older half goes at once: to look for the oldest one each time would cost as much as to read it.
    const seqs = [...this.#kept.keys()].sort((a, b) => a - b);
    for (const old of seqs.slice(0, seqs.length >> 1)) this.#forget(old);
  }

  #forget(seq: number): void {
    this.#bytes -= this.#kept.get(seq)?.length ?? 0;
    this.#kept.delete(seq);
  }
}
