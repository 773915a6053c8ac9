// Links: resolves them to absolute URLs, and cleans URLs for comparison.

/** Maximum length of a URL. */
const MAX_URL_CHARACTERS = 4096;

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/**
 * An absolute http(s) address for a link, null when it gives none. A relative link is resolved against the first base,
 * which may itself be relative to the next one, and so on; bases that are no addresses are ignored. Spaces and
 * characters beyond ASCII are encoded, `&amp;` left by double escaping is undone, a user name or password is dropped.
 * Every other scheme (`javascript:`, `mailto:`, `data:`) is refused.
 */
export function absoluteUrl(href: string, ...bases: (string | null)[]): string | null {
  const link = href.trim().replace(/&amp;/gi, "&");
  if (link === "" || link.length > MAX_URL_CHARACTERS) return null;
  if (isNormal(link)) return link;
  if (/^www\.[^/]+\.[a-z]/i.test(link)) return webAddress(`https://${link}`)?.href ?? null;
  let base: URL | null = null;
  if (!SCHEME.test(link)) {
    for (const candidate of bases.toReversed()) {
      if (candidate !== null && candidate.trim() !== "") base = webAddress(candidate.trim(), base) ?? base;
    }
  }
  return webAddress(link, base)?.href ?? null;
}

/**
 * An address that a parser of addresses gives back as it is (https, a host with a name, nothing to encode): most are,
 * and to see that takes a fifth of parsing them. `.` and `..` in a path are left to the parser, and so are hosts in
 * Punycode.
 */
const NORMAL = /^https:\/\/[a-z0-9][a-z0-9.-]*\.[a-z]{2,}\/[\w/~.-]*(?:\?[\w/~.=&+:,;@!*()-]+)?$/;
const NOT_NORMAL = /\.\.|\/\.|xn--/;

function isNormal(address: string): boolean {
  return address.length <= MAX_URL_CHARACTERS && NORMAL.test(address) && !NOT_NORMAL.test(address);
}

function webAddress(text: string, base: URL | null = null): URL | null {
  const url = URL.parse(text, base?.href);
  if (url === null) return null;
  if (url.protocol !== "https:" && url.protocol !== "http:") return null;
  if (url.username !== "" || url.password !== "") url.username = url.password = "";
  return url.href.length > MAX_URL_CHARACTERS ? null : url;
}

/** Query parameters, by lower-case name, that say how a reader came, or who it is, and not what is read. */
const TRACKING: ReadonlySet<string> = new Set(
  ("fbclid gclid gclsrc dclid gbraid wbraid msclkid yclid twclid ttclid igshid igsh li_fat_id mc_cid mc_eid mkt_tok " +
    "wt.mc_id wt_mc xtor cmpid s_cid ns_campaign ns_mchannel ns_source _gl _ga phpsessid jsessionid cfid cftoken")
    .split(" "),
);
/** The same by their beginnings. */
const TRACKING_PREFIX = /^(?:utm_|at_|pk_|mtm_|piwik_|matomo_|hsa_|_hs|aspsessionid)/;

/**
 * What of an absolute address identifies a publication, for comparison and never for reading: without tracking
 * parameters (in the fragment neither, where some sites write them), session ids, an empty fragment, a user name and
 * the scheme's own port, with `https` for `http` (a site that moves to https has not published everything anew) and a
 * lower-case host. Other parameters keep their order and spelling. Text that is no http(s) address is given back
 * trimmed.
 */
export function cleanUrl(url: string): string {
  return clean(url, withoutTracking);
}

/** The same as it was while whatever stood in a fragment counted: publications are still known by it. */
export function cleanUrlSinglePass(url: string): string {
  return clean(url, (hash) => hash);
}

function clean(url: string, fragmentOf: (hash: string) => string): string {
  if (isNormal(url)) {
    const end = url.indexOf("?");
    return end === -1 ? url : url.slice(0, end) + telling(url.slice(end));
  }
  const address = webAddress(url.trim());
  if (address === null) return url.trim();
  const path = address.pathname.replace(/;jsessionid=[^/;]*/i, "");
  return `https://${address.host}${path}${telling(address.search)}${fragmentOf(address.hash)}`;
}

/** A query with its "?" without tracking parameters; empty where no other is left. */
function telling(search: string): string {
  if (search === "") return "";
  const query = search.slice(1).split("&").filter((part) => part !== "" && !isTracking(part)).join("&");
  return query === "" ? "" : `?${query}`;
}

/** Removes tracking parameters with values from a fragment; a plain name is an anchor in the page. */
function withoutTracking(hash: string): string {
  if (!hash.includes("=")) return hash;
  const parts = hash.slice(1).split("&");
  const kept = parts.filter((part) => !part.includes("=") || !isTracking(part));
  return kept.length === parts.length ? hash : kept.length === 0 ? "" : `#${kept.join("&")}`;
}

function isTracking(parameter: string): boolean {
  const name = (parameter.split("=", 1)[0] ?? "").toLowerCase();
  return TRACKING.has(name) || TRACKING_PREFIX.test(name);
}
