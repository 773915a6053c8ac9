// Matches unknown items with known publications that have a new id and a new URL or text.
import type { RegEvent } from "../../domain/event/event.ts";
import { trimEndOf } from "../../domain/trim_end.ts";
import { type IdentifiedItem, isSameButForQuery, isSameText } from "./identify.ts";
import { textsIn } from "./language_urls.ts";
import type { NormalisedItem } from "../normalise/item.ts";
import { cleanUrl } from "../normalise/links.ts";

/** A shorter summary may be shared by many publications, characters. */
const LEAST_SUMMARY = 40;
/** How many of title, summary and date must match; one fewer where the known publication was replaced. */
const SHARED = 2;
/** From this many matches on, if they are most of the unknown items, the site was rebuilt. */
const REBUILT_TOGETHER = 3;

/** The compared fields of a stored publication. */
export type KnownPublication = Pick<
  RegEvent,
  | "external_id"
  | "url_official"
  | "title_en"
  | "summary_en"
  | "published_at"
  | "published_at_estimated"
  | "translations"
>;

/** The items of a document, and those of them that are unknown. */
export interface DocumentItems {
  all: readonly IdentifiedItem[];
  fresh: readonly IdentifiedItem[];
  /** Whether the document is the whole source, without further pages or days. */
  isAll?: boolean;
}

/** Long work in steps, between which other work may run. */
export type Steps<T> = Generator<void, T, void>;

/** Finds known publications among the fresh items; returns their external ids. */
type FindKnown = (
  items: DocumentItems,
  known: readonly KnownPublication[],
) => Steps<Map<IdentifiedItem, string>>;

/**
 * Runs `find` for each language separately, with the publications' texts in that language. `bareUrls` maps each URL to
 * the URL without its language; it is null where a publication has one language.
 */
export function* findInLanguages(
  find: FindKnown,
  { all, fresh, isAll = false }: DocumentItems,
  known: readonly KnownPublication[],
  bareUrls: ReadonlyMap<string, string> | null,
): Steps<Map<IdentifiedItem, string>> {
  if (bareUrls === null || fresh.length === 0) return yield* find({ all, fresh, isAll }, known);
  const neutral = (url: string) => bareUrls.get(url) ?? url;
  const isFresh = new Set(fresh);
  const found = new Map<IdentifiedItem, string>();
  for (const [language, items] of Map.groupBy(all, (one) => one.language)) {
    const shown = new Map(
      items.map((one) => [{ ...one, item: { ...one.item, link: neutral(one.item.link) } }, one]),
    );
    const publications = known.map((one) => ({
      ...textsIn(one, language),
      url_official: neutral(one.url_official),
    }));
    const byId = new Map(publications.map((one) => [one.external_id, one]));
    const itsOwn = [...shown.keys()];
    const itsFresh = [...shown].flatMap(([copy, one]) => isFresh.has(one) ? [copy] : []);
    for (const [copy, externalId] of yield* find({ all: itsOwn, fresh: itsFresh, isAll }, publications)) {
      const one = shown.get(copy);
      const publication = byId.get(externalId);
      if (one === undefined || publication === undefined) continue;
      // An untranslated publication is listed with the title of another language.
      const isThere = Object.hasOwn(publication.translations, language ?? "");
      if (isThere || isSameText(copy.item.title, publication.title_en)) found.set(one, externalId);
    }
  }
  return found;
}

/**
 * Finds the fresh items that are editions of known publications, by external id. The URL must belong to one publication
 * and one item, and two of title, summary and date must match; one is enough if the document still lists older items,
 * so that the publication was replaced and not dropped. In doubt items stay separate: a duplicate is better than a
 * hidden event.
 */
export function* rematchRenamed(
  { all, fresh, isAll = false }: DocumentItems,
  known: readonly KnownPublication[],
): Steps<Map<IdentifiedItem, string>> {
  if (fresh.length === 0) return new Map();
  const stored = yield* groupBy(known, ({ url_official }) => cleanUrl(url_official));
  const listed = new Listed(all, ({ item }) => cleanUrl(item.link));
  const paths = yield* pathsOf({ all, fresh }, known, pathOf);
  const barePaths = yield* pathsOf({ all, fresh }, known, barePathOf);
  const contents: Contents | null = !isAll ? null : {
    stored: yield* groupBy(known, contentOfKnown),
    listed: new Listed(all, ({ item }) => contentOf(item)),
  };
  const isFresh = new Set(fresh);
  const dates = all.filter((one) => !isFresh.has(one)).map(({ item }) => dateOf(item)).filter((ms) =>
    ms !== null
  );
  const oldestMs = dates.length === 0 ? Infinity : Math.min(...dates);
  const replaced = new Map<IdentifiedItem, string>();
  const same = new Map<IdentifiedItem, KnownPublication>();
  for (const one of fresh) {
    yield;
    // Items without a link share the site's URL.
    if (one.item.hasNoLink === true) continue;
    const address = cleanUrl(one.item.link);
    const publications = stored.get(address) ?? [];
    const [before] = publications;
    if (before === undefined) {
      const moved = (yield* findMoved(one, paths, pathOf)) ?? (yield* findMoved(one, barePaths, barePathOf));
      const alike = moved !== null || contents === null ? null : yield* findSame(one, contents);
      if (moved !== null) replaced.set(one, moved.external_id);
      if (alike !== null) same.set(one, alike);
      continue;
    }
    if (publications.length > 1 || (yield* listed.count(address)) !== 1) continue;
    const wanted = oldestMs < before.published_at ? SHARED - 1 : SHARED;
    if (countShared(one.item, before) >= wanted) replaced.set(one, before.external_id);
  }
  for (const [one, { external_id }] of yield* withoutDropped(same, { all, fresh }, known)) {
    replaced.set(one, external_id);
  }
  return replaced;
}

/**
 * Removes matches whose publication may have been dropped from the end of the list, so that the item is a new one with
 * the same title, day and boilerplate summary. Keeps all if the site was rebuilt: most unknown items match, or all
 * items are unknown and the summary is unique.
 */
function* withoutDropped(
  same: ReadonlyMap<IdentifiedItem, KnownPublication>,
  { all, fresh }: DocumentItems,
  known: readonly KnownPublication[],
): Steps<Map<IdentifiedItem, KnownPublication>> {
  if (same.size === 0 || same.size >= REBUILT_TOGETHER && same.size > fresh.length / 2) return new Map(same);
  const oldestMs = all.reduce((oldest, { item }) => Math.min(oldest, dateOf(item) ?? Infinity), Infinity);
  const listed = new Listed(all, ({ item }) => item.summary);
  const stored = yield* groupBy(known, ({ summary_en }) => summary_en);
  const kept = new Map<IdentifiedItem, KnownPublication>();
  for (const [one, publication] of same) {
    const isItsOwn = (yield* listed.count(one.item.summary)) === 1 &&
      stored.get(publication.summary_en)?.length === 1;
    if (isItsOwn && fresh.length === all.length || oldestMs < publication.published_at) {
      kept.set(one, publication);
    }
  }
  return kept;
}

/**
 * Finds the fresh items that differ from known publications only in the values of the URL's query, by external id: two
 * of title, summary and date match, or all three where other items share the path.
 */
export function* findRequeried(
  { all, fresh }: DocumentItems,
  known: readonly KnownPublication[],
): Steps<Map<IdentifiedItem, string>> {
  if (fresh.length === 0) return new Map();
  const stored = yield* groupBy(known, ({ url_official, title_en }) => formOf(url_official, title_en));
  const listed = new Listed(all, ({ item }) => formOf(item.link, item.title));
  const sharing = new Listed(all, ({ item }) => formOf(item.link));
  const requeried = new Map<IdentifiedItem, string>();
  for (const one of fresh) {
    yield;
    const form = formOf(one.item.link, one.item.title);
    const [before, ...others] = stored.get(form) ?? [];
    if (form === null || before === undefined || others.length > 0 || (yield* listed.count(form)) !== 1) {
      continue;
    }
    const isShared = (yield* sharing.count(formOf(one.item.link))) !== 1;
    const wanted = isShared ? SHARED + 1 : SHARED;
    if (isSameButForQuery(one.item, before) && countShared(one.item, before) >= wanted) {
      requeried.set(one, before.external_id);
    }
  }
  return requeried;
}

/** Host, path and parameter names of a URL, with the title; null for a URL without a query. */
function formOf(address: string, title = ""): string | null {
  const url = URL.parse(cleanUrl(address));
  if (url === null || url.search === "") return null;
  return JSON.stringify([url.host, url.pathname, ...url.searchParams.keys(), title.replace(/\s+/g, " ")]);
}

/** Publications and items by {@link pathOf}. */
interface Paths {
  stored: ReadonlyMap<string | null, KnownPublication[]>;
  listed: Listed;
}

function* pathsOf(
  { all }: DocumentItems,
  known: readonly KnownPublication[],
  nameOf: (address: string) => string | null,
): Steps<Paths> {
  return {
    stored: yield* groupBy(known, ({ url_official }) => nameOf(url_official)),
    listed: new Listed(all, ({ item }) => nameOf(item.link)),
  };
}

function* groupBy<T, K>(all: readonly T[], nameOf: (one: T) => K): Steps<Map<K, T[]>> {
  const groups = new Map<K, T[]>();
  for (const one of all) {
    yield;
    const name = nameOf(one);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [one]);
    else group.push(one);
  }
  return groups;
}

/** Counts the items of a document by name, on first use. */
class Listed {
  #counts: Map<string | null, number> | null = null;

  constructor(
    readonly all: readonly IdentifiedItem[],
    readonly nameOf: (one: IdentifiedItem) => string | null,
  ) {}

  *count(name: string | null): Steps<number> {
    this.#counts ??= yield* this.#countAll();
    return this.#counts.get(name) ?? 0;
  }

  *#countAll(): Steps<Map<string | null, number>> {
    const counts = new Map<string | null, number>();
    for (const one of this.all) {
      yield;
      const name = this.nameOf(one);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return counts;
  }
}

/**
 * The publication of an item whose URL differs in the host, a trailing slash or an added or removed query: with the
 * same path and title, and the same summary or date.
 */
function* findMoved(
  one: IdentifiedItem,
  { stored, listed }: Paths,
  nameOf: (address: string) => string | null,
): Steps<KnownPublication | null> {
  const path = nameOf(one.item.link);
  const [before, ...others] = path === null ? [] : stored.get(path) ?? [];
  if (before === undefined || others.length > 0 || !isSameText(one.item.title, before.title_en)) return null;
  if ((yield* listed.count(path)) !== 1) return null;
  // Two queries tell two publications apart.
  if (nameOf === barePathOf && hasQuery(one.item.link) && hasQuery(before.url_official)) return null;
  return countShared(one.item, before) >= SHARED ? before : null;
}

/** Publications and items by {@link contentOf}. */
type Contents = Paths;

/** The publication with the same title, summary and date at any URL, as after a site was rebuilt. */
function* findSame({ item }: IdentifiedItem, { stored, listed }: Contents): Steps<KnownPublication | null> {
  const content = contentOf(item);
  const [before, ...others] = content === null ? [] : stored.get(content) ?? [];
  const isOne = before !== undefined && others.length === 0 && (yield* listed.count(content)) === 1;
  return isOne ? before : null;
}

/** Title, summary and stated date; null where one of them is missing, or the summary short. */
function contentOf(item: NormalisedItem): string | null {
  const { title, summary } = item;
  return summary.length < LEAST_SUMMARY ? null : contentKey({ title, summary, dateMs: dateOf(item) });
}

function contentOfKnown(known: KnownPublication): string | null {
  const { title_en: title, summary_en: summary, published_at, published_at_estimated } = known;
  return contentKey({ title, summary, dateMs: published_at_estimated ? null : published_at });
}

function contentKey(
  { title, summary, dateMs }: { title: string; summary: string; dateMs: number | null },
): string | null {
  const [heading, text] = [title, summary].map((one) => one.replace(/\s+/g, " "));
  return dateMs === null ? null : JSON.stringify([heading, text, dateMs]);
}

/** Path and query without a trailing slash; null for a site's front page. */
function pathOf(address: string): string | null {
  const path = barePathOf(address);
  return path === null ? null : path + (URL.parse(cleanUrl(address))?.search ?? "");
}

/** {@link pathOf} without the query. */
function barePathOf(address: string): string | null {
  return trimEndOf(URL.parse(cleanUrl(address))?.pathname ?? "", "/") || null;
}

function hasQuery(address: string): boolean {
  return (URL.parse(cleanUrl(address))?.search ?? "") !== "";
}

function countShared(item: NormalisedItem, known: KnownPublication): number {
  const isTitle = isSameText(item.title, known.title_en);
  const isSummary = item.summary.length >= LEAST_SUMMARY && isSameText(item.summary, known.summary_en);
  const isDate = !known.published_at_estimated && dateOf(item) === known.published_at;
  return Number(isTitle) + Number(isSummary) + Number(isDate);
}

function dateOf({ publishedAtMs, updatedAtMs }: NormalisedItem): number | null {
  return publishedAtMs ?? updatedAtMs;
}
