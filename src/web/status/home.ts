// GET /: what this service is, and the way to its areas.
import { type Html, markup } from "../html.ts";
import { type PageRoute, publicPage } from "../page_route.ts";
import { stateLine } from "./state_line.ts";
import type { StatusReader } from "./status_report.ts";

export function homePage(
  { hasStatus, reader }: { hasStatus(isSignedIn: boolean): boolean; reader: StatusReader },
): PageRoute {
  return publicPage({
    method: "GET",
    path: "/",
    async handle({ texts, session }) {
      const { common, common: { home } } = texts;
      const isStatusShown = hasStatus(session !== null);
      const consoleHref = session?.session.viewer.kind === "operator" ? "/operator" : "/console";
      const body = markup`<div class="hero"><h1>${home.title}</h1>
<p class="lead">${home.lead}</p>
${isStatusShown ? stateLine(await reader.state(), texts) : null}</div>
<div class="cards">
${isStatusShown ? card("/status", home.statusTitle, home.statusText) : null}
${card("/docs", home.docsTitle, home.docsText)}
${card(consoleHref, home.consoleTitle, home.consoleText)}
</div>`;
      return { kind: "page", title: common.serviceLine, section: "home", body };
    },
  });
}

function card(href: string, title: string, text: string): Html {
  return markup`<section class="card"><h2><a href="${href}">${title}</a></h2><p>${text}</p></section>`;
}
