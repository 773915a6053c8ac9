// GET /: what this service is, and the way to its areas.
import { type Html, markup } from "../html.ts";
import { type PageRoute, publicPage } from "../page_route.ts";

export function homePage({ hasStatus }: { hasStatus(isSignedIn: boolean): boolean }): PageRoute {
  return publicPage({
    method: "GET",
    path: "/",
    handle({ texts: { common }, session }) {
      const { home } = common;
      const consoleHref = session?.session.viewer.kind === "operator" ? "/operator" : "/console";
      const body = markup`<div class="hero"><h1>${home.title}</h1>
<p class="lead">${home.lead}</p></div>
<div class="cards">
${hasStatus(session !== null) ? card("/status", home.statusTitle, home.statusText) : null}
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
