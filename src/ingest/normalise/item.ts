// Normalises one item of a document: plain text, an absolute link, times in Unix ms.
import type { ParsedDocument, ParsedItem } from "../parse/document.ts";
import { parseDate } from "./dates.ts";
import { languageCode } from "./language.ts";
import { absoluteUrl } from "./links.ts";
import { cutText, textFromMarkup } from "./text.ts";

/** Characters of a title. */
export const MAX_TITLE_CHARACTERS = 500;
/** Characters of a summary. */
export const MAX_SUMMARY_CHARACTERS = 10_000;
/** Characters of a title that is made from a summary. */
export const MAX_MADE_TITLE_CHARACTERS = 200;
/** A longer guid identifies nothing. */
export const MAX_GUID_CHARACTERS = 1000;
/** Categories of one item, and characters of one. */
export const MAX_CATEGORIES = 50;
/** Of one category. */
export const MAX_CATEGORY_CHARACTERS = 200;
/** Characters of a stated value that a note repeats. */
const MAX_QUOTE_CHARACTERS = 80;

/** An item with plain text, an absolute link and times in Unix ms. */
export interface NormalisedItem {
  guid: string | null;
  /** Absolute http(s) address; empty only when nothing but the source could give one and the context has none. */
  link: string;
  /** Whether it has no link of its own, so that `link` is the publisher's site; absent otherwise. */
  hasNoLink?: true;
  /** One line, never empty. */
  title: string;
  /** Line breaks between blocks; may be empty. */
  summary: string;
  /** When it was published; when only an update is stated, as Atom allows, that. */
  publishedAtMs: number | null;
  updatedAtMs: number | null;
  /** ISO 639-1, as the item or else the document states it. */
  language: string | null;
  categories: string[];
}

/** A normalised item with what was odd about it, or why there is none. */
export type ItemOutcome =
  | { ok: true; item: NormalisedItem; notes: string[] }
  /** `item` is the best name that it has: its title, its guid, its link or "item 3". */
  | { ok: false; item: string; reason: string };

/** The context of an item. */
export interface ItemContext {
  document: ParsedDocument;
  /** Where the document came from; null for a file. */
  documentUrl: string | null;
  /** Absolute URL of the publisher's site; empty when a document is read by itself. */
  baseUrl: string;
  /** IANA time zone of dates that state none. */
  timezone: string;
  /** The index of the item in the document. */
  position: number;
}

/**
 * Makes a parsed item comparable and presentable. Without a title, the first sentence of the summary is the title; with
 * neither, the item is refused. Without a usable link, a guid that is an address is the link, else the publisher's
 * site: a publication without an address of its own is still a publication.
 */
export function normaliseItem(item: ParsedItem, context: ItemContext): ItemOutcome {
  const notes: string[] = [];
  const statedTitle = oneLine(textFromMarkup(item.title ?? ""));
  const summary = textFromMarkup(item.summary ?? "", { repeats: repeatsOf(item, statedTitle) });
  const title = statedTitle === "" ? firstSentence(summary) : cutText(statedTitle, MAX_TITLE_CHARACTERS);
  if (title === "") {
    return { ok: false, item: nameOf(item, context.position), reason: "it has neither title nor summary" };
  }
  if (statedTitle === "") notes.push("it has no title: the summary's first sentence is used");
  const guid = item.guid !== null && item.guid.length <= MAX_GUID_CHARACTERS ? item.guid : null;
  if (guid !== item.guid) {
    notes.push(`its guid is longer than ${MAX_GUID_CHARACTERS} characters and ignored`);
  }
  const updatedAtMs = readDate(item.updatedText, context.timezone, notes);
  const link = linkOf(item, context, notes);
  if (link === null) notes.push("it has no valid link");
  return {
    ok: true,
    item: {
      guid,
      link: link ?? context.baseUrl,
      ...(link === null ? { hasNoLink: true } : {}),
      title,
      summary: cutText(summary, MAX_SUMMARY_CHARACTERS),
      publishedAtMs: readDate(item.publishedText, context.timezone, notes) ?? updatedAtMs,
      updatedAtMs,
      language: languageCode(item.language) ?? languageCode(context.document.language),
      categories: categoriesOf(item),
    },
    notes,
  };
}

/** The prefix by which Drupal marks authors without a verified account. */
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

/** The item's own link; null without one. */
function linkOf(item: ParsedItem, context: ItemContext, notes: string[]): string | null {
  const bases = [item.baseUrl, context.document.baseUrl, context.documentUrl, context.baseUrl];
  const stated = item.link === null ? null : absoluteUrl(item.link, ...bases);
  if (stated !== null) return stated;
  if (item.link !== null) notes.push(`link not valid: ${quote(item.link)}`);
  return item.guid !== null && /^https?:/i.test(item.guid) ? absoluteUrl(item.guid) : null;
}

function readDate(text: string | null, timezone: string, notes: string[]): number | null {
  if (text === null) return null;
  const atMs = parseDate(text, { timezone });
  if (atMs === null) notes.push(`date not recognised: ${quote(text)}`);
  return atMs;
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
