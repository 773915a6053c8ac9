// Splits the contents of a document into a list, so that the parse worker can send them in several messages.
import type { IdentifiedItem } from "../identify/identify.ts";
import type { DocumentContents } from "./parse_pipeline.ts";
import type { Classified } from "../revise/decide_revision.ts";

/** The document without its items, followed by its items. */
export type DocumentParts = [DocumentPart, ...ItemPart[]];

interface DocumentPart extends Omit<DocumentContents, "items" | "older" | "notes" | "classified"> {
  /** The number of items that are not older editions. They come first. */
  newest: number;
}

interface ItemPart {
  one: IdentifiedItem;
  twins: number[];
  notes: readonly string[];
  classified: Classified | undefined;
}

export function splitContents({ items, older, notes, classified, ...rest }: DocumentContents): DocumentParts {
  const all = [...items, ...older];
  const positions = new Map(all.map((one, position) => [one, position]));
  return [
    { ...rest, newest: items.length },
    ...all.map(({ twins = [], ...one }): ItemPart => ({
      one,
      twins: twins.flatMap((twin) => positions.get(twin) ?? []),
      notes: notes.get(one.item) ?? [],
      classified: classified.get(one.item),
    })),
  ];
}

export function joinContents([{ newest, ...rest }, ...parts]: DocumentParts): DocumentContents {
  const notes: DocumentContents["notes"] = new Map();
  const classified: DocumentContents["classified"] = new Map();
  const all = parts.map(({ one }) => one);
  for (const part of parts) {
    const { item } = part.one;
    if (part.twins.length > 0) part.one.twins = part.twins.flatMap((position) => all[position] ?? []);
    if (part.notes.length > 0) notes.set(item, part.notes);
    if (part.classified !== undefined) classified.set(item, part.classified);
  }
  return { ...rest, items: all.slice(0, newest), older: all.slice(newest), notes, classified };
}
