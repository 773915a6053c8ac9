// Sitemaps (sitemaps.org, protocol 0.9): the pages of a map, the maps of an index. One bad entry never loses another.
import { decodeText } from "./decode.ts";
import { foreignRoot } from "./foreign.ts";
import { DocumentError, type ParsedDocument, type ParseProblem } from "./parsed.ts";
import { contentText, escapeText, findEnd, nextTag } from "./scan_xml.ts";

/** A page of a map, or a map of an index. */
export interface SitemapEntry {
  /** As stated. */
  address: string;
  /** As stated: a W3C date, with or without a time. */
  lastmod: string | null;
  /** What the extension for news says of it. */
  title: string | null;
}

/** A map or an index of maps. */
export interface Sitemap {
  kind: "urlset" | "sitemapindex";
  entries: SitemapEntry[];
  problems: ParseProblem[];
}

/**
 * Reads a map; one that breaks off gives its complete entries and a problem that says so. Throws a
 * {@link DocumentError} when it is none.
 */
export function readSitemap(
  bytes: Uint8Array,
  options: { contentType: string | null; maxEntries: number },
): Sitemap {
  const { text } = decodeText(bytes, options.contentType);
  const kind = kindOfMap(text);
  if (kind === null) {
    const root = nextTag(text, 0);
    throw root?.kind === "start"
      ? foreignRoot(root.name, text, "a sitemap")
      : new DocumentError("this is no sitemap");
  }
  const map: Sitemap = { kind, entries: [], problems: [] };
  const inner = kind === "urlset" ? "url" : "sitemap";
  let passedOver = 0;
  let place = 0;
  let isClosed = false;
  for (let tag = nextTag(text, 0); tag !== null; tag = nextTag(text, tag.end)) {
    const name = localName(tag.name);
    if (tag.kind === "end" && name === kind) isClosed = true;
    if (tag.kind === "end" || name !== inner || tag.empty) continue;
    const end = findEnd(text, tag.end, tag.name, tag.name);
    const closes = end !== -1;
    place++;
    const entry = readEntry(text.slice(tag.end, closes ? end : nextEntry(text, tag)));
    if (entry !== null) map.entries.push(entry);
    else if (map.problems.length < options.maxEntries) {
      map.problems.push({ item: `item ${place}`, reason: "it has no address" });
    }
    // Now and then, so that a map of any length is sorted seldom and held in part.
    if (map.entries.length >= 2 * options.maxEntries) {
      passedOver += keepNewest(map.entries, options.maxEntries);
    }
  }
  passedOver += keepNewest(map.entries, options.maxEntries);
  if (passedOver > 0) {
    const reason = `${passedOver} entries are passed over: only the newest ${options.maxEntries} are read`;
    map.problems.push({ item: "document", reason });
  }
  if (!isClosed) map.problems.push({ item: "document", reason: `the map breaks off after item ${place}` });
  return map;
}

/**
 * Leaves so many entries, those that changed last, in their order; maps have their newest pages at their end as often
 * as at their beginning. Returns how many it took away. W3C dates sort as texts, but for their zones.
 */
function keepNewest(entries: SitemapEntry[], limit: number): number {
  if (entries.length <= limit) return 0;
  const byAge = entries.map(({ lastmod }, place) => ({ lastmod: lastmod ?? "", place }))
    .sort((a, b) => a.lastmod < b.lastmod ? 1 : a.lastmod > b.lastmod ? -1 : a.place - b.place);
  const kept = byAge.slice(0, limit).map(({ place }) => place).sort((a, b) => a - b)
    .map((place) => entries[place] as SitemapEntry);
  const dropped = entries.length - limit;
  entries.splice(0, entries.length, ...kept);
  return dropped;
}

/** Whether a text is a map: by its root element. */
export function kindOfMap(text: string): Sitemap["kind"] | null {
  const root = nextTag(text, 0);
  const name = root?.kind === "start" ? localName(root.name) : "";
  return name === "urlset" || name === "sitemapindex" ? name : null;
}

/** A map as a document of items, for looking at it. */
export function describeSitemap(map: Sitemap): ParsedDocument {
  return {
    format: "sitemap",
    title: null,
    language: null,
    baseUrl: null,
    ttlMinutes: null,
    next: null,
    items: map.entries.map(({ address, lastmod, title }) => ({
      guid: null,
      link: address,
      title: escapeText(title ?? address),
      summary: null,
      publishedText: null,
      updatedText: lastmod,
      categories: [],
      authors: [],
      language: null,
      baseUrl: null,
    })),
    problems: map.problems,
  };
}

function readEntry(content: string): SitemapEntry | null {
  const found = new Map<string, string>();
  for (let tag = nextTag(content, 0); tag !== null; tag = nextTag(content, tag.end)) {
    const name = tag.name.toLowerCase();
    const local = localName(tag.name);
    // Images and videos have an address and a title of their own.
    if (tag.kind === "end" || tag.empty || /^(?:image|video|xhtml):/.test(name) || found.has(local)) continue;
    if (local !== "loc" && local !== "lastmod" && name !== "news:title") continue;
    const end = findEnd(content, tag.end, tag.name, tag.name);
    if (end !== -1) found.set(local, contentText(content.slice(tag.end, end)));
  }
  const address = found.get("loc") ?? "";
  if (address === "") return null;
  return { address, lastmod: found.get("lastmod") || null, title: found.get("title") || null };
}

/** Where an entry ends whose end is missing: where the next begins. */
function nextEntry(text: string, { name, end }: { name: string; end: number }): number {
  const next = text.indexOf(`<${name}`, end);
  return next === -1 ? text.length : next;
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1).toLowerCase();
}
