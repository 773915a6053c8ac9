// Links to the views of one page.
import { type Html, markup } from "../html.ts";

export interface Tab {
  label: string;
  href: string;
  isCurrent: boolean;
}

export function tabs(label: string, all: readonly Tab[]): Html {
  return markup`<nav class="tabs" aria-label="${label}"><ul>${
    all.map((tab) =>
      markup`<li><a href="${tab.href}"${
        tab.isCurrent ? markup` aria-current="page"` : null
      }>${tab.label}</a></li>`
    )
  }</ul></nav>`;
}
