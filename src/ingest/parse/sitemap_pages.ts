// Reads the wanted pages of a sitemap, or the wanted sitemaps of an index. Runs in the parse worker.
import type { SitemapRules } from "../../domain/source/extraction_rules.ts";
import { parseDate } from "../normalise/dates.ts";
import { absoluteUrl } from "../normalise/links.ts";
import { DocumentError, type ParseProblem } from "./parsed.ts";
import { readSitemap, type SitemapEntry } from "./formats/read_sitemap.ts";
import { shortName } from "../fetch/pagination.ts";

/** Maximum number of entries that the protocol allows in one sitemap. */
const MAX_ENTRIES = 50_000;
/** Maximum total length of a sitemap's URLs in characters. Relative URLs can repeat a long base URL. */
const MAX_CHARACTERS = 32 * 1024 * 1024;
const MAX_PROBLEMS = 1_000;

export interface SitemapRequest extends Pick<SitemapRules, "include" | "exclude" | "maps"> {
  bytes: Uint8Array;
  contentType: string | null;
  /** The bases of relative page URLs and of relative sitemap URLs. */
  pageBase: string;
  mapBase: string;
  /** IANA time zone of dates that state none. */
  timezone: string;
  /** The time before which changes are not wanted, in Unix ms. */
  sinceMs: number;
}

export interface DatedPage {
  address: string;
  name: string;
  lastmod: string;
  changedMs: number;
}

export interface SitemapMap {
  url: string;
  changedMs: number | null;
}

export type SitemapContents =
  & { problems: ParseProblem[] }
  & (
    | {
      kind: "urlset";
      entries: DatedPage[];
      /** The numbers of wanted pages with and without a date, whether or not they have changed. */
      dated: number;
      undated: number;
    }
    | { kind: "sitemapindex"; entries: SitemapMap[] }
  );

export function readSitemapPages(request: SitemapRequest): SitemapContents {
  const { bytes, contentType } = request;
  const { kind, entries, problems } = readSitemap(bytes, { contentType, maxEntries: MAX_ENTRIES });
  const reported = problems.filter(({ item }, at) => at < MAX_PROBLEMS || item === "document");
  return kind === "urlset"
    ? { kind, problems: reported, ...datedPages(entries, request) }
    : { kind, problems: reported, entries: wantedMaps(entries, request) };
}

function datedPages(
  entries: readonly SitemapEntry[],
  { include, exclude, pageBase, timezone, sinceMs }: SitemapRequest,
): { entries: DatedPage[]; dated: number; undated: number } {
  const isIncluded = matcher(include);
  const isExcluded = matcher(exclude);
  const pages: DatedPage[] = [];
  let dated = 0;
  let undated = 0;
  const resolve = createResolver(pageBase);
  for (const entry of entries) {
    const address = resolve(entry.address);
    if (address === null || isExcluded(address)) continue;
    if (include.length > 0 && !isIncluded(address)) continue;
    const changedMs = changeOf(entry, timezone);
    if (changedMs === null) {
      undated++;
      continue;
    }
    dated++;
    if (changedMs < sinceMs) continue;
    pages.push({ address, name: shortName(address), lastmod: entry.lastmod ?? "", changedMs });
  }
  return { entries: pages, dated, undated };
}

function wantedMaps(entries: readonly SitemapEntry[], { maps, mapBase, timezone }: SitemapRequest) {
  const isWanted = matcher(maps);
  const resolve = createResolver(mapBase);
  return entries.flatMap((entry) => {
    const url = resolve(entry.address);
    if (url === null || (maps.length > 0 && !isWanted(url))) return [];
    return [{ url, changedMs: changeOf(entry, timezone) }];
  });
}

/** Creates a function that resolves URLs and limits their total length. */
function createResolver(base: string): (address: string) => string | null {
  let characters = 0;
  return (address) => {
    const url = absoluteUrl(address, base);
    characters += url?.length ?? 0;
    if (characters > MAX_CHARACTERS) {
      throw new DocumentError(`the URLs of the sitemap have more than ${MAX_CHARACTERS} characters in total`);
    }
    return url;
  };
}

function matcher(expressions: readonly string[]): (address: string) => boolean {
  const patterns = expressions.map((expression) => new RegExp(expression));
  return (address) => patterns.some((pattern) => pattern.test(address));
}

function changeOf({ lastmod }: SitemapEntry, timezone: string): number | null {
  return lastmod === null ? null : parseDate(lastmod, { timezone });
}
