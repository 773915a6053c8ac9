// Builds an item from the fields that rules extract, in any format.
import { readDateAs } from "../../../domain/source/date_format.ts";
import type { FieldRules, ItemField } from "../../../domain/source/extraction_rules.ts";
import type { ParsedItem } from "../parsed.ts";
import { escapeText } from "./scan_xml.ts";
import { hasTag } from "./tags.ts";

/** Returns the non-empty values that one of a field's rules finds. Titles and summaries are HTML markup. */
export type Find = (rule: string, field: ItemField) => string[];

export const EMPTY_ITEM: Readonly<ParsedItem> = {
  ...{ guid: null, link: null, title: null, summary: null, publishedText: null, updatedText: null },
  ...{ categories: [], authors: [], language: null, baseUrl: null },
};

/** Returns the item that the rules find, or null if its id, link, title and summary are all missing. */
export function itemFrom(
  fields: FieldRules,
  dateFormat: string | null,
  find: Find,
): ParsedItem | null {
  const all = (field: ItemField): string[] => {
    for (const rule of fields[field] ?? []) {
      const values = find(rule, field);
      if (values.length > 0) return values;
    }
    return [];
  };
  const first = (field: ItemField): string | null => all(field)[0] ?? null;
  const date = (field: ItemField): string | null => {
    const text = first(field);
    return text === null || dateFormat === null ? text : readDateAs(text, dateFormat) ?? text;
  };
  const item: ParsedItem = {
    ...EMPTY_ITEM,
    guid: first("id"),
    link: first("link"),
    title: first("title"),
    summary: first("summary"),
    publishedText: date("published"),
    updatedText: date("updated"),
    categories: all("categories"),
    language: first("language"),
  };
  const isEmpty = item.guid === null && item.link === null && item.title === null && item.summary === null;
  return isEmpty ? null : item;
}

/** Returns a value as HTML markup, escaped unless it has tags. */
export function markup(text: string): string {
  return hasTag(text) ? text : escapeText(text);
}
