// The fields of an item that rules extract, in any format.
import { readDateAs } from "../../../domain/source/date_format.ts";
import type { FieldRules, ItemField } from "../../../domain/source/extraction_rules.ts";
import type { ParsedItem } from "../parsed.ts";
import { escapeText } from "./scan_xml.ts";
import { hasTag } from "./tags.ts";

/** Every value of one alternative of a field's rule, in order, empty ones left out; titles and summaries as HTML markup. */
export type Find = (rule: string, field: ItemField) => string[];

/** An item from what the rules find; null when they find nothing at all. */
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
    guid: first("id"),
    link: first("link"),
    title: first("title"),
    summary: first("summary"),
    publishedText: date("published"),
    updatedText: date("updated"),
    categories: all("categories"),
    authors: [],
    language: first("language"),
    baseUrl: null,
  };
  const isEmpty = item.guid === null && item.link === null && item.title === null && item.summary === null;
  return isEmpty ? null : item;
}

/** A value as HTML markup: as it is when it has tags, else escaped. */
export function markup(text: string): string {
  return hasTag(text) ? text : escapeText(text);
}
