// The parts of an address that a request names, each made once.

/** The texts of an address. */
export interface UrlParts {
  href: string;
  origin: string;
  /** With the port, unless that is the protocol's own. */
  host: string;
  /** With the query. */
  path: string;
}

const known = new WeakMap<URL, UrlParts>();

/** Whoever sends often to one address does so with one URL, which makes a text of each part whenever it is asked. */
export function partsOf(url: URL): UrlParts {
  const { href } = url;
  let parts = known.get(url);
  if (parts === undefined || parts.href !== href) {
    const { protocol, host } = url;
    parts = { href, origin: `${protocol}//${host}`, host, path: url.pathname + url.search };
    known.set(url, parts);
  }
  return parts;
}
