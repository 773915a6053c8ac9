// All pages, by area.
import type { Clock, Random } from "../domain/ports/ports.ts";
import type { CallApi } from "../http/api_call.ts";
import type { Pages } from "../http/page_visit.ts";
import { languagePage } from "./layout/language.ts";
import { createPageServer } from "./page_server.ts";
import type { PageForms, PageSessions } from "./session/page_sessions.ts";
import { homePage } from "./status/home.ts";

/** Who may see the status page. */
export type StatusAccess = "public" | "signed-in" | "off";

export interface PagesOptions {
  clock: Pick<Clock, "nowMs" | "within" | "sleep" | "turn">;
  random: Random;
  publicUrl: string;
  status: StatusAccess;
  callApi: CallApi;
  sessions: PageSessions;
  forms: PageForms;
}

export function createPages(options: PagesOptions): Pages {
  const hasStatus = (isSignedIn: boolean) =>
    options.status === "public" || (options.status === "signed-in" && isSignedIn);
  const routes = [homePage({ hasStatus }), languagePage];
  return createPageServer({ ...options, hasStatus, routes });
}
