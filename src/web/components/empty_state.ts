// What a page shows instead of an empty list: why it is empty, and what to do.
import { type Html, markup, type Part } from "../html.ts";

export function emptyState(
  { title, text, actions = null }: { title: string; text: Part; actions?: Part },
): Html {
  return markup`<div class="empty"><h2>${title}</h2><p>${text}</p>${
    actions === null ? null : markup`<div class="buttons">${actions}</div>`
  }</div>`;
}
