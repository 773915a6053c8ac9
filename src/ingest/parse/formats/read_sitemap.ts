// Reads sitemaps and sitemap indexes (sitemaps.org, protocol 0.9). An invalid entry does not affect others.
import { decodeText } from "../decode.ts";
import { foreignRoot } from "../unexpected_format.ts";
import { DocumentError, type ParsedDocument, type ParseProblem } from "../parsed.ts";
import { contentText, type EndTag, escapeText, nextTag, type StartTag } from "./scan_xml.ts";

/** A page of a map, or a map of an index. */
export interface SitemapEntry {
  /** As stated. */
  address: string;
  /** As stated: a W3C date, with or without a time. */
  lastmod: string | null;
  /** The fields of the news extension. */
  title: string | null;
}

/** A map or an index of maps. */
export interface Sitemap {
  kind: "urlset" | "sitemapindex";
  entries: SitemapEntry[];
  problems: ParseProblem[];
}

/**
 * Reads a map; one that breaks off gives its complete entries and a problem that says so. Throws a {@link
 * DocumentError} when it is none.
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
  let skipped = 0;
  let place = 0;
  let isClosed = false;
  /** The current entry; null between entries. */
  let said: Map<string, string> | null = null;
  const endEntry = (): void => {
    if (said === null) return;
    place++;
    const address = said.get("loc") ?? "";
    if (address !== "") {
      map.entries.push({ address, lastmod: said.get("lastmod") || null, title: said.get("title") || null });
    } else if (map.problems.length < options.maxEntries) {
      map.problems.push({ item: `item ${place}`, reason: "it has no URL" });
    }
    said = null;
    // Now and then, so that a map of any length is sorted seldom and held in part.
    if (map.entries.length >= 2 * options.maxEntries) {
      skipped += keepNewest(map.entries, options.maxEntries);
    }
  };
  for (let tag = nextTag(text, 0), next = tag; tag !== null; tag = next) {
    next = nextTag(text, tag.end);
    const name = localName(tag.name);
    if (name === inner) {
      endEntry(); // an entry that begins within an entry ends it
      if (tag.kind === "start" && !tag.empty) said = new Map();
    } else if (tag.kind === "end") isClosed ||= name === kind;
    else if (said !== null && !tag.empty) takeValue(said, tag, next, text);
  }
  endEntry();
  skipped += keepNewest(map.entries, options.maxEntries);
  if (skipped > 0) {
    const reason = `${skipped} entries are ignored: only the newest ${options.maxEntries} are read`;
    map.problems.push({ item: "document", reason });
  }
  if (!isClosed) {
    map.problems.push({ item: "document", reason: `the sitemap is truncated after item ${place}` });
  }
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

/** Takes the text of an entry's element, which ends at the next tag: the element contains no others. */
function takeValue(
  said: Map<string, string>,
  { name, end }: StartTag,
  next: StartTag | EndTag | null,
  text: string,
): void {
  const lower = name.toLowerCase();
  const local = localName(name);
  // Images and videos have their own URL and title.
  if (/^(?:image|video|xhtml):/.test(lower) || said.has(local)) return;
  if (local !== "loc" && local !== "lastmod" && lower !== "news:title") return;
  if (next?.kind !== "end" || next.name !== name) return;
  said.set(local, contentText(text.slice(end, next.start)));
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1).toLowerCase();
}
