// Links to the neighbouring pages of a list.
import { type Html, markup } from "../html.ts";
import type { Texts } from "../texts/texts.ts";

/** The links are local URLs, or null at the ends of the list. */
export function paging(
  { common }: Texts,
  { newer, older }: { newer: string | null; older: string | null },
): Html | null {
  if (newer === null && older === null) return null;
  return markup`<nav class="paging" aria-label="${common.paging.label}">${
    newer === null
      ? null
      : markup`<a class="button plain" href="${newer}" rel="prev">← ${common.paging.newer}</a>`
  }${
    older === null
      ? null
      : markup`<a class="button plain older" href="${older}" rel="next">${common.paging.older} →</a>`
  }</nav>`;
}
