// Publications that have been given a new id and new words at once: what shows that they are no new ones.
import type { RegEvent } from "../../domain/event/event.ts";
import { trimEndOf } from "../../domain/trim.ts";
import { type IdentifiedItem, isSameButForQuery, isSameText } from "./identify.ts";
import { textsIn } from "./language_urls.ts";
import type { NormalisedItem } from "../normalise/item.ts";
import { cleanUrl } from "../normalise/links.ts";

/** A shorter summary may stand under many publications, characters. */
const LEAST_SUMMARY = 40;
/** Things of which a publication that stands where another stood must share two, or one where that was replaced. */
const SHARED = 2;
/** So many that say what known ones do, and are most of what is unknown, have been given other addresses with their site. */
const REBUILT_TOGETHER = 3;

/** What of a stored publication is looked at. */
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

/** The items of a document, and which of them nothing is known of. */
export interface DocumentItems {
  all: readonly IdentifiedItem[];
  fresh: readonly IdentifiedItem[];
  /** Whether the source lists nothing elsewhere, on another page or another day. */
  isAll?: boolean;
}

/** Long work in steps, between which other work may run. */
export type Steps<T> = Generator<void, T, void>;

/** What finds known publications among the fresh items, by their external ids. */
type FindKnown = (
  items: DocumentItems,
  known: readonly KnownPublication[],
) => Steps<Map<IdentifiedItem, string>>;

/**
 * What `find` finds where a publication may have several languages: each language is looked at by itself, with the words
 * that publications have in it, or show where they have none. `bareUrls` gives each URL without its language; it is null
 * where a publication has one language.
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
      // What has not been translated stands in a language all the same, with the title of another.
      const isThere = Object.hasOwn(publication.translations, language ?? "");
      if (isThere || isSameText(copy.item.title, publication.title_en)) found.set(one, externalId);
    }
  }
  return found;
}

/**
 * Which of the fresh items are editions of known publications, by the external ids of these. An item is one when its
 * address is that of one publication and of one item alone, and when it shares title, summary or stated date with it: two
 * of these, or one where the document still lists what is older than the publication, so that this was not dropped but
 * replaced. That the publication's own ids are listed no more is the caller's to see. Items of one address and nothing
 * else in common stay apart: to tell a publication twice is bad, to take two for one would hide the second.
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
    // The address of the whole site says nothing of what stands at none of its own.
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
 * Of the items that say what known publications do, those that take the place of these. A publication that is dated like
 * the oldest item of the document may have been dropped for what is newer, and the item be the next of its kind: of the
 * same title on the same day, with the words that a site writes under everything. Not where the site was built anew:
 * most of what is unknown says what known ones do, or all of it is unknown and no other has the item's summary.
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
 * Which of the fresh items are known publications but for the values of their address's query, by the external ids of
 * these: nothing else differs, title and summary or date are the same, and all three where other items share the path.
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

/** Host, path and the names of the query, with the title where one is given; null for an address without a query. */
function formOf(address: string, title = ""): string | null {
  const url = URL.parse(cleanUrl(address));
  if (url === null || url.search === "") return null;
  return JSON.stringify([url.host, url.pathname, ...url.searchParams.keys(), title.replace(/\s+/g, " ")]);
}

/** What there is of each {@link pathOf}. */
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

/** How many items of a document have something in common; they are gone through when it is first asked. */
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
 * The publication of an item whose address has another host or a last slash more or less than it had, or has come by a
 * query or lost it: the same path, the same title, and the same summary or date. A site that moves has not published
 * everything anew.
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

/** What there is of each {@link contentOf}. */
type Contents = Paths;

/**
 * The publication of an item that says the very same, on the same date, at whatever address: a site that was built anew
 * has given all of them others.
 */
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
  const [words, more] = [title, summary].map((text) => text.replace(/\s+/g, " "));
  return dateMs === null ? null : JSON.stringify([words, more, dateMs]);
}

/** Path and query without a last slash; null for a site's front page. */
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
