// Where a request goes: from its method and path to a route, or to what is wrong with them.
import { RegExpRouter } from "hono/router/reg-exp-router";
import type { Route } from "./route.ts";

/** What a method and a path lead to. */
export type Destination =
  | { kind: "route"; route: Route; params: Record<string, string>; isPublic: boolean }
  /** The path is there, and takes other methods; public when all of them are. */
  | { kind: "other_method"; path: string; allow: string; isPublic: boolean }
  | { kind: "nowhere" };

/** Finds the destination of a request; `path` is as it was sent, without its query. */
export type FindDestination = (method: string, path: string) => Destination;

/** The routes of one path. */
interface Place {
  path: string;
  routes: ReadonlyMap<string, Route>;
  /** The methods that it takes, as `Allow` names them (RFC 9110, 10.2.1). */
  allow: string;
  /** Whether every one of its routes is. */
  isPublic: boolean;
}

const NOWHERE: Destination = { kind: "nowhere" };

/** A router over the routes. */
export function createRouter(routes: readonly Route[]): FindDestination {
  const router = new RegExpRouter<Place>();
  for (const [path, own] of Map.groupBy(routes, (route) => route.path)) {
    router.add("ALL", path.replace(/\{(\w+)\}/g, ":$1"), placeOf(path, own));
  }
  return (method, sentPath) => {
    const [matches, texts] = router.match(method, decodePath(sentPath));
    const [place, indexes] = matches[0] ?? [];
    if (place === undefined) return NOWHERE;
    // HEAD is GET without the body (RFC 9110, 9.3.2).
    const route = place.routes.get(method === "HEAD" ? "GET" : method);
    if (route === undefined) {
      const { path, allow, isPublic } = place;
      return { kind: "other_method", path, allow, isPublic };
    }
    const params: Record<string, string> = {};
    for (const [name, at] of Object.entries(indexes ?? {})) {
      // The router gives a place among what it matched, or the text itself.
      params[name] = decode(typeof at === "number" ? texts?.[at] ?? "" : at, decodeURIComponent);
    }
    return { kind: "route", route, params, isPublic: route.access === "public" };
  };
}

function placeOf(path: string, routes: readonly Route[]): Place {
  const methods: string[] = routes.map((route) => route.method);
  return {
    path,
    routes: new Map(routes.map((route) => [route.method, route])),
    allow: [...methods, ...(methods.includes("GET") ? ["HEAD"] : [])].sort().join(", "),
    isPublic: routes.every((route) => route.access === "public"),
  };
}

/** The path in its plainest form (RFC 3986, 6.2.2.2); what must stay escaped in a path stays so, and `%` among it. */
function decodePath(path: string): string {
  return path.includes("%") ? decode(path.replaceAll("%25", "%2525"), decodeURI) : path;
}

/** What is no UTF-8 stays as it is: it is no name of anything here. */
function decode(text: string, by: (text: string) => string): string {
  if (!text.includes("%")) return text;
  try {
    return by(text);
  } catch {
    return text;
  }
}
