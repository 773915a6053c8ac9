// All pages, by area.
import type { NewId } from "../domain/event/ids.ts";
import type { Clock, Log, Random } from "../domain/ports/ports.ts";
import type { OpenApi } from "../wire/openapi.ts";
import type { FeedVisitStore } from "../domain/ports/store/feed_visits.ts";
import type { Store } from "../domain/ports/store/store.ts";
import type { Pages } from "../http/page_visit.ts";
import { type ConsoleOptions, consolePages } from "./console/console_pages.ts";
import { eventPage, type Explain } from "./console/event/event_page.ts";
import { feedPages } from "./console/feed/feed_page.ts";
import { docsPages } from "./docs/docs_pages.ts";
import { languagePage } from "./layout/language.ts";
import { createPageServer } from "./page_server.ts";
import { sessionCookieFor } from "./session/cookies.ts";
import type { PageForms } from "./session/page_sessions.ts";
import { linkRoutes } from "./sign_in/link_pages.ts";
import { oidcRoutes } from "./sign_in/oidc_pages.ts";
import { sessionRoutes } from "./sign_in/session_pages.ts";
import { createSignInLimit } from "./sign_in/sign_in_limit.ts";
import { signInAgain, signInRoutes } from "./sign_in/sign_in_pages.ts";
import type { Oidc, SignIn, SignInSessions } from "./sign_in/sign_in_port.ts";
import type { OperatorActs } from "../domain/operator/operator_acts.ts";
import { operatorPages } from "./operator/operator_pages.ts";
import { homePage } from "./status/home.ts";
import { createStatusReader, type StatusOptions } from "./status/status_report.ts";
import { type StatusAccess, statusRoutes } from "./status/status_routes.ts";

export interface PagesOptions extends ConsoleOptions {
  clock: Pick<Clock, "nowMs" | "within" | "sleep" | "turn">;
  random: Random;
  publicUrl: string;
  status: StatusAccess;
  feed: FeedVisitStore;
  explain: Explain;
  /** Returns the description of the API. */
  describe(): Promise<OpenApi>;
  sessions: SignInSessions;
  forms: PageForms;
  signIn: SignIn;
  /** Null if the config has no `[console.oidc]`. */
  oidc: Oidc | null;
  signInLog: Log;
  store: Store;
  operator: OperatorActs;
  /** The enabled sources. */
  sources: StatusOptions["sources"];
  newId: NewId;
}

export function createPages(options: PagesOptions): Pages {
  const hasStatus = (isSignedIn: boolean) =>
    options.status === "public" || (options.status === "signed-in" && isSignedIn);
  const { publicUrl, oidc } = options;
  const sessionCookie = sessionCookieFor(publicUrl);
  const signIn = {
    ...options,
    sessionCookie,
    limit: createSignInLimit(options.clock),
    log: options.signInLog,
  };
  const reader = createStatusReader(options);
  const routes = [
    homePage({ hasStatus, reader }),
    languagePage,
    ...statusRoutes({ ...options, access: options.status, reader }),
    ...feedPages(options),
    eventPage(options),
    ...consolePages(options),
    ...docsPages(options),
    ...signInRoutes(signIn),
    ...linkRoutes(signIn),
    ...(oidc === null ? [] : oidcRoutes({ ...signIn, oidc })),
    ...sessionRoutes(signIn),
    ...operatorPages({ ...options, acts: options.operator }),
  ];
  return createPageServer({
    ...options,
    hasStatus,
    routes,
    signInAgain: (call, action) => signInAgain(call, action, signIn),
  });
}
