// What makes two items the same publication, and two editions of it different.
import { createHash } from "node:crypto";
import type { RegEvent } from "../../domain/event/event.ts";
import type { PublicationKey, StoredPublication } from "../../domain/ports/store/publications.ts";
import { trimEndOf } from "../../domain/trim.ts";
import { baseOf, type Identity, keyUnder, movedOn, nextRule } from "./identity_rule.ts";
import { withoutLanguage } from "./language_urls.ts";
import type { NormalisedItem } from "../normalise/item.ts";
import { cleanUrl, cleanUrlSinglePass } from "../normalise/links.ts";

/** So many items of one id and link with different titles are not editions of one publication. */
const TITLES_THAT_DIFFER = 3;

/** A title that is shorter may stand in an id by chance, characters. */
const LEAST_HEADLINE = 10;

/** An item with its identity. */
export interface IdentifiedItem extends PublicationKey {
  item: NormalisedItem;
  textHash: string;
  /** The publication of which it seems to be an edition, by its external id, which is the last of the former keys. */
  replaces?: string;
  /** Other editions of it that the document holds and that are dated as it is: nothing says which of them is the newest. */
  twins?: IdentifiedItem[];
}

/** What an item says, in short: all that counts for revisions, and the same without its date. */
export type Hashes = Pick<IdentifiedItem, "contentHash" | "textHash">;

/** The items of one document by identity. */
export interface IdentifiedItems {
  /** The identity that was used: the one given, or a later one when the document shows that it is needed. */
  identity: Identity;
  /** One item for each publication and language, in the order of the document. */
  items: IdentifiedItem[];
  /**
   * Items left out because the document holds a newer edition of the same publication, or one that nothing tells to be
   * older. One that repeats another word for word is left out without a mention.
   */
  older: IdentifiedItem[];
}

/**
 * Gives each item its identity under the source's rule, or under the first later rule that keeps them apart. `language`
 * is that of the whole document, where the source has an address for each; `hashes` gives those that were made before.
 */
export function identifyItems(
  items: readonly NormalisedItem[],
  given: Identity,
  language: string | null = null,
  hashes: (item: NormalisedItem) => Hashes = hashesOf,
): IdentifiedItems {
  let identity = given;
  let keys = keysUnder(identity, items);
  for (let next = nextRule(identity); next !== null; next = nextRule(identity)) {
    const isFine = !hasCollision(items, keys, identity, language) && !hasHeadlineIds(items, identity);
    if (isFine) break;
    identity = movedOn(identity, next);
    keys = keysUnder(identity, items);
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
    const place = one.language === undefined ? one.key : `${one.language} ${one.key}`;
    const before = identified.get(place);
    const isNewest = before === undefined || editedAt(item) > editedAt(before.item);
    if (isNewest) identified.set(place, one);
    if (before !== undefined && before.contentHash !== one.contentHash) {
      older.push(isNewest ? before : one);
      if (editedAt(item) === editedAt(before.item)) before.twins = [...before.twins ?? [], one];
    }
  }
  return { identity, items: withoutCopies([...identified.values()]), older };
}

/** Whether there is a fragment with a value in an item's link or id: under which it may be known as it stands. */
function mayHaveTrackingFragment({ link, guid }: NormalisedItem): boolean {
  return hasFragmentWithValue(link) || (guid !== null && hasFragmentWithValue(guid));
}

function hasFragmentWithValue(text: string): boolean {
  const at = text.indexOf("#");
  return at >= 0 && text.includes("=", at);
}

/**
 * Of editions that nothing tells to be newer than one another, the one that is stored stands for the publication, so that
 * it is no revision which of them the document names first.
 */
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

/**
 * The language of an item where its source has several: that of its document or its URL, else the one that it states,
 * else the main one. Undefined where a source has one.
 */
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

/** One of the items that say the very same under different ids: as two, a moved date would part them into two events. */
function withoutCopies(items: readonly IdentifiedItem[]): IdentifiedItem[] {
  const seen = new Set<string>();
  return items.filter(({ contentHash: hash }) => {
    if (seen.has(hash)) return false;
    seen.add(hash);
    return true;
  });
}

/**
 * Hash of what counts for revisions: title, summary, address without tracking, and the date of publication as stated.
 * A date of change counts only where no date of publication is stated: sources touch it without changing anything.
 */
export function contentHash(item: NormalisedItem): string {
  return hashesOf(item).contentHash;
}

/** Both hashes ({@link contentHash}) are of the same text but for its end, which is hashed once. */
export function hashesOf(item: NormalisedItem): Hashes {
  const text = [withSingleSpaces(item.title), withSingleSpaces(item.summary), cleanUrl(item.link)];
  const common = createHash("sha256").update(JSON.stringify(text).slice(0, -1));
  const date = item.publishedAtMs ?? item.updatedAtMs;
  return {
    contentHash: common.copy().update(`,${JSON.stringify(date)}]`).digest("hex"),
    textHash: common.update("]").digest("hex"),
  };
}

/** Whether an item differs from a stored record in nothing but its date, given that their hashes differ. */
export function isSameButForDate(item: NormalisedItem, event: RegEvent): boolean {
  return isSameText(item.title, event.title_en) && isSameText(item.summary, event.summary_en) &&
    cleanUrl(item.link) === cleanUrl(event.url_official);
}

/** What of a stored record is compared with an item. */
type Comparable = Pick<
  RegEvent,
  "title_en" | "summary_en" | "url_official" | "published_at" | "published_at_estimated"
>;

/** Whether an item differs from a stored record in nothing but the values in its address's query. */
export function isSameButForQuery(item: NormalisedItem, event: Comparable): boolean {
  const [now, before] = [URL.parse(cleanUrl(item.link)), URL.parse(cleanUrl(event.url_official))];
  if (now === null || before === null || now.search === before.search) return false;
  const names = ({ searchParams }: URL) => [...searchParams.keys()].join("\n");
  return now.host === before.host && now.pathname === before.pathname && names(now) === names(before) &&
    isSameButForAddress(item, event);
}

/** Whether an item differs from a stored record in nothing but its address's host, or in a last slash more or less. */
export function isSameButForSite(item: NormalisedItem, event: Comparable): boolean {
  const [now, before] = [URL.parse(cleanUrl(item.link)), URL.parse(cleanUrl(event.url_official))];
  if (now === null || before === null || now.href === before.href) return false;
  const restOf = ({ pathname, search, hash }: URL) => trimEndOf(pathname, "/") + search + hash;
  return restOf(now) === restOf(before) && isSameButForAddress(item, event);
}

/** Whether nothing but the address of an item differs from a stored record. */
export function isSameButForAddress(item: NormalisedItem, event: Comparable): boolean {
  return isSameText(item.title, event.title_en) && isSameText(item.summary, event.summary_en) &&
    (event.published_at_estimated || (item.publishedAtMs ?? item.updatedAtMs) === event.published_at);
}

/** Whether two texts are one but for white space. */
export function isSameText(one: string, other: string): boolean {
  return withSingleSpaces(one) === withSingleSpaces(other);
}

/** Every run of white space as one space; most texts have no other, which is seen sooner than each run is replaced. */
function withSingleSpaces(text: string): string {
  return / {2}|[^\S ]/.test(text) ? text.replace(/[^\S ]\s*| \s+/g, " ") : text;
}

function keysUnder({ rule, languages }: Identity, items: readonly NormalisedItem[]): string[] {
  return items.map(keyUnder(rule, languages));
}

/** Two items share an identity although they are not editions of one publication. */
function hasCollision(
  items: readonly NormalisedItem[],
  keys: readonly string[],
  identity: Identity,
  language: string | null,
): boolean {
  if (new Set(keys).size === items.length) return false;
  const groups = new Map<string, NormalisedItem[]>();
  for (const [at, item] of items.entries()) {
    const place = identity.languages === null ? "" : `${itemLanguage(item, identity, language)} `;
    const key = place + keys[at];
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  for (const group of groups.values()) {
    if (group.length === 1) continue;
    const links = new Set(group.map((item) => cleanUrl(item.link)));
    if (links.size > 1) return true;
    const ids = new Set(group.map((item) => item.guid));
    const titles = new Set(group.map((item) => item.title));
    // Different ids that lead to one identity (an address and the time of its edition) are editions.
    if (ids.size === 1 && titles.size >= Math.min(TITLES_THAT_DIFFER, items.length)) return true;
  }
  return false;
}

/** Most ids hold the headline of their item: with a new headline each would be another publication. */
function hasHeadlineIds(items: readonly NormalisedItem[], { rule }: Identity): boolean {
  if (baseOf(rule) !== "guid") return false;
  const count =
    items.filter(({ guid, title }) => guid !== null && title.length >= LEAST_HEADLINE && guid.includes(title))
      .length;
  return count > items.length / 2;
}

/**
 * Whether an item that has a stored record's id is something else all the same: its address, its title and its date are
 * others. Where a document holds one item (`isAlone`), nothing else shows that its id is worth something; beside others
 * its summary must be another one too.
 */
export function isOther(
  item: NormalisedItem,
  event: RegEvent,
  { rule, isFixed, isAlone }: Pick<Identity, "rule" | "isFixed"> & { isAlone: boolean },
): boolean {
  if (isFixed || baseOf(rule) !== "guid" || item.guid === null) return false;
  if (!isAlone && item.summary !== "" && isSameText(item.summary, event.summary_en)) return false;
  return cleanUrl(item.link) !== cleanUrl(event.url_official) && !isSameText(item.title, event.title_en) &&
    (event.published_at_estimated || (item.publishedAtMs ?? item.updatedAtMs) !== event.published_at);
}

/** When an item was changed last, as it states it, Unix ms; -Infinity where it states nothing. */
export function editedAt(item: NormalisedItem): number {
  return item.updatedAtMs ?? item.publishedAtMs ?? -Infinity;
}
