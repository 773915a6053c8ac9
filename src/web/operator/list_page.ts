// Lists of the operator: one page of rows, the link to the next, and URLs with filters.
import type { Html } from "../html.ts";
import { paging } from "../components/paging.ts";
import type { Texts } from "../texts/texts.ts";

export const PAGE_ROWS = 50;

/** Returns a local URL with the values that are not empty. */
export function hrefOf(path: string, values: Readonly<Record<string, string | null | undefined>>): string {
  const filled = Object.entries(values).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return filled.length === 0 ? path : `${path}?${new URLSearchParams(filled)}`;
}

/** Splits rows, of which one more than a page was read, into the page and whether there are more. */
export function pageOf<T>(rows: readonly T[]): { page: readonly T[]; last: T | null } {
  const page = rows.slice(0, PAGE_ROWS);
  return { page, last: rows.length > PAGE_ROWS ? page.at(-1) ?? null : null };
}

/** Links to the older rows, and back to the newest. `before` is the cursor of this page. */
export function olderLink(
  texts: Texts,
  { path, filters, before, next }: {
    path: string;
    filters: Readonly<Record<string, string | null | undefined>>;
    before: string | undefined;
    next: string | null;
  },
): Html | null {
  return paging(texts, {
    newer: before === undefined ? null : hrefOf(path, filters),
    older: next === null ? null : hrefOf(path, { ...filters, before: next }),
  });
}
