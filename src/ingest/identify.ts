// What makes two items the same publication, and two editions of it different.
import { createHash } from "node:crypto";
import type { RegEvent } from "../domain/event.ts";
import { IDENTITY_RULES, type IdentityRule } from "../domain/source.ts";
import type { PublicationKey } from "../domain/store.ts";
import type { NormalisedItem } from "./normalise/item.ts";
import { cleanUrl } from "./normalise/links.ts";

/** The longest identity that is kept as it is; of a longer one the hash is. */
const MAX_KEY_LENGTH = 500;
/** So many items of one id and link with different titles are not editions of one publication. */
const TITLES_THAT_DIFFER = 3;

/** An item with its identity. */
export interface IdentifiedItem extends PublicationKey {
  item: NormalisedItem;
}

/** The items of one document by identity. */
export interface IdentifiedItems {
  /** The rule that was used: the one given, or a later one when the document shows that it is needed. */
  rule: IdentityRule;
  /** One item for each publication, in the order of the document. */
  items: IdentifiedItem[];
  /**
   * Items left out because the document holds a newer edition of the same publication. One that repeats another word
   * for word is left out without a mention.
   */
  older: NormalisedItem[];
}

/** Gives each item its identity under the source's rule, or under the first later rule that keeps them apart. */
export function identifyItems(items: readonly NormalisedItem[], rule: IdentityRule): IdentifiedItems {
  let used = rule;
  while (used !== "link+title" && hasCollision(items, used)) used = nextRule(used);
  const identified = new Map<string, IdentifiedItem>();
  const older: NormalisedItem[] = [];
  for (const item of items) {
    const one: IdentifiedItem = { item, key: keyOf(item, used), contentHash: contentHash(item) };
    const before = identified.get(one.key);
    const isNewest = before === undefined || editedAt(item) > editedAt(before.item);
    if (isNewest) identified.set(one.key, one);
    if (before !== undefined && before.contentHash !== one.contentHash) {
      older.push(isNewest ? before.item : item);
    }
  }
  return { rule: used, items: withoutCopies([...identified.values()]), older };
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
  const [title, summary] = [withSingleSpaces(item.title), withSingleSpaces(item.summary)];
  const content = [title, summary, cleanUrl(item.link), item.publishedAtMs ?? item.updatedAtMs];
  return createHash("sha256").update(JSON.stringify(content)).digest("hex");
}

/** Whether an item differs from a stored record in nothing but its date, given that their hashes differ. */
export function isSameButForDate(item: NormalisedItem, event: RegEvent): boolean {
  const isSameText = (one: string, other: string) => withSingleSpaces(one) === withSingleSpaces(other);
  return isSameText(item.title, event.title_en) && isSameText(item.summary, event.summary_en) &&
    cleanUrl(item.link) === cleanUrl(event.url_official);
}

/** Every run of white space as one space; most of them are one already. */
function withSingleSpaces(text: string): string {
  return text.replace(/[^\S ]\s*| \s+/g, " ");
}

/** Two items share an identity although they are not editions of one publication. */
function hasCollision(items: readonly NormalisedItem[], rule: IdentityRule): boolean {
  const groups = new Map<string, NormalisedItem[]>();
  for (const item of items) {
    const key = keyOf(item, rule);
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

function nextRule(rule: IdentityRule): IdentityRule {
  return IDENTITY_RULES[IDENTITY_RULES.findIndex((known) => known === rule) + 1] ?? "link+title";
}

function keyOf(item: NormalisedItem, rule: IdentityRule): string {
  if (rule === "guid" && item.guid !== null) return short(cleanGuid(item.guid));
  const link = cleanUrl(item.link);
  if (rule === "link+title") return short(`${link} ${item.title}`);
  return short(link);
}

/** An id that is an address loses its tracking, and the time of its edition that some sites add as a fragment. */
function cleanGuid(guid: string): string {
  // Half a character cannot be stored: written as its escape, two ids stay two.
  if (!guid.isWellFormed()) return JSON.stringify(guid).slice(1, -1);
  if (!/^https?:\/\//i.test(guid) || !URL.canParse(guid)) return guid;
  return cleanUrl(guid.replace(/#\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:?\d{2})$/, ""));
}

function short(key: string): string {
  return key.length <= MAX_KEY_LENGTH ? key : `sha256:${createHash("sha256").update(key).digest("hex")}`;
}

function editedAt(item: NormalisedItem): number {
  return item.updatedAtMs ?? item.publishedAtMs ?? -Infinity;
}
