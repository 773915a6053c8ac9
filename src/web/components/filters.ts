// Filters as a form whose input is in the URL, and the active ones as chips with a link that removes each.
import { type Html, markup, type Part } from "../html.ts";
import type { Texts } from "../texts/texts.ts";
import { getForm } from "./form.ts";
import { icon } from "./icon.ts";

export interface Chip {
  label: string;
  /** The local URL without this filter. */
  href: string;
}

interface FilterOptions {
  /** The path of the page. */
  action: string;
  fields: Part;
  chips: readonly Chip[];
  /** The local URL without any filter. */
  clearHref: string;
  /** Whether the fields are shown at once, for example because one is invalid. */
  isOpen?: boolean;
  /** What else can be done with the active filters. */
  act?: Part;
}

export function filters(
  texts: Texts,
  { action, fields, chips, clearHref, isOpen = false, act = null }: FilterOptions,
): Html {
  const { common } = texts;
  const form = getForm({ action, fields, submit: common.actions.apply });
  const count = chips.length === 0 ? null : markup` <span class="count">${chips.length}</span>`;
  return markup`<div class="filters">
<details${isOpen ? markup` open` : null}><summary>${common.filters.title}${count}</summary>${form}</details>
${chips.length === 0 ? null : chipList(texts, chips, { clearHref, act })}
</div>`;
}

function chipList(
  { common }: Texts,
  chips: readonly Chip[],
  { clearHref, act }: { clearHref: string; act: Part },
): Html {
  return markup`<ul class="chips" aria-label="${common.filters.active}">${
    chips.map(({ label, href }) =>
      markup`<li><a class="chip" href="${href}" aria-label="${common.filters.remove(label)}">${label}${
        icon("cross")
      }</a></li>`
    )
  }<li><a href="${clearHref}">${common.actions.clear}</a></li>${
    act === null ? null : markup`<li>${act}</li>`
  }</ul>`;
}
