// Pages about errors, which help the visitor to continue.
import { type Html, markup } from "../html.ts";
import type { PageContent } from "../page_route.ts";
import type { Texts } from "../texts/texts.ts";
import { navigationFor, type ViewerKind } from "./navigation.ts";

type DescribedStatus = keyof Texts["common"]["errors"]["titles"];

function describedStatus(status: number, texts: Texts): DescribedStatus {
  if (Object.hasOwn(texts.common.errors.titles, status)) return status as DescribedStatus;
  return status >= 500 ? 500 : 400;
}

export function errorPage(
  { status, requestId, viewer, hasStatus }: {
    status: number;
    requestId: string;
    viewer: ViewerKind;
    hasStatus: boolean;
  },
  texts: Texts,
): PageContent {
  const { titles, texts: explanations, reference, whereNow } = texts.common.errors;
  const known = describedStatus(status, texts);
  const body = markup`<div class="narrow">
<h1>${titles[known]}</h1>
<p class="lead">${explanations[known]}</p>
${status >= 500 ? markup`<p>${reference}${texts.common.colon} <code>${requestId}</code></p>` : null}
<h2>${whereNow}</h2>
${linksOf(texts, viewer, hasStatus)}
</div>`;
  return { kind: "page", status, title: titles[known], body };
}

function linksOf(texts: Texts, viewer: ViewerKind, hasStatus: boolean): Html {
  const { areas } = navigationFor({ viewer, section: null, hasStatus }, texts);
  const home = { label: texts.common.nav.home, href: "/" };
  return markup`<ul>${
    [home, ...areas].map(({ label, href }) => markup`<li><a href="${href}">${label}</a></li>`)
  }</ul>`;
}
