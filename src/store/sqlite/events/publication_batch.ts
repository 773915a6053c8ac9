// The publications of one batch in SQLite: looked up in bulk, with the results of separate look-ups.
import type { PublicationKey, StoredPublication } from "../../../domain/ports/store/publications.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { findPublication, PUBLICATION_COLUMNS, publicationFromRow } from "./publications.ts";

/** Publications per statement. */
const ASKED = 100;
/** Smaller batches are looked up one by one. */
const LEAST_ASKED = 8;

/** A way to find publications: by a column of theirs. */
interface Way {
  foundBy: StoredPublication["foundBy"];
  sql: string;
  /** The value to look for; null for none. */
  valueOf(publication: PublicationKey): string | null;
}

/** Values beyond those asked are null, which no row equals. A cross join: nothing but what is asked is looked for. */
function askBy(column: string, index: string): string {
  const asked = Array.from({ length: ASKED }, (_, position) => `(${position}, ?)`).join(", ");
  return `with asked (position, value) as (values ${asked})
    select position, ${PUBLICATION_COLUMNS} from asked cross join publications ${index}
    where source_id = ? and ${column} = asked.value`;
}

const BY_KEY = askBy("key", "");

const WAYS: readonly Way[] = [
  { foundBy: "key", sql: BY_KEY, valueOf: ({ key }) => key },
  {
    foundBy: "content",
    sql: askBy("content_hash", "indexed by publications_by_content"),
    valueOf: ({ contentHash }) => contentHash,
  },
  {
    foundBy: "text",
    sql: askBy("text_hash", "indexed by publications_by_text"),
    valueOf: ({ textHash }) => textHash ?? null,
  },
];

/** A batch within one transaction, the only writer of publications. */
export class PublicationBatch {
  /** The publications found at the start, by position; null where none was. */
  #found: (Row | null)[] | null = null;
  /** Keys and hashes that the batch has added meanwhile. */
  readonly #added = new Set<string>();

  constructor(
    readonly connection: Connection,
    readonly sourceId: string,
    readonly publications: readonly PublicationKey[],
    /** Writes what waits to be written; called before anything is looked up again. */
    readonly settle: () => void,
  ) {
    if (publications.length >= LEAST_ASKED) this.#found = this.#lookUp();
  }

  /** The result of {@link findPublication} for the publication at this position. */
  find(position: number): StoredPublication | null {
    const publication = this.publications[position] as PublicationKey;
    if (this.#found === null || this.#isAdded(publication)) {
      this.settle();
      return findPublication(this.connection, this.sourceId, publication);
    }
    const row = this.#found[position] ?? null;
    return row === null ? null : publicationFromRow(row);
  }

  /** Notes that this publication was stored as a new one, under this key alone. */
  noteNew({ key, contentHash, textHash }: PublicationKey): void {
    this.#added.add(key).add(contentHash);
    if (textHash !== undefined) this.#added.add(textHash);
  }

  /** Notes that a stored publication was changed: from now on they are looked up one by one. */
  noteChange(): void {
    this.#found = null;
  }

  #isAdded({ key, contentHash, textHash, formerKeys }: PublicationKey): boolean {
    const added = this.#added;
    return added.size > 0 &&
      (added.has(key) || added.has(contentHash) || (textHash !== undefined && added.has(textHash)) ||
        (formerKeys?.some((former) => added.has(former)) ?? false));
  }

  #lookUp(): (Row | null)[] {
    const found: (Row | null)[] = this.publications.map(() => null);
    const formers = Math.max(...this.publications.map(({ formerKeys }) => formerKeys?.length ?? 0));
    const ways = [...WAYS, ...Array.from({ length: formers }, (_, at) => byFormerKey(at))];
    for (const way of ways) this.#lookUpBy(way, found);
    return found;
  }

  /** Fills in those that are not found yet. */
  #lookUpBy({ foundBy, sql, valueOf }: Way, found: (Row | null)[]): void {
    const positions: number[] = [];
    const values: (string | null)[] = [];
    for (let position = 0; position < found.length; position++) {
      const value = found[position] === null ? valueOf(this.publications[position] as PublicationKey) : null;
      if (value === null) continue;
      positions.push(position);
      values.push(value);
    }
    while (values.length % ASKED > 0) values.push(null);
    for (let start = 0; start < values.length; start += ASKED) {
      for (const row of this.connection.all(sql, ...values.slice(start, start + ASKED), this.sourceId)) {
        const position = positions[start + Number(row["position"])] as number;
        if (found[position] !== null) continue; // of several the first one in the index
        row["found_by"] = foundBy;
        found[position] = row;
      }
    }
  }
}

function byFormerKey(at: number): Way {
  return { foundBy: "alias", sql: BY_KEY, valueOf: ({ formerKeys }) => formerKeys?.[at] ?? null };
}
