// Reads sitemaps and sitemap indexes (sitemaps.org, protocol 0.9). An invalid entry does not affect others.
import { decodeText } from "../decode.ts";
import { foreignRoot } from "../unexpected_format.ts";
import type { ParsedDocument, ParseProblem } from "../parsed.ts";
import { DocumentError, documentProblem, NO_PROPERTIES } from "../parsed.ts";
import { EMPTY_ITEM } from "./fields.ts";
import { contentText, type EndTag, escapeText, nextTag, type StartTag } from "./scan_xml.ts";
import { MAX_URL_CHARACTERS } from "../../normalise/links.ts";

export interface SitemapEntry {
  address: string;
  /** A W3C date as stated, with or without a time. */
  lastmod: string | null;
  /** The title from the news extension. */
  title: string | null;
}

interface Sitemap {
  kind: "urlset" | "sitemapindex";
  entries: SitemapEntry[];
  problems: ParseProblem[];
}

/** Reads a sitemap, or the complete entries of a truncated one. Throws {@link DocumentError}. */
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
      : new DocumentError("this is not a sitemap");
  }
  const map: Sitemap = { kind, entries: [], problems: [] };
  const inner = kind === "urlset" ? "url" : "sitemap";
  let skipped = 0;
  let count = 0;
  let isClosed = false;
  /** The values of the current entry; null between entries. */
  let entry: Map<string, string> | null = null;
  const endEntry = (): void => {
    if (entry === null) return;
    count++;
    const address = entry.get("loc") ?? "";
    if (address !== "" && address.length <= MAX_URL_CHARACTERS) {
      map.entries.push({ address, lastmod: entry.get("lastmod") || null, title: entry.get("title") || null });
    } else if (map.problems.length < options.maxEntries) {
      map.problems.push({
        item: `item ${count}`,
        reason: address === "" ? "it has no URL" : "its URL is too long",
      });
    }
    entry = null;
    // Removing entries only at twice the limit keeps sorting rare and memory bounded.
    if (map.entries.length >= 2 * options.maxEntries) {
      skipped += keepNewest(map.entries, options.maxEntries);
    }
  };
  for (let tag = nextTag(text, 0), next = tag; tag !== null; tag = next) {
    next = nextTag(text, tag.end);
    const name = localName(tag.name);
    if (name === inner) {
      endEntry(); // an entry without an end tag ends where the next one begins
      if (tag.kind === "start" && !tag.empty) entry = new Map();
    } else if (tag.kind === "end") isClosed ||= name === kind;
    else if (entry !== null && !tag.empty) storeValue(entry, tag, next, text);
  }
  endEntry();
  skipped += keepNewest(map.entries, options.maxEntries);
  if (skipped > 0) {
    const reason = `entries beyond the newest ${options.maxEntries} (${skipped} in total) are ignored`;
    map.problems.push(documentProblem(reason));
  }
  if (!isClosed) map.problems.push(documentProblem(`the sitemap is truncated after item ${count}`));
  return map;
}

/** Keeps the latest entries. Returns the number removed. W3C dates sort as strings if time zones are ignored. */
function keepNewest(entries: SitemapEntry[], limit: number): number {
  if (entries.length <= limit) return 0;
  const byAge = entries.map(({ lastmod }, at) => ({ lastmod: lastmod ?? "", at }))
    .sort((a, b) => a.lastmod < b.lastmod ? 1 : a.lastmod > b.lastmod ? -1 : a.at - b.at);
  const kept = byAge.slice(0, limit).map(({ at }) => at).sort((a, b) => a - b)
    .map((at) => entries[at] as SitemapEntry);
  const dropped = entries.length - limit;
  entries.splice(0, entries.length, ...kept);
  return dropped;
}

/** Returns the kind of sitemap by its root element, or null if it is not one. */
export function kindOfMap(text: string): Sitemap["kind"] | null {
  const root = nextTag(text, 0);
  const name = root?.kind === "start" ? localName(root.name) : "";
  return name === "urlset" || name === "sitemapindex" ? name : null;
}

export function describeSitemap(map: Sitemap): ParsedDocument {
  return {
    ...NO_PROPERTIES,
    format: "sitemap",
    items: map.entries.map(({ address, lastmod, title }) => ({
      ...EMPTY_ITEM,
      link: address,
      title: escapeText(title ?? address),
      updatedText: lastmod,
    })),
    problems: map.problems,
  };
}

/** Stores the text of an entry's element. The element ends at the next tag, because it contains no other elements. */
function storeValue(
  entry: Map<string, string>,
  { name, end }: StartTag,
  next: StartTag | EndTag | null,
  text: string,
): void {
  const lower = name.toLowerCase();
  const local = localName(name);
  // Images and videos have their own URL and title.
  if (/^(?:image|video|xhtml):/.test(lower) || entry.has(local)) return;
  if (local !== "loc" && local !== "lastmod" && lower !== "news:title") return;
  if (next?.kind !== "end" || next.name !== name) return;
  entry.set(local, contentText(text.slice(end, next.start)));
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1).toLowerCase();
}
