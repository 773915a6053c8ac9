// Finds the route for a request's method and path, or the reason why there is none.

/** What the router reads of a route. */
interface Routable {
  method: string;
  path: string;
  /** Whether the route needs no credentials is part of the destination. */
  access: string;
}

type Destination<Route> =
  | { kind: "route"; route: Route; params: Record<string, string>; isPublic: boolean }
  /** The path exists, but does not support the method. It is public if all its routes are. */
  | { kind: "other_method"; path: string; allow: string; isPublic: boolean }
  | { kind: "nowhere" };

/** Finds the destination of a request. `path` is the path as sent, without the query. */
export type FindDestination<Route> = (method: string, path: string) => Destination<Route>;

interface PathRoutes<Route> {
  path: string;
  routes: ReadonlyMap<string, Route>;
  /** The value of `Allow` (RFC 9110, section 10.2.1). */
  allow: string;
  isPublic: boolean;
}

interface Pattern<Route> {
  expression: RegExp;
  parameters: readonly string[];
  found: PathRoutes<Route>;
}

/** Creates a router for the routes. A fixed segment takes precedence over a parameter. */
export function createRouter<Route extends Routable>(routes: readonly Route[]): FindDestination<Route> {
  const fixed = new Map<string, PathRoutes<Route>>();
  const patterns: Pattern<Route>[] = [];
  const byPath = Map.groupBy(routes, (route) => route.path);
  // Sorting puts fixed segments before parameters, because "{" comes after all letters.
  for (const path of [...byPath.keys()].sort()) {
    const found = describePath(path, byPath.get(path) ?? []);
    if (path.includes("{")) patterns.push({ ...compile(path), found });
    else fixed.set(path, found);
  }
  return (method, sentPath) => {
    const path = normalize(sentPath);
    const plain = fixed.get(path);
    if (plain !== undefined) return choose(plain, method, {});
    for (const { expression, parameters, found } of patterns) {
      const match = expression.exec(path);
      if (match === null) continue;
      const params = parameters.map((name, at) => [name, decode(match[at + 1] ?? "", decodeURIComponent)]);
      return choose(found, method, Object.fromEntries(params));
    }
    return { kind: "nowhere" };
  };
}

function describePath<Route extends Routable>(path: string, routes: readonly Route[]): PathRoutes<Route> {
  const methods: string[] = routes.map((route) => route.method);
  return {
    path,
    routes: new Map(routes.map((route) => [route.method, route])),
    allow: [...methods, ...(methods.includes("GET") ? ["HEAD"] : [])].sort().join(", "),
    isPublic: routes.every((route) => route.access === "public"),
  };
}

function compile(path: string): Pick<Pattern<unknown>, "expression" | "parameters"> {
  const parameters: string[] = [];
  const source = path.split("/").map((segment) => {
    const [, name] = /^\{(\w+)\}$/.exec(segment) ?? [];
    if (name === undefined) return RegExp.escape(segment);
    parameters.push(name);
    return "([^/]+)";
  });
  return { expression: new RegExp(`^${source.join("/")}$`), parameters };
}

function choose<Route extends Routable>(
  { path, routes, allow, isPublic }: PathRoutes<Route>,
  method: string,
  params: Record<string, string>,
): Destination<Route> {
  // HEAD is GET without the body (RFC 9110, section 9.3.2).
  const route = routes.get(method === "HEAD" ? "GET" : method);
  return route === undefined
    ? { kind: "other_method", path, allow, isPublic }
    : { kind: "route", route, params, isPublic: route.access === "public" };
}

/**
 * Decodes a path (RFC 3986, section 6.2.2.2), but leaves reserved characters and `%25` encoded until the parameters are
 * decoded.
 */
function normalize(path: string): string {
  return decode(path.replaceAll("%25", "%2525"), decodeURI);
}

/** Decodes a percent-encoded string, or returns it unchanged if it is not valid percent-encoded UTF-8. */
function decode(text: string, by: (text: string) => string): string {
  if (!text.includes("%")) return text;
  try {
    return by(text);
  } catch {
    return text;
  }
}
