// Fetches the changed pages of a site by its sitemap or sitemap index; each page is a document.
import type { SitemapRules } from "../../domain/source/extraction_rules.ts";
import type { SourceSettings } from "../../domain/source/source.ts";
import { type DocumentResponse, fetchDocument } from "./fetch_document.ts";
import type { FailedPart } from "../partial_failures.ts";
import {
  type Fetched,
  type FetchedDocument,
  FetchError,
  type FetchOptions,
  type Known,
  readCursor,
} from "./fetch_types.ts";
import { adoptedAddress } from "./permanent_redirects.ts";
import { inflateFile } from "../parse/inflate.ts";
import { DocumentError } from "../parse/parsed.ts";
import type { Parser } from "../parse/parse_worker_client.ts";
import type { DatedPage, SitemapContents, SitemapRequest } from "../parse/sitemap_pages.ts";
import { isThrottle } from "./host_circuit_breaker.ts";
import { requireTime, rulesKey } from "./pagination.ts";

const DAY_MS = 86_400_000;
/** Maximum number of changed pages of one fetch; after that no further sitemap is read. */
const MAX_CHANGED = 50_000;
/** Pages that appear in the sitemap up to this many days after their change are found. */
const LATE_DAYS = 14;
/** Maximum number of attempts for a page that fails, until its `lastmod` changes. */
const MAX_TRIES = 10;
/** A page dated by a day is read again when that day has ended in every time zone. */
const DAY_SETTLES_MS = 1.5 * DAY_MS;

/** What fetching a sitemap needs. */
export interface SitemapOptions extends FetchOptions {
  parser: Pick<Parser, "readSitemap">;
}

/** The state of a page: its `lastmod`, whether it is final for that, and the number of failed attempts. */
type SeenPage = [lastmod: string, isSettled: boolean, tries: number];

interface SitemapCursor {
  settings: string;
  /** Pages that changed before this are done or not wanted; Unix ms. */
  sinceMs: number;
  /** The pages that changed later, by the short names of their URLs. */
  pages: Record<string, SeenPage>;
}

/** Reads the sitemap and plans the changed pages. Throws {@link FetchError} if the sitemap cannot be fetched. */
export async function fetchSitemap(
  source: SourceSettings,
  rules: SitemapRules,
  known: Known,
  options: SitemapOptions,
): Promise<Fetched> {
  const nowMs = options.clock.nowMs();
  const settings = rulesKey(source);
  const before = readCursor<SitemapCursor>(known.cursor, settings);
  const sinceMs = sinceWhen(before, rules, nowMs);
  const maps = await readMaps(source, { rules, known, sinceMs, nowMs }, options);
  requireDates(maps);
  const dated = [...maps.pages.values()];
  const pages: SitemapCursor["pages"] = Object.assign(Object.create(null), before?.pages);
  const wanted = dated.filter((page) => !isDone(pages[page.name], page, nowMs));
  sortWanted(wanted, pages, before === null);
  const chosen = wanted.slice(0, rules.maxPages);
  const waiting = before === null ? [] : wanted.slice(rules.maxPages);
  const gone = new Set<string>();
  const unasked = new Set<string>();
  const read = async (page: DatedPage): Promise<FetchedDocument | null> => {
    requireTime(options.clock, nowMs);
    try {
      return await readPage(source, page, options);
    } catch (error) {
      if (error instanceof FetchError) {
        if (error.status === 404 || error.status === 410) gone.add(page.address);
        if (!error.wasAsked || isThrottle(error)) unasked.add(page.address);
      }
      throw error;
    }
  };
  return {
    documents: chosen.map((page) => ({
      name: page.address,
      reading: rules.reading,
      onFailure: "refuse",
      read: () => read(page),
    })),
    leftOut: () => maps.leftOut,
    notes: () => before === null ? undatedNotes(maps.undated) : [],
    unreadable: maps.unreadable,
    isUnchanged: false,
    freshUntilMs: maps.root.freshUntilMs,
    redirects: () => [{ ...maps.root.redirect, address: source.location }],
    cursor({ refused }) {
      const again = [...waiting];
      for (const page of chosen) {
        if (unasked.has(page.address)) {
          again.push(page);
          continue;
        }
        const tries = !refused.has(page.address) || gone.has(page.address)
          ? 0
          : triesOf(pages[page.name], page) + 1;
        pages[page.name] = [
          page.lastmod,
          nowMs - page.changedMs > DAY_SETTLES_MS || hasTime(page.lastmod),
          tries,
        ];
        if (tries > 0 && tries < MAX_TRIES) again.push(page);
      }
      const { isWhole } = maps;
      return JSON.stringify(
        cursorAfter({ settings, sinceMs, pages }, { dated, again, isWhole, before, nowMs }),
      );
    },
  };
}

function requireDates({ dated, undated }: ReadMaps): void {
  if (dated > 0 || undated === 0) return;
  throw new FetchError(`none of the ${undated} pages in the sitemap has a lastmod`);
}

/** The note of the first fetch, and of dry runs, on pages without `lastmod`. */
function undatedNotes(pages: number): string[] {
  if (pages === 0) return [];
  const many = `${pages} ${pages === 1 ? "page" : "pages"}`;
  return [`${many} of the sitemap cannot be checked for changes: they have no lastmod`];
}

/** The time from which changes are wanted. A time in the future comes from a clock that was set back. */
function sinceWhen(before: SitemapCursor | null, { firstDays }: SitemapRules, nowMs: number): number {
  if (before === null) return nowMs - firstDays * DAY_MS;
  return before.sinceMs > nowMs ? nowMs - LATE_DAYS * DAY_MS : before.sinceMs;
}

/** The next cursor: from the oldest page to be read again, otherwise from {@link LATE_DAYS} before the newest. */
function cursorAfter(
  now: SitemapCursor,
  { dated, again, isWhole, before, nowMs }: {
    dated: readonly DatedPage[];
    again: readonly DatedPage[];
    isWhole: boolean;
    before: SitemapCursor | null;
    nowMs: number;
  },
): SitemapCursor {
  // A page dated in the future must not exclude all others.
  const newestMs = dated.reduce((latest, { changedMs }) => Math.max(latest, Math.min(changedMs, nowMs)), 0);
  const oldestMs = again.reduce(
    (first, { changedMs }) => Math.min(first, changedMs),
    newestMs - LATE_DAYS * DAY_MS,
  );
  const sinceMs = isWhole ? Math.max(now.sinceMs, oldestMs) : now.sinceMs;
  const pages: SitemapCursor["pages"] = {};
  const fetchedLater = new Set(again.map(({ name }) => name));
  for (const { name, lastmod, changedMs } of dated) {
    if (changedMs < sinceMs) continue;
    const seen = now.pages[name];
    if (seen !== undefined) pages[name] = seen;
    // The archive that the first fetch skips counts as done.
    else if (before === null && !fetchedLater.has(name)) pages[name] = [lastmod, true, 0];
  }
  return { settings: now.settings, sinceMs, pages };
}

/**
 * Sorts the newest first at the first fetch, which skips the archive, and the oldest first afterwards. Pages that
 * failed come last, so that forbidden pages do not delay the others.
 */
function sortWanted(wanted: DatedPage[], pages: SitemapCursor["pages"], isFirst: boolean): void {
  const direction = isFirst ? -1 : 1;
  wanted.sort((a, b) =>
    triesOf(pages[a.name], a) - triesOf(pages[b.name], b) || direction * (a.changedMs - b.changedMs)
  );
}

function isDone(seen: SeenPage | undefined, page: DatedPage, nowMs: number): boolean {
  if (seen === undefined || seen[0] !== page.lastmod) return false;
  if (seen[2] > 0 && seen[2] < MAX_TRIES) return false;
  return seen[1] || nowMs - page.changedMs <= DAY_SETTLES_MS;
}

function triesOf(seen: SeenPage | undefined, page: DatedPage): number {
  return seen?.[0] === page.lastmod ? seen[2] : 0;
}

function hasTime(lastmod: string): boolean {
  return lastmod.includes(":");
}

interface ReadMaps {
  root: DocumentResponse;
  /** The changed pages by URL, with their latest change. */
  pages: Map<string, DatedPage>;
  /** Pages with a date, and without one. */
  dated: number;
  undated: number;
  unreadable: Fetched["unreadable"];
  leftOut: FailedPart[];
  /** Whether every sitemap was read completely. */
  isWhole: boolean;
}

interface MapRequest {
  rules: SitemapRules;
  known: Known;
  sinceMs: number;
  nowMs: number;
}

/** Reads the sitemap, or the changed sitemaps of the index, the latest changed first. */
async function readMaps(
  source: SourceSettings,
  { rules, known, sinceMs, nowMs }: MapRequest,
  options: SitemapOptions,
): Promise<ReadMaps> {
  const address = adoptedAddress(known.moves, source.location) ?? source.location;
  const request = { ...rules, sinceMs };
  const { response: root, map } = await readMap(source, request, address, options);
  const maps: ReadMaps = {
    ...{ root, pages: new Map(), dated: 0, undated: 0, unreadable: [], leftOut: [], isWhole: true },
  };
  const take = (from: Extract<SitemapContents, { kind: "urlset" }>, url: string): void => {
    for (const page of from.pages) {
      const before = maps.pages.get(page.address);
      if (before === undefined || page.changedMs >= before.changedMs) maps.pages.set(page.address, page);
    }
    maps.dated += from.dated;
    maps.undated += from.undated;
    if (from.problems.some(({ item }) => item === "document")) maps.isWhole = false;
    maps.unreadable.push(
      ...from.problems.map(({ item, reason }) => ({
        name: `${url}: ${item}`,
        reason,
        isItem: item !== "document",
      })),
    );
  };
  if (map.kind === "urlset") {
    take(map, address);
    return maps;
  }
  maps.unreadable.push(
    ...map.problems.map(({ item, reason }) => ({ name: item, reason, isItem: item !== "document" })),
  );
  const children = map.maps.filter(({ changedMs }) => changedMs === null || changedMs >= sinceMs - DAY_MS);
  children.sort((a, b) => (b.changedMs ?? nowMs) - (a.changedMs ?? nowMs));
  if (children.length > rules.maxMaps) {
    const reason =
      `${children.length} sitemaps may have changed, and ${rules.maxMaps} are read: raise max_maps, or ` +
      "configure them separately";
    maps.leftOut.push({ part: "document", reason: `${reason} in maps` });
    maps.isWhole = false;
  }
  for (const { url } of children.slice(0, rules.maxMaps)) {
    if (maps.pages.size >= MAX_CHANGED) {
      maps.leftOut.push({
        part: url,
        reason: `was not read: the sitemaps before it have ${MAX_CHANGED} changed pages`,
      });
      maps.isWhole = false;
      break;
    }
    requireTime(options.clock, nowMs);
    try {
      const child = (await readMap(source, request, url, options)).map;
      if (child.kind === "urlset") take(child, url);
      else {maps.unreadable.push({
          name: url,
          reason: "is an index within an index, which the protocol forbids",
        });}
    } catch (error) {
      if (!(error instanceof FetchError)) throw error;
      maps.unreadable.push({ name: url, reason: error.message });
      maps.isWhole = false;
    }
  }
  return maps;
}

async function readMap(
  source: SourceSettings,
  { include, exclude, maps, sinceMs }: Pick<SitemapRequest, "include" | "exclude" | "maps" | "sinceMs">,
  address: string,
  options: SitemapOptions,
): Promise<{ response: DocumentResponse; map: SitemapContents }> {
  const response = await fetchDocument(source, {
    url: new URL(address),
    headers: { accept: "application/xml, text/xml;q=0.9, application/gzip;q=0.8, */*;q=0.1" },
    validators: null,
    expects: "data",
  }, options);
  const { document } = response;
  if (document === null) throw new FetchError("responded with 304 to an unconditional request");
  const { contentType } = document;
  const { location: pageBase, timezone } = source;
  try {
    const bytes = await inflateFile(document.bytes, options.maxDocumentBytes);
    const wanted = { timezone, include, exclude, maps, sinceMs };
    const request = { bytes, contentType, pageBase, mapBase: address, ...wanted };
    return { response, map: await options.parser.readSitemap(request) };
  } catch (error) {
    if (error instanceof DocumentError) throw new FetchError(error.message);
    throw error;
  }
}

async function readPage(
  source: SourceSettings,
  { address }: DatedPage,
  options: FetchOptions,
): Promise<FetchedDocument | null> {
  const { document } = await fetchDocument(source, {
    url: new URL(address),
    headers: { accept: "text/html, application/xhtml+xml;q=0.9, */*;q=0.1" },
    validators: null,
    expects: "page",
  }, options);
  return document;
}
