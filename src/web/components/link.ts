// Links to other sites, whose addresses may come from anywhere.
import { type Html, markup, type Part } from "../html.ts";

/** A link to another site. An address that is not http or https is shown as text. */
export function externalLink(href: string, text: Part = href): Html {
  const { protocol } = URL.parse(href) ?? {};
  if (protocol !== "https:" && protocol !== "http:") return markup`<span>${text}</span>`;
  return markup`<a href="${href}" rel="noopener noreferrer">${text}</a>`;
}
