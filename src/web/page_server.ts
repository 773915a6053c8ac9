// Serves the pages: finds the row of a request, its session and language, and renders the result or the error.
import type { Clock, Random } from "../domain/ports/ports.ts";
import type { FoundPage, Pages, Visit } from "../http/page_visit.ts";
import { pathOf } from "../http/request_url.ts";
import { contentResponse, knownContent } from "../http/responses.ts";
import { createRouter, type FindDestination } from "../http/router.ts";
import { findAsset } from "./assets.ts";
import type { PageRoute } from "./page_route.ts";
import { acceptsPage, PageVisit, type PageVisitOptions } from "./page_visit.ts";
import { localPath } from "./session/local_path.ts";
import type { PageForms, PageSessions } from "./session/page_sessions.ts";
import { sessionCookieFor } from "./session/cookies.ts";

interface PageServerOptions {
  routes: readonly PageRoute[];
  clock: Clock;
  random: Random;
  publicUrl: string;
  sessions: PageSessions;
  forms: PageForms;
  hasStatus(isSignedIn: boolean): boolean;
  signInAgain?: NonNullable<PageVisitOptions["signInAgain"]>;
}

const IMMUTABLE = "public, max-age=31536000, immutable";

export function createPageServer(options: PageServerOptions): Pages {
  const find = createRouter(options.routes);
  const shared: PageVisitOptions = {
    ...options,
    sessionCookie: sessionCookieFor(options.publicUrl),
    inFlight: new Map(),
  };
  return {
    find(visit) {
      const path = pathOf(visit.address);
      if (path.startsWith("/assets/")) return assetAt(path, visit) ?? notFound(visit, shared);
      const destination = find(visit.request.method, path);
      if (destination.kind === "nowhere") return notFound(visit, shared);
      const page = new PageVisit(visit, shared);
      if (destination.kind === "other_method") {
        const owner = visit.request.method === "GET" ? ownerOf(path, find) : null;
        return owner === null
          ? page.refusing(destination.path, destination.allow)
          : page.leadingTo(destination.path, owner);
      }
      return page.of(destination.route, destination.params);
    },
  };
}

/** Returns the path of the page that contains the form which is sent to `path`, or null if there is none. */
function ownerOf(path: string, find: FindDestination<PageRoute>): string | null {
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    const parent = path.slice(0, end);
    if (find("GET", parent).kind === "route") return localPath(parent);
  }
  return null;
}

/** An unknown path is a page for browsers; for programs, it is the API's error. */
function notFound(visit: Visit, shared: PageVisitOptions): FoundPage | null {
  return acceptsPage(visit.request) ? new PageVisit(visit, shared).unknown() : null;
}

function assetAt(path: string, visit: Visit): FoundPage | null {
  const asset = findAsset(path);
  const { request, requestId } = visit;
  if (asset === null || (request.method !== "GET" && request.method !== "HEAD")) return null;
  return {
    path: "/assets/{name}",
    respond() {
      visit.countAnonymous();
      const content = {
        status: 200,
        ...asset,
        headers: {
          "cache-control": IMMUTABLE,
          "x-content-type-options": "nosniff",
          "x-request-id": requestId,
        },
      };
      return Promise.resolve(contentResponse(request, content, knownContent(request, content)));
    },
    fail: () => null,
  };
}
