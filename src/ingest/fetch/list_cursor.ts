// What a list's walk leaves to the next one: how far it knows the list, and where it was cut.
import type { ListRules } from "../../domain/source/extraction_rules.ts";
import type { Validators } from "./fetch_document.ts";
import { MAX_FETCH_MS } from "./pagination.ts";

/** After so many times `max_pages` a list in which nothing known is met is followed no further. */
const MAX_REST_TIMES = 10;

/** What the next fetch of a list begins with. */
export interface ListCursor {
  settings: string;
  /** When the last whole fetch began, Unix ms. */
  atMs: number;
  /** The short names of the items that its first page had. */
  marks: string[];
  validators: Validators | null;
  /** Whether all of it is to be looked at again, whatever is known: a fetch after it was not whole. */
  isAnew?: boolean;
  /** Where the walk goes on that has not come to the marks yet. */
  rest?: Rest;
}

/** Where a walk that was too long for one fetch goes on. */
export interface Rest {
  /** The page at which it ended: what has come since has moved items to later pages, never to earlier ones. */
  url: string;
  /** The short names of the items of the last fetch's first page: from there to this page all was seen. */
  top: string[];
  /** How many pages were read on the way. */
  pages: number;
}

/** Whether so many pages without anything known say that nothing known will be met. */
export function isHopeless({ pages }: Rest, { maxPages }: ListRules): boolean {
  return pages > MAX_REST_TIMES * maxPages;
}

/**
 * Where the next fetch goes on after one that was cut at the page `url`. `pages` are those that it read from the top and
 * from where the one before had ended; null when it came from the top to what that one knew, and no further.
 */
export function restAfter(
  before: Rest | null,
  { url, top, pages }: { url: string; top: string[]; pages: { head: number; rest: number } | null },
): Rest {
  if (before !== null && pages === null) return { ...before, top };
  const { head, rest } = pages ?? { head: 0, rest: 0 };
  // The page at which one walk ends and the next goes on is read by both.
  return { url, top, pages: (before?.pages ?? 0) + (rest > 0 ? rest - 1 : head) };
}

/** Why a list that has the newest first was not read to what is known, for the operator. */
export function notMet(rules: ListRules, rest: Rest | null): string {
  const { maxPages } = rules;
  return rest === null || isHopeless(rest, rules)
    ? `no known item within ${rest?.pages ?? maxPages} pages, so items may be missing: raise max_pages`
    : `there are more new items than fit into ${maxPages} pages: the next fetch continues after them; ` +
      "max_pages can be raised";
}

/** Why a list in no order was not read to its end; `read` is how many pages were, where the time for it was over. */
export function tooManyPages({ maxPages }: ListRules, read: number | null): string {
  const many = read === null
    ? `there are more than ${maxPages} pages: raise max_pages`
    : `only ${read} pages could be read in ${MAX_FETCH_MS / 60_000} minutes: request more items per page`;
  return `${many}, or set newest_first = true if the list is in that order`;
}
