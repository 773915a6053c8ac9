// Determines which items are the same publication, and whether their content differs.
import { createHash } from "node:crypto";
import type { RegEvent } from "../../domain/event/event.ts";
import type { PublicationKey, StoredPublication } from "../../domain/ports/store/publications.ts";
import { trimEndOf } from "../../domain/trim_end.ts";
import { baseOf, type Identity, keyUnder, movedOn, nextRule } from "./identity_rule.ts";
import { withoutLanguage } from "./language_urls.ts";
import type { NormalisedItem } from "../normalise/item.ts";
import { cleanUrl, cleanUrlSinglePass } from "../normalise/links.ts";

/**
 * Items with the same id and link are not editions of one publication if they have at least this many different titles,
 * or as many as the document has items.
 */
const TITLES_THAT_DIFFER = 3;

/** Minimum length of a headline in characters. A shorter title may be part of an id by chance. */
const MIN_HEADLINE = 10;

export interface IdentifiedItem extends PublicationKey {
  item: NormalisedItem;
  textHash: string;
  /** The external id of the known publication that the item matches. It is also the last of `formerKeys`. */
  replaces?: string;
  /** Other editions in the document with the same date, any of which may be the newest. */
  twins?: IdentifiedItem[];
}

export type Hashes = Pick<IdentifiedItem, "contentHash" | "textHash">;

interface IdentifiedItems {
  /** The identity used: the given one, or one with a later rule if the document needs it. */
  identity: Identity;
  /** One item for each publication and language, in the order of the document. */
  items: IdentifiedItem[];
  /** Items left out because the document has another edition of them that is not older. Excludes exact duplicates. */
  older: IdentifiedItem[];
}

/** Identifies a document's items by the given rule, or by the first later one that separates them. */
export function identifyItems(
  items: readonly NormalisedItem[],
  given: Identity,
  language: string | null = null,
  hashes: (item: NormalisedItem) => Hashes = hashesOf,
): IdentifiedItems {
  let identity = given;
  let keys = items.map(keyUnder(identity.rule, identity.languages));
  for (let next = nextRule(identity); next !== null; next = nextRule(identity)) {
    const isFine = !hasCollision(items, keys, identity, language) && !hasHeadlineIds(items, identity);
    if (isFine) break;
    identity = movedOn(identity, next);
    keys = items.map(keyUnder(identity.rule, identity.languages));
  }
  const formerKeys = identity.former.map((rule) => keyUnder(rule, identity.languages));
  const keyOnce = keyUnder(identity.rule, identity.languages, cleanUrlSinglePass);
  const identified = new Map<string, IdentifiedItem>();
  const older: IdentifiedItem[] = [];
  for (const [at, item] of items.entries()) {
    const { contentHash, textHash } = hashes(item);
    const one: IdentifiedItem = { item, key: keys[at] as string, contentHash, textHash };
    if (formerKeys.length > 0) one.formerKeys = formerKeys.map((former) => former(item));
    if (mayHaveTrackingFragment(item) && keyOnce(item) !== one.key) {
      one.formerKeys = [...one.formerKeys ?? [], keyOnce(item)];
    }
    const ownLanguage = itemLanguage(item, identity, language);
    if (ownLanguage !== undefined) one.language = ownLanguage;
    const languageKey = one.language === undefined ? one.key : `${one.language} ${one.key}`;
    const before = identified.get(languageKey);
    const isNewest = before === undefined || editedAt(item) > editedAt(before.item);
    if (isNewest) identified.set(languageKey, one);
    if (before !== undefined && before.contentHash !== one.contentHash) {
      older.push(isNewest ? before : one);
      if (editedAt(item) === editedAt(before.item)) before.twins = [...before.twins ?? [], one];
    }
  }
  return { identity, items: withoutCopies([...identified.values()]), older };
}

/** Whether the link or id may have tracking parameters in its fragment. Earlier versions of Regfeed kept these. */
function mayHaveTrackingFragment({ link, guid }: NormalisedItem): boolean {
  return [link, guid ?? ""].some((text) => text.includes("#") && text.includes("=", text.indexOf("#")));
}

/** If the stored content is that of a twin, swaps item and twin, so that a new order of twins is not a revision. */
export function preferStoredEdition(one: IdentifiedItem, stored: StoredPublication): void {
  const { twins = [], language } = one;
  const textHash = language === undefined ? undefined : stored.languages.get(language);
  const isStored = (edition: IdentifiedItem) =>
    edition.contentHash === stored.contentHash || edition.textHash === textHash;
  const twin = isStored(one) ? undefined : twins.find(isStored);
  if (twin === undefined) return;
  const { item, contentHash, textHash: ownHash } = one;
  Object.assign(one, { item: twin.item, contentHash: twin.contentHash, textHash: twin.textHash });
  Object.assign(twin, { item, contentHash, textHash: ownHash });
}

/** Returns an item's language (from document, URL, item or source), or undefined if publications have only one. */
export function itemLanguage(
  item: NormalisedItem,
  { languages }: Identity,
  ofDocument: string | null,
): string | undefined {
  if (languages === null) return undefined;
  const { codes } = languages;
  const stated = item.language !== null && codes.includes(item.language) ? item.language : null;
  return ofDocument ?? withoutLanguage(item.link, languages).language ?? stated ?? codes[0] ?? "en";
}

/** Keeps only the first of several items with the same content under different ids. */
function withoutCopies(items: readonly IdentifiedItem[]): IdentifiedItem[] {
  const seen = new Set<string>();
  return items.filter(({ contentHash: hash }) => {
    if (seen.has(hash)) return false;
    seen.add(hash);
    return true;
  });
}

/** Hashes title, summary and cleaned URL. `contentHash` also covers the publication date, or else the update date. */
export function hashesOf(item: NormalisedItem): Hashes {
  const text = [withSingleSpaces(item.title), withSingleSpaces(item.summary), cleanUrl(item.link)];
  const common = createHash("sha256").update(JSON.stringify(text).slice(0, -1));
  const date = item.publishedAtMs ?? item.updatedAtMs;
  return {
    contentHash: common.copy().update(`,${JSON.stringify(date)}]`).digest("hex"),
    textHash: common.update("]").digest("hex"),
  };
}

/** Whether an item has a record's title, summary and URL. The dates may differ. */
export function isSameButForDate(item: NormalisedItem, event: RegEvent): boolean {
  return isSameText(item.title, event.title_en) && isSameText(item.summary, event.summary_en) &&
    cleanUrl(item.link) === cleanUrl(event.url_official);
}

type Comparable = Pick<
  RegEvent,
  | "title_en"
  | "summary_en"
  | "url_official"
  | "published_at"
  | "published_at_precision"
  | "published_on"
  | "published_at_estimated"
>;

/** Whether an item differs from a record only in the values of its URL's query. */
export function isSameButForQuery(item: NormalisedItem, event: Comparable): boolean {
  const [now, before] = [URL.parse(cleanUrl(item.link)), URL.parse(cleanUrl(event.url_official))];
  if (now === null || before === null || now.search === before.search) return false;
  const names = ({ searchParams }: URL) => [...searchParams.keys()].join("\n");
  return now.host === before.host && now.pathname === before.pathname && names(now) === names(before) &&
    isSameButForAddress(item, event);
}

/** Whether an item differs from a record only in the host or a trailing slash of its URL. */
export function isSameButForSite(item: NormalisedItem, event: Comparable): boolean {
  const [now, before] = [URL.parse(cleanUrl(item.link)), URL.parse(cleanUrl(event.url_official))];
  if (now === null || before === null || now.href === before.href) return false;
  const restOf = ({ pathname, search, hash }: URL) => trimEndOf(pathname, "/") + search + hash;
  return restOf(now) === restOf(before) && isSameButForAddress(item, event);
}

/** Whether an item has the same title, summary and date as a record. An estimated date of the record is ignored. */
export function isSameButForAddress(item: NormalisedItem, event: Comparable): boolean {
  return isSameText(item.title, event.title_en) && isSameText(item.summary, event.summary_en) &&
    (event.published_at_estimated || isSameDate(item, event));
}

/** Whether an item has the date of a record. If only one of them states the time, the day decides. */
export function isSameDate(
  item: NormalisedItem,
  event: Pick<RegEvent, "published_at" | "published_at_precision" | "published_on">,
): boolean {
  if ((item.publishedAtMs ?? item.updatedAtMs) === event.published_at) return true;
  const isDay = item.publishedPrecision === "date" || event.published_at_precision === "date";
  return isDay && item.publishedOn !== null && item.publishedOn === event.published_on;
}

/** Whether two strings are the same apart from white space. */
export function isSameText(one: string, other: string): boolean {
  return withSingleSpaces(one) === withSingleSpaces(other);
}

function withSingleSpaces(text: string): string {
  return text.replace(/[^\S ]\s*| \s+/g, " ");
}

/** Whether two items share an identity although they are not editions of one publication. */
function hasCollision(
  items: readonly NormalisedItem[],
  keys: readonly string[],
  identity: Identity,
  language: string | null,
): boolean {
  if (new Set(keys).size === items.length) return false;
  const groups = Map.groupBy(items.entries(), ([at, item]) => {
    const prefix = identity.languages === null ? "" : `${itemLanguage(item, identity, language)} `;
    return prefix + keys[at];
  });
  for (const entries of groups.values()) {
    if (entries.length === 1) continue;
    const group = entries.map(([, item]) => item);
    const links = new Set(group.map((item) => cleanUrl(item.link)));
    if (links.size > 1) return true;
    const ids = new Set(group.map((item) => item.guid));
    const titles = new Set(group.map((item) => item.title));
    // Different ids with the same identity, such as URLs that contain the edition time, belong to one publication.
    if (ids.size === 1 && titles.size >= Math.min(TITLES_THAT_DIFFER, items.length)) return true;
  }
  return false;
}

/** Whether most ids contain the headline, which would turn a changed headline into a new publication. */
function hasHeadlineIds(items: readonly NormalisedItem[], { rule }: Identity): boolean {
  if (baseOf(rule) !== "guid") return false;
  const count =
    items.filter(({ guid, title }) => title.length >= MIN_HEADLINE && guid?.includes(title)).length;
  return count > items.length / 2;
}

/**
 * Whether an item and the record with the same id are different publications, because URL, title, date and, unless
 * `isAlone`, summary differ. An empty summary and an estimated date count as different.
 */
export function isOther(
  item: NormalisedItem,
  event: RegEvent,
  { rule, isFixed, isAlone }: Pick<Identity, "rule" | "isFixed"> & { isAlone: boolean },
): boolean {
  if (isFixed || baseOf(rule) !== "guid" || item.guid === null) return false;
  if (!isAlone && item.summary !== "" && isSameText(item.summary, event.summary_en)) return false;
  return cleanUrl(item.link) !== cleanUrl(event.url_official) && !isSameText(item.title, event.title_en) &&
    (event.published_at_estimated || !isSameDate(item, event));
}

/** Returns the stated time of an item's last change, in Unix ms, or -Infinity if it states none. */
export function editedAt(item: NormalisedItem): number {
  return item.updatedAtMs ?? item.publishedAtMs ?? -Infinity;
}
