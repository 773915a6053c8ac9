// Reading a document on another thread: what is asked of it. What is done there lies in reading_tasks.ts, with all it needs.
import type { Additions } from "../domain/classification.ts";
import type { SecondThread } from "../domain/ports.ts";
import type { ContentsPart, ContentsRequest, ReadItem } from "./contents.ts";
import type { NormalisedItem } from "./normalise/item.ts";
import type { ReadElsewhere } from "./read.ts";

/** What the thread is asked: a document, and what the config adds to the rules of its classification. */
export interface ReadCall {
  request: ContentsRequest;
  additions: Additions;
}

/** Its name. */
export const READ = "read";

/** A part as it is sent: its items by columns, for to copy each as an object of objects costs twice as much. */
export type SentPart =
  | Exclude<ContentsPart, { kind: "items" }>
  | { kind: "columns"; columns: ItemColumns; refused: Extract<ReadItem, { ok: false }>[] };

/** Items that could be read: what each column holds at one place belongs to one of them. */
type ItemColumns =
  & {
    [name in Exclude<keyof NormalisedItem, "isHomeless">]: NormalisedItem[name][];
  }
  & { isHomeless: boolean[]; contentHash: string[]; textHash: string[]; notes: (readonly string[])[] };

/** A part for sending. Those of its items that were refused come after the others. */
export function packPart(part: ContentsPart): SentPart {
  if (part.kind !== "items") return part;
  const read = part.items.filter((one) => one.ok);
  const items = read.map(({ item }) => item);
  return {
    kind: "columns",
    columns: {
      guid: items.map(({ guid }) => guid),
      link: items.map(({ link }) => link),
      isHomeless: items.map(({ isHomeless }) => isHomeless === true),
      title: items.map(({ title }) => title),
      summary: items.map(({ summary }) => summary),
      publishedAtMs: items.map(({ publishedAtMs }) => publishedAtMs),
      updatedAtMs: items.map(({ updatedAtMs }) => updatedAtMs),
      language: items.map(({ language }) => language),
      categories: items.map(({ categories }) => categories),
      contentHash: read.map(({ hashes }) => hashes.contentHash),
      textHash: read.map(({ hashes }) => hashes.textHash),
      notes: read.map(({ notes }) => notes),
    },
    refused: part.items.filter((one) => !one.ok),
  };
}

/** The part that was sent. */
export function unpackPart(part: SentPart): ContentsPart {
  if (part.kind !== "columns") return part;
  const { columns, refused } = part;
  const items = columns.title.map((title, at): ReadItem => ({
    ok: true,
    item: {
      guid: columns.guid[at] ?? null,
      link: columns.link[at] as string,
      ...(columns.isHomeless[at] === true ? { isHomeless: true } : {}),
      title,
      summary: columns.summary[at] as string,
      publishedAtMs: columns.publishedAtMs[at] ?? null,
      updatedAtMs: columns.updatedAtMs[at] ?? null,
      language: columns.language[at] ?? null,
      categories: columns.categories[at] as string[],
    },
    hashes: { contentHash: columns.contentHash[at] as string, textHash: columns.textHash[at] as string },
    notes: columns.notes[at] as readonly string[],
  }));
  return { kind: "items", items: [...items, ...refused] };
}

/** Reads documents on the thread, with the rules that are in force. */
export function readOn(thread: SecondThread, additions: Additions): ReadElsewhere {
  return (request, take) => {
    const call: ReadCall = { request, additions };
    return thread.call(READ, call, (part) => take(unpackPart(part as SentPart)));
  };
}
