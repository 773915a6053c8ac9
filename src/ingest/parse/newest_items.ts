// Limits the items taken from a document: if it has too many, the newest are kept, whatever their order.
import { parseDate } from "../normalise/dates.ts";
import type { ParsedDocument, ParsedItem } from "./parsed.ts";

/** How a document's items are chosen. */
export interface NewestOptions {
  /** Taken at most. */
  maxItems: number;
  /** In which dates are meant that name no zone (IANA). */
  timezone: string;
}

/**
 * The document with no more than `maxItems` items, in their order, and how many it is without. Those with the latest
 * dates are kept; an item without one counts as old as the one before it, because lists are mostly in the order of
 * time. Where there are no dates at all, the first are kept: most lists begin with what is new.
 */
export function keepNewest(document: ParsedDocument, options: NewestOptions): ParsedDocument {
  const { items, problems } = document;
  const { maxItems } = options;
  if (items.length <= maxItems) return document;
  const places = datesOf(items, options).map((dateMs, place) => ({ dateMs, place }));
  const isDated = places.some(({ dateMs }) => dateMs !== Infinity);
  places.sort((a, b) => (a.dateMs === b.dateMs ? 0 : b.dateMs - a.dateMs) || a.place - b.place);
  const kept = new Set(places.slice(0, maxItems).map(({ place }) => place));
  const which = isDated ? "newest" : "first";
  const reason = `${
    items.length - maxItems
  } of its ${items.length} items are left out: only the ${which} ${maxItems} of a document are read`;
  return {
    ...document,
    items: items.filter((_, place) => kept.has(place)),
    problems: [{ item: "document", reason, isMeant: true }, ...problems],
  };
}

/** Each item's date; without one, that of the item before it, and at the beginning the latest that there is. */
function datesOf(items: readonly ParsedItem[], { timezone }: NewestOptions): number[] {
  let beforeMs = Infinity;
  return items.map(({ publishedText, updatedText }) => {
    const stated = [publishedText, updatedText].map((text) =>
      text === null ? null : parseDate(text, { timezone })
    );
    beforeMs = stated.find((ms) => ms !== null) ?? beforeMs;
    return beforeMs;
  });
}
