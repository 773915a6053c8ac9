// Matches unknown items with known publications whose id has changed together with their URL or text.
import type { RegEvent } from "../../domain/event/event.ts";
import { trimEndOf } from "../../domain/trim_end.ts";
import { type IdentifiedItem, isSameButForQuery, isSameText } from "./identify.ts";
import { textsIn } from "./language_urls.ts";
import { cleanUrl } from "../normalise/links.ts";

/** Minimum length of a summary that is compared, in characters. Many publications may share a shorter one. */
const MIN_SUMMARY = 40;
/** How many of title, summary and date usually must match. */
const SHARED = 2;
/** If at least this many unknown items, and more than half of them, match by content, the site was rebuilt. */
const REBUILT_TOGETHER = 3;

export type KnownPublication = Pick<
  RegEvent,
  | "external_id"
  | "url_official"
  | "title_en"
  | "summary_en"
  | "published_at"
  | "published_at_precision"
  | "published_on"
  | "published_at_estimated"
  | "translations"
>;

interface DocumentItems {
  all: readonly IdentifiedItem[];
  fresh: readonly IdentifiedItem[];
  /** Whether the document is all that the source has, without further pages or days. */
  isAll?: boolean;
}

/** Lets other work run. Called between the small steps of a long computation. */
export type Pause = () => Promise<void>;

/** Finds the fresh items that are known publications. Returns the external ids of those publications. */
type FindKnown = (
  items: DocumentItems,
  known: readonly KnownPublication[],
  pause: Pause,
) => Promise<Map<IdentifiedItem, string>>;

/** Runs `find` for each language. `bareUrls` maps URLs to language-neutral ones; it is null for a single language. */
export async function findInLanguages(
  find: FindKnown,
  { all, fresh, isAll = false }: DocumentItems,
  { known, bareUrls, pause }: {
    known: readonly KnownPublication[];
    bareUrls: ReadonlyMap<string, string> | null;
    pause: Pause;
  },
): Promise<Map<IdentifiedItem, string>> {
  if (bareUrls === null || fresh.length === 0) return await find({ all, fresh, isAll }, known, pause);
  const neutral = (url: string) => bareUrls.get(url) ?? url;
  const freshItems = new Set(fresh);
  const found = new Map<IdentifiedItem, string>();
  for (const [language, items] of Map.groupBy(all, (one) => one.language)) {
    const originals = new Map(
      items.map((one) => [{ ...one, item: { ...one.item, link: neutral(one.item.link) } }, one]),
    );
    const copies = [...originals.keys()];
    const publications = new Map(known.map((one) => [
      one.external_id,
      { ...textsIn(one, language), url_official: neutral(one.url_official) },
    ]));
    const own = {
      all: copies,
      fresh: copies.filter((copy) => freshItems.has(originals.get(copy) as IdentifiedItem)),
      isAll,
    };
    for (const [copy, externalId] of await find(own, [...publications.values()], pause)) {
      const publication = publications.get(externalId) as KnownPublication;
      // If a publication has no translation, a list may show it under its title in another language.
      const isTranslated = Object.hasOwn(publication.translations, language ?? "");
      if (isTranslated || isSameText(copy.item.title, publication.title_en)) {
        found.set(originals.get(copy) as IdentifiedItem, externalId);
      }
    }
  }
  return found;
}

/**
 * Returns the external ids of the known publications that fresh items are editions of. An item and a publication match
 * if they alone share a URL, and two of title, summary and date are equal. One of the three is enough if the document
 * still lists older items, because the publication was then replaced rather than dropped. If only the URL's path is the
 * same, the title and one of the other two must be equal. If the path differs too, all three must be equal, and the
 * document must list everything. In doubt, items stay separate, because a duplicate is better than a hidden event.
 */
export async function rematchRenamed(
  items: DocumentItems,
  known: readonly KnownPublication[],
  pause: Pause,
): Promise<Map<IdentifiedItem, string>> {
  const { all, fresh, isAll = false } = items;
  if (fresh.length === 0) return new Map();
  const indexBy = (nameOf: NameOf) => createIndex(nameOf, all, known, pause);
  const byUrl = await indexBy(({ url }) => cleanUrl(url));
  const byPath = await indexBy(({ url }) => pathOf(url) && pathOf(url) + queryOf(url));
  const byBarePath = await indexBy(({ url }) => pathOf(url));
  const byContent = isAll ? await indexBy(contentName) : null;
  const freshItems = new Set(fresh);
  const oldestMs = oldestOf(all.filter((one) => !freshItems.has(one)));
  const replaced = new Map<IdentifiedItem, string>();
  const same = new Map<IdentifiedItem, KnownPublication>();
  for (const one of fresh) {
    await pause();
    // Items without a link share the site's URL.
    if (one.item.hasNoLink === true) continue;
    if (byUrl.isKnown(one)) {
      const before = byUrl.match(one);
      const wanted = before !== null && oldestMs < before.published_at ? SHARED - 1 : SHARED;
      if (before !== null && countShared(one, before) >= wanted) replaced.set(one, before.external_id);
      continue;
    }
    const moved = withSameTitle(one, byPath.match(one)) ?? withoutQueries(one, byBarePath.match(one));
    const alike = byContent?.match(one) ?? null;
    if (moved !== null) replaced.set(one, moved.external_id);
    else if (alike !== null) same.set(one, alike);
  }
  for (const [one, { external_id }] of await withoutDropped(same, items, () => indexBy(summaryName))) {
    replaced.set(one, external_id);
  }
  return replaced;
}

/** Returns the candidate, which has the same path, if the title and at least one more field match; otherwise null. */
function withSameTitle(one: IdentifiedItem, before: KnownPublication | null): KnownPublication | null {
  const isSame = before !== null && isSameText(one.item.title, before.title_en) &&
    countShared(one, before) >= SHARED;
  return isSame ? before : null;
}

/** Like {@link withSameTitle}, but returns null if both URLs have queries, which may identify different publications. */
function withoutQueries(one: IdentifiedItem, before: KnownPublication | null): KnownPublication | null {
  if (before !== null && queryOf(one.item.link) !== "" && queryOf(before.url_official) !== "") return null;
  return withSameTitle(one, before);
}

/** Removes matches with publications that may have left the list, unless the site was rebuilt. */
async function withoutDropped(
  same: ReadonlyMap<IdentifiedItem, KnownPublication>,
  { all, fresh }: DocumentItems,
  indexBySummary: () => Promise<Index>,
): Promise<ReadonlyMap<IdentifiedItem, KnownPublication>> {
  if (same.size === 0 || same.size >= REBUILT_TOGETHER && same.size > fresh.length / 2) return same;
  const oldestMs = oldestOf(all);
  const bySummary = fresh.length === all.length ? await indexBySummary() : null;
  return new Map(
    [...same].filter(([one, { published_at }]) =>
      oldestMs < published_at || (bySummary?.match(one) ?? null) !== null
    ),
  );
}

/** Finds fresh items that differ from known publications only in query values. Returns those publications' ids. */
export async function findRequeried(
  { all, fresh }: DocumentItems,
  known: readonly KnownPublication[],
  pause: Pause,
): Promise<Map<IdentifiedItem, string>> {
  if (fresh.length === 0) return new Map();
  const byForm = await createIndex(({ url, title }) => formOf(url, title), all, known, pause);
  const byUrlForm = await createIndex(({ url }) => formOf(url, ""), all, [], pause);
  const requeried = new Map<IdentifiedItem, string>();
  for (const one of fresh) {
    await pause();
    const before = byForm.match(one);
    if (before === null) continue;
    const wanted = byUrlForm.isOnly(one) ? SHARED : SHARED + 1;
    if (isSameButForQuery(one.item, before) && countShared(one, before) >= wanted) {
      requeried.set(one, before.external_id);
    }
  }
  return requeried;
}

interface Content {
  url: string;
  title: string;
  summary: string;
  /** The stated date in Unix ms, or null if there is none. */
  dateMs: number | null;
}

function contentOf({ item: { link, title, summary, publishedAtMs, updatedAtMs } }: IdentifiedItem): Content {
  return { url: link, title, summary, dateMs: publishedAtMs ?? updatedAtMs };
}

function contentOfKnown(known: KnownPublication): Content {
  const dateMs = known.published_at_estimated ? null : known.published_at;
  return { url: known.url_official, title: known.title_en, summary: known.summary_en, dateMs };
}

/** Derives a name that matching contents share, or null if the content cannot match any other. */
type NameOf = (content: Content) => string | null;

/** The publications and the number of items for each name. */
interface Index {
  isKnown(one: IdentifiedItem): boolean;
  /** Whether no other item of the document has the item's name. */
  isOnly(one: IdentifiedItem): boolean;
  /** Returns the publication with the item's name if no other publication or item has that name; otherwise null. */
  match(one: IdentifiedItem): KnownPublication | null;
}

async function createIndex(
  nameOf: NameOf,
  all: readonly IdentifiedItem[],
  known: readonly KnownPublication[],
  pause: Pause,
): Promise<Index> {
  const publications = new Map<string | null, KnownPublication[]>();
  for (const one of known) {
    await pause();
    const name = nameOf(contentOfKnown(one));
    publications.set(name, [...publications.get(name) ?? [], one]);
  }
  const names = new Map<IdentifiedItem, string | null>();
  const counts = new Map<string | null, number>();
  for (const one of all) {
    await pause();
    const name = nameOf(contentOf(one));
    names.set(one, name);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const nameIn = (one: IdentifiedItem) => names.get(one) ?? null;
  const isOnly = (one: IdentifiedItem) => counts.get(nameIn(one)) === 1;
  return {
    isKnown: (one) => publications.has(nameIn(one)),
    isOnly,
    match: (one) => {
      const [match = null, ...others] = publications.get(nameIn(one)) ?? [];
      return nameIn(one) !== null && others.length === 0 && isOnly(one) ? match : null;
    },
  };
}

/** Combines title, summary and date, which a rebuilt site keeps. Returns null without a date or for a short summary. */
function contentName({ title, summary, dateMs }: Content): string | null {
  if (dateMs === null || summary.length < MIN_SUMMARY) return null;
  return JSON.stringify([title, summary].map((text) => text.replace(/\s+/g, " ")).concat(String(dateMs)));
}

function summaryName({ summary }: Content): string {
  return summary.replace(/\s+/g, " ");
}

/** Combines the title with the URL's host, path and parameter names. Returns null for a URL without a query. */
function formOf(url: string, title: string): string | null {
  const parsed = URL.parse(cleanUrl(url));
  if (parsed === null || parsed.search === "") return null;
  return JSON.stringify([
    parsed.host,
    parsed.pathname,
    ...parsed.searchParams.keys(),
    title.replace(/\s+/g, " "),
  ]);
}

/** Returns the path without a trailing slash, or null for a site's home page. */
function pathOf(url: string): string | null {
  return trimEndOf(URL.parse(cleanUrl(url))?.pathname ?? "", "/") || null;
}

function queryOf(url: string): string {
  return URL.parse(cleanUrl(url))?.search ?? "";
}

function countShared(one: IdentifiedItem, known: KnownPublication): number {
  const [content, before] = [contentOf(one), contentOfKnown(known)];
  const isSummary = content.summary.length >= MIN_SUMMARY && isSameText(content.summary, before.summary);
  const isDate = before.dateMs !== null && content.dateMs === before.dateMs;
  return Number(isSameText(content.title, before.title)) + Number(isSummary) + Number(isDate);
}

/** Returns the earliest stated date in Unix ms, or Infinity if no item states one. */
function oldestOf(items: readonly IdentifiedItem[]): number {
  return items.reduce((oldest, one) => Math.min(oldest, contentOf(one).dateMs ?? Infinity), Infinity);
}
