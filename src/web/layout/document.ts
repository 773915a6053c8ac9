// The frame of every page: head, header, navigation, content and footer.
import { scriptPath, STYLESHEET_PATH } from "../assets.ts";
import { hiddenField, postForm } from "../components/form.ts";
import { type Toast, toastMessage } from "../components/toast.ts";
import { type Html, markup, type Part } from "../html.ts";
import type { FormSecrets, PageContent } from "../page_route.ts";
import type { PageSession } from "../session/page_sessions.ts";
import { type Language, LANGUAGES, TEXTS, type Texts } from "../texts/texts.ts";
import { type Navigation, navigationFor, type NavigationLink } from "./navigation.ts";

/** The icon, inline, because browsers otherwise request /favicon.ico. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' " +
  "rx='3' fill='%230b5c63'/%3E%3Cpath d='M4 8h7M8 5l3 3-3 3' stroke='white' stroke-width='1.8' fill='none'/%3E%3C/svg%3E";

export interface Frame {
  language: Language;
  texts: Texts;
  session: PageSession | null;
  hidden: FormSecrets;
  /** The local URL that the language switch returns to. */
  returnTo: string;
  toast: Toast | null;
  hasStatus: boolean;
}

export function renderDocument(content: Omit<PageContent, "kind">, frame: Frame): string {
  const { texts, language, session } = frame;
  const { title, section = null, scripts = [], head = null, contentLanguage } = content;
  const viewer = session?.session.viewer.kind ?? null;
  const navigation = navigationFor({ viewer, section, hasStatus: frame.hasStatus }, texts);
  const whole = markup`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${section === "home" ? `Regfeed${texts.common.colon} ${title}` : `${title} · Regfeed`}</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${STYLESHEET_PATH}">
${
    ["page" as const, ...scripts].map((name) =>
      markup`<script type="module" src="${scriptPath(name)}"></script>`
    )
  }
${head}</head>
<body>
<a class="skip" href="#content">${texts.common.skip}</a>
${headerOf(navigation, frame)}
${sectionsOf(navigation, texts)}
${frame.toast === null ? null : toastMessage(frame.toast)}
<main id="content" tabindex="-1"${contentLanguage === undefined ? null : markup` lang="${contentLanguage}"`}>
${content.body}
</main>
${footerOf(frame)}
</body>
</html>
`;
  return whole.text;
}

function headerOf(navigation: Navigation, { texts, session, hidden }: Frame): Html {
  const { nav } = texts.common;
  const logo =
    markup`<svg viewBox="0 0 16 16" width="24" height="24" aria-hidden="true"><rect width="16" height="16" rx="3"/><path d="M4 8h7M8 5l3 3-3 3"/></svg>`;
  const account = session === null || navigation.sessionsHref === null
    ? markup`<a class="button plain" href="/sign-in">${nav.signIn}</a>`
    : markup`<details class="menu"><summary>${nav.account}</summary><div class="menu-content">
<p>${texts.common.signedInAs(nameOf(session))}</p>
<ul><li><a href="${navigation.sessionsHref}">${nav.sessions}</a></li></ul>
${postForm({ hidden }, { action: "/sign-out", submit: nav.signOut, tone: "plain" })}
</div></details>`;
  return markup`<header class="top"><div class="bar">
<a class="brand" href="/">${logo}<span>Regfeed</span></a>
<nav class="areas" aria-label="${nav.main}">${listOf(navigation.areas)}</nav>
<div class="account">${account}</div>
</div></header>`;
}

function nameOf({ session: { viewer }, customer }: PageSession): string {
  if (viewer.kind === "operator") return viewer.name;
  return customer === null || customer.email === "" ? viewer.customerId : customer.email;
}

function sectionsOf({ sections }: Navigation, { common: { nav } }: Texts): Part {
  return sections.length === 0
    ? null
    : markup`<nav class="sections" aria-label="${nav.section}">${listOf(sections)}</nav>`;
}

function listOf(links: readonly NavigationLink[]): Html {
  return markup`<ul>${
    links.map(({ label, href, isCurrent }) =>
      markup`<li><a href="${href}"${isCurrent ? markup` aria-current="page"` : null}>${label}</a></li>`
    )
  }</ul>`;
}

function footerOf({ language, texts, returnTo, hidden }: Frame): Html {
  const buttons = LANGUAGES.map((one) =>
    markup`<button class="button quiet" name="language" value="${one}" lang="${one}"${
      one === language ? markup` aria-current="true"` : null
    }>${TEXTS[one].common.languageName}</button>`
  );
  const form = postForm({ hidden: { ...hidden, csrf: null } }, {
    action: "/language",
    fields: [hiddenField("return_to", returnTo)],
    submit: markup`${buttons}`,
    layout: "inline",
  });
  return markup`<footer><p>${texts.common.disclaimer}</p>
<div role="group" aria-label="${texts.common.languageSwitch}">${form}</div></footer>`;
}
