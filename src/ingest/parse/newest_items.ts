// Limits the items of a document. If there are too many, the newest are kept, regardless of their order.
import { parseDate } from "../normalise/dates.ts";
import type { ParsedDocument, ParsedItem } from "./parsed.ts";

/**
 * Limits a document to its newest `maxItems` items, in their original order. An undated item takes the date of the item
 * before it, because most lists are sorted by time. If no item has a date, the first items are kept. `timezone` is the
 * IANA time zone of dates that state none.
 */
export function keepNewest(
  document: ParsedDocument,
  { maxItems, timezone }: { maxItems: number; timezone: string },
): ParsedDocument {
  const { items, problems } = document;
  if (items.length <= maxItems) return document;
  const dates = datesOf(items, timezone).map((dateMs, at) => ({ dateMs, at }));
  const which = dates.some(({ dateMs }) => dateMs !== Infinity) ? "newest" : "first";
  dates.sort((a, b) => (a.dateMs === b.dateMs ? 0 : b.dateMs - a.dateMs) || a.at - b.at);
  const kept = new Set(dates.slice(0, maxItems).map(({ at }) => at));
  const reason = `only the ${which} ${maxItems} of its ${items.length} items are read`;
  return {
    ...document,
    items: items.filter((_, at) => kept.has(at)),
    problems: [{ item: "document", reason, isMeant: true }, ...problems],
  };
}

/** Returns the date of each item, or of the last dated item before it, in Unix ms; Infinity if neither exists. */
function datesOf(items: readonly ParsedItem[], timezone: string): number[] {
  let beforeMs = Infinity;
  return items.map(({ publishedText, updatedText }) => {
    const stated = [publishedText, updatedText].map((text) =>
      text === null ? null : parseDate(text, { timezone })
    );
    beforeMs = stated.find((ms) => ms !== null) ?? beforeMs;
    return beforeMs;
  });
}
