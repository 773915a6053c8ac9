// Where a request goes: from its method and path to a route, or to what is wrong with them.
import type { Route } from "./route.ts";

/** What a method and a path lead to. */
export type Destination =
  | { kind: "route"; route: Route; params: Record<string, string>; isPublic: boolean }
  /** The path is there, and takes other methods; public when all of them are. */
  | { kind: "other_method"; path: string; allow: string; isPublic: boolean }
  | { kind: "nowhere" };

/** Finds the destination of a request; `path` is as it was sent, without its query. */
export type FindDestination = (method: string, path: string) => Destination;

/** A segment that stands for a parameter. */
const PARAMETER = /^\{(\w+)\}$/;

/** The routes of one path. */
interface Place {
  path: string;
  /**
   * What stands before its last segment, where that is its only parameter and no other path has a word in its place:
   * every segment behind it leads here. Else empty.
   */
  prefix: string;
  /** The parameter behind the prefix. */
  parameter: string;
  /** Its parameters, each with the place of its segment. */
  parameters: readonly { name: string; at: number }[];
  routes: ReadonlyMap<string, Route>;
  /** The methods that it takes, as `Allow` names them (RFC 9110, 10.2.1). */
  allow: string;
  /** Whether every one of its routes is. */
  isPublic: boolean;
}

/** Where the paths go on from a segment, and the place of the path that ends there. */
interface Branch {
  fixed: { segment: string; branch: Branch }[];
  /** Where any other segment leads that is not empty. */
  open: Branch | null;
  place: Place | null;
}

const NOWHERE: Destination = { kind: "nowhere" };

/** A router over the routes. A segment that is a route's own word is that before it stands for a parameter. */
export function createRouter(routes: readonly Route[]): FindDestination {
  const root = newBranch();
  const byPath = Map.groupBy(routes, (route) => route.path);
  for (const [path, own] of byPath) plant(root, placeOf(path, own, [...byPath.keys()]));
  let last: Place | null = null;
  return (method, sentPath) => {
    // Most requests go where the one before them went: to see that they do costs less than any walk.
    if (last !== null && leadsTo(last, sentPath)) {
      const value = sentPath.slice(last.prefix.length);
      // The runtime makes an object whose name is known at once, and any other one step by step: nearly all are an id.
      const params: Record<string, string> = last.parameter === "id"
        ? { id: value }
        : { [last.parameter]: value };
      return destinationAt(last, method, params);
    }
    const path = decodePath(sentPath);
    const place = path.startsWith("/") ? placeAt(root, path, 1) : null;
    if (place === null) return NOWHERE;
    if (place.prefix !== "") last = place;
    const params: Record<string, string> = {};
    for (const { name, at } of place.parameters) {
      params[name] = decode(segmentOf(path, at), decodeURIComponent);
    }
    return destinationAt(place, method, params);
  };
}

/** Whether a path, as it was sent, leads to a place that has a `prefix`. */
function leadsTo({ prefix }: Place, path: string): boolean {
  return path.length > prefix.length && path.startsWith(prefix) && !path.includes("/", prefix.length) &&
    !path.includes("%", prefix.length);
}

function destinationAt(place: Place, method: string, params: Record<string, string>): Destination {
  // HEAD is GET without the body (RFC 9110, 9.3.2).
  const route = place.routes.get(method === "HEAD" ? "GET" : method);
  if (route !== undefined) return { kind: "route", route, params, isPublic: route.access === "public" };
  const { path, allow, isPublic } = place;
  return { kind: "other_method", path, allow, isPublic };
}

function newBranch(): Branch {
  return { fixed: [], open: null, place: null };
}

function plant(root: Branch, place: Place): void {
  let branch = root;
  for (const segment of place.path.split("/").slice(1)) {
    if (PARAMETER.test(segment)) branch = branch.open ??= newBranch();
    else {
      const known = branch.fixed.find((one) => one.segment === segment);
      const next = known ?? { segment, branch: newBranch() };
      if (known === undefined) branch.fixed.push(next);
      branch = next.branch;
    }
  }
  branch.place = place;
}

/** The place to which a path leads from the segment on that begins at `from`. */
function placeAt(branch: Branch, path: string, from: number): Place | null {
  if (from > path.length) return branch.place;
  const end = endOfSegment(path, from);
  // They are few, and compared where they stand: to look a segment up in a map, it had to be cut out and hashed.
  for (const { segment, branch: own } of branch.fixed) {
    if (segment.length !== end - from || !path.startsWith(segment, from)) continue;
    const place = placeAt(own, path, end + 1);
    if (place !== null) return place;
    break;
  }
  return branch.open === null || end === from ? null : placeAt(branch.open, path, end + 1);
}

/** The segment of a path at a place; 0 is what stands before its first slash. */
function segmentOf(path: string, at: number): string {
  let from = 0;
  for (let before = 0; before < at; before++) from = endOfSegment(path, from) + 1;
  return path.slice(from, endOfSegment(path, from));
}

function endOfSegment(path: string, from: number): number {
  const slash = path.indexOf("/", from);
  return slash === -1 ? path.length : slash;
}

function placeOf(path: string, routes: readonly Route[], paths: readonly string[]): Place {
  const methods: string[] = routes.map((route) => route.method);
  const parameters = path.split("/").flatMap((segment, at) => {
    const name = PARAMETER.exec(segment)?.[1];
    return name === undefined ? [] : [{ name, at }];
  });
  const prefix = path.slice(0, path.lastIndexOf("/") + 1);
  const isSure = parameters.length === 1 && path.slice(prefix.length) === `{${parameters[0]?.name}}` &&
    paths.every((other) => !other.startsWith(prefix) || other.startsWith(path));
  return {
    path,
    prefix: isSure ? prefix : "",
    parameter: parameters[0]?.name ?? "",
    parameters,
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
