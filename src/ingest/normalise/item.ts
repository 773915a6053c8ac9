// Normalises one item of a document to plain text, an absolute link and times in Unix ms.
import type { ParsedDocument, ParsedItem } from "../parse/document.ts";
import type { DatePrecision } from "../../domain/event/event.ts";
import { parseStatedDate, type StatedDate } from "./dates.ts";
import { languageCode } from "./language.ts";
import { absoluteUrl } from "./links.ts";
import { cutText, textFromMarkup } from "./text.ts";

const MAX_TITLE_CHARACTERS = 500;
const MAX_SUMMARY_CHARACTERS = 10_000;
/** Maximum length of a title that is taken from a summary. */
const MAX_MADE_TITLE_CHARACTERS = 200;
/** Maximum length of a guid. A longer one is ignored. */
const MAX_GUID_CHARACTERS = 1000;
const MAX_CATEGORIES = 50;
const MAX_CATEGORY_CHARACTERS = 200;
const MAX_QUOTE_CHARACTERS = 80;

export interface NormalisedItem {
  guid: string | null;
  /** Absolute http(s) URL; empty only if the item has none and the context has no base URL. */
  link: string;
  /** True if `link` is the publisher's site because the item has no link; absent otherwise. */
  hasNoLink?: true;
  /** One line, never empty. */
  title: string;
  /** Text with line breaks between blocks; may be empty. */
  summary: string;
  /** The date of publication, or else of the update, in Unix ms; null if none is stated. */
  publishedAtMs: number | null;
  /** The date of `publishedAtMs` as it is stated, `YYYY-MM-DD`. */
  publishedOn: string | null;
  /** The precision of `publishedAtMs`. */
  publishedPrecision: DatePrecision;
  updatedAtMs: number | null;
  /** ISO 639-1 code as stated by the item or the document; otherwise null. */
  language: string | null;
  categories: string[];
}

/** A normalised item with notes on invalid values, or the reason why it is refused. */
type ItemOutcome =
  | { ok: true; item: NormalisedItem; notes: string[] }
  /** `item` is the guid, the link, or a position such as "item 3". */
  | { ok: false; item: string; reason: string };

export interface ItemContext {
  document: ParsedDocument;
  /** The URL of the document, or null for a file. */
  documentUrl: string | null;
  /** Absolute URL of the publisher's site; empty for a document without a source. */
  baseUrl: string;
  /** IANA time zone of dates that state none. */
  timezone: string;
  /** The index of the item in the document. */
  position: number;
}

/** Normalises an item, or refuses one with neither title nor summary. A guid that is a URL can replace the link. */
export function normaliseItem(item: ParsedItem, context: ItemContext): ItemOutcome {
  const notes: string[] = [];
  const statedTitle = oneLine(textFromMarkup(item.title ?? ""));
  const summary = textFromMarkup(item.summary ?? "", { repeats: repeatsOf(item, statedTitle) });
  const title = statedTitle === "" ? firstSentence(summary) : cutText(statedTitle, MAX_TITLE_CHARACTERS);
  if (title === "") {
    return { ok: false, item: nameOf(item, context.position), reason: "it has neither title nor summary" };
  }
  if (statedTitle === "") notes.push("it has no title, so the first sentence of the summary is used");
  const guid = item.guid !== null && item.guid.length <= MAX_GUID_CHARACTERS ? item.guid : null;
  if (guid !== item.guid) {
    notes.push(`its guid is ignored because it is longer than ${MAX_GUID_CHARACTERS} characters`);
  }
  const updated = readDate(item.updatedText, context.timezone, notes);
  const link = linkOf(item, context, notes);
  if (link === null) notes.push("it has no valid link");
  const published = readDate(item.publishedText, context.timezone, notes) ?? updated;
  return {
    ok: true,
    item: {
      guid,
      link: link ?? context.baseUrl,
      ...(link === null ? { hasNoLink: true } : {}),
      title,
      summary: cutText(summary, MAX_SUMMARY_CHARACTERS),
      publishedAtMs: published?.atMs ?? null,
      publishedOn: published?.on ?? null,
      publishedPrecision: published?.precision ?? "time",
      updatedAtMs: updated?.atMs ?? null,
      language: languageCode(item.language) ?? languageCode(context.document.language),
      categories: categoriesOf(item),
    },
    notes,
  };
}

/** Returns the strings that an HTML summary may repeat. Drupal marks authors who have no verified account. */
function repeatsOf(item: ParsedItem, title: string): string[] {
  if (!item.summary?.startsWith("<")) return [];
  return [title, ...item.authors.flatMap((author) => [author, `${author} (not verified)`])];
}

function firstSentence(summary: string): string {
  const sentence = /^.{12,}?[.!?…](?=\s|$)/.exec(summary)?.[0] ?? /^.*/.exec(summary)?.[0] ?? "";
  return cutText(sentence, MAX_MADE_TITLE_CHARACTERS);
}

function nameOf(item: ParsedItem, position: number): string {
  return cutText(item.guid ?? item.link ?? `item ${position + 1}`, MAX_QUOTE_CHARACTERS);
}

function linkOf(item: ParsedItem, context: ItemContext, notes: string[]): string | null {
  const bases = [item.baseUrl, context.document.baseUrl, context.documentUrl, context.baseUrl];
  const stated = item.link === null ? null : absoluteUrl(item.link, ...bases);
  if (stated !== null) return stated;
  if (item.link !== null) notes.push(`its link is not valid: ${quote(item.link)}`);
  return item.guid !== null && /^https?:/i.test(item.guid) ? absoluteUrl(item.guid) : null;
}

function readDate(text: string | null, timezone: string, notes: string[]): StatedDate | null {
  if (text === null) return null;
  const date = parseStatedDate(text, { timezone });
  if (date === null) notes.push(`date not recognised: ${quote(text)}`);
  return date;
}

function categoriesOf(item: ParsedItem): string[] {
  if (item.categories.length === 0) return [];
  const names = item.categories.slice(0, MAX_CATEGORIES)
    .map((name) => cutText(oneLine(textFromMarkup(name)), MAX_CATEGORY_CHARACTERS));
  return [...new Set(names)].filter((name) => name !== "");
}

function oneLine(text: string): string {
  return text.includes("\n") ? text.replaceAll("\n", " ") : text;
}

function quote(text: string): string {
  return `"${cutText(text, MAX_QUOTE_CHARACTERS)}"`;
}
