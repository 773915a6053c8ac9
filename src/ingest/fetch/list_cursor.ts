// The cursor of a list: the items known from its first page, and where an incomplete fetch stopped.
import type { ListRules } from "../../domain/source/extraction_rules.ts";
import type { Validators } from "./fetch_document.ts";
import { MAX_FETCH_MS } from "./pagination.ts";

/** Until a known item is found, a list is followed for at most this multiple of `max_pages`. */
const MAX_REST_TIMES = 10;

export interface ListCursor {
  settings: string;
  /** When the last complete fetch began, in Unix ms. */
  atMs: number;
  /** The short names of the first items on the first page. */
  marks: string[];
  validators: Validators | null;
  /** Whether the next fetch reads everything again because the last one was incomplete. */
  readsAll?: boolean;
  /** Where the next fetch continues if the last one was cut short. */
  rest?: Rest;
}

/** Where to continue a list that was too long for one fetch. */
export interface Rest {
  /** The URL of the last page that was read. New items push others to later pages, never to earlier ones. */
  url: string;
  /** The short names of the items on the last fetch's first page. All pages from that one to `url` have been read. */
  top: string[];
  pages: number;
}

/** Whether so many pages without a known item have been read that none is likely to follow. */
export function isHopeless({ pages }: Rest, { maxPages }: ListRules): boolean {
  return pages > MAX_REST_TIMES * maxPages;
}

/**
 * Returns the position after a fetch that was cut short at the page `url`. `pages` counts the pages read from the top
 * and from the previous position, or is null if the fetch found known items at the top and stopped there.
 */
export function restAfter(
  before: Rest | null,
  { url, top, pages }: { url: string; top: string[]; pages: { head: number; rest: number } | null },
): Rest {
  if (before !== null && pages === null) return { ...before, top };
  const { head, rest } = pages ?? { head: 0, rest: 0 };
  // The last page of one fetch is the first page of the next.
  return { url, top, pages: (before?.pages ?? 0) + (rest > 0 ? rest - 1 : head) };
}

export function pagesOf(count: number): string {
  return count === 1 ? "1 page" : `${count} pages`;
}

/** Tells the operator why a list with the newest items first was not read up to a known item. */
export function noKnownItem(rules: ListRules, rest: Rest | null): string {
  const { maxPages } = rules;
  return rest === null || isHopeless(rest, rules)
    ? `no known item within ${pagesOf(rest?.pages ?? maxPages)}, so items may be missing: raise max_pages`
    : `there are more new items than fit on ${pagesOf(maxPages)}: the next fetch continues after them; ` +
      "to read more pages at once, raise max_pages";
}

/** Tells the operator why an unordered list was not fully read. `read` is the number of pages read if time ran out. */
export function tooManyPages({ maxPages }: ListRules, read: number | null): string {
  const many = read === null
    ? `there are more than ${pagesOf(maxPages)}: raise max_pages`
    : `only ${pagesOf(read)} could be read in ${MAX_FETCH_MS / 60_000} minutes: request more items per page`;
  return `${many}, or set newest_first = true if the list has the newest items first`;
}
