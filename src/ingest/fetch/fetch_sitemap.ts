// Fetches the changed pages of a site from its sitemap or sitemap index. Each page is a document.
import type { SitemapRules } from "../../domain/source/extraction_rules.ts";
import type { SourceSettings } from "../../domain/source/source.ts";
import { type DocumentResponse, fetchDocument } from "./fetch_document.ts";
import type { FailedPart } from "../partial_failures.ts";
import type { Fetched, FetchedDocument, FetchOptions, Known, PlannedDocument } from "./fetch_types.ts";
import { FetchError, readCursor } from "./fetch_types.ts";
import { adoptedAddress, type PermanentRedirects, type RedirectTrack } from "./permanent_redirects.ts";
import { inflateFile } from "../parse/inflate.ts";
import { DocumentError } from "../parse/parsed.ts";
import type { Parser } from "../parse/parse_worker_client.ts";
import type { DatedPage, SitemapContents, SitemapMap } from "../parse/sitemap_pages.ts";
import { isThrottle } from "./host_circuit_breaker.ts";
import { pagesOf } from "./list_cursor.ts";
import { requireTime, rulesKey } from "./pagination.ts";

const DAY_MS = 86_400_000;
/** Once the sitemaps have this many changed pages, no further sitemap is read. */
const MAX_CHANGED = 50_000;
/** A changed page is found even if it appears in the sitemap up to this many days after its change. */
const LATE_DAYS = 14;
/** Maximum number of attempts to fetch a page that fails. A new `lastmod` resets the count. */
const MAX_TRIES = 10;
/** A page dated without a time is read again after this many ms, when its day has ended almost everywhere. */
const DAY_SETTLES_MS = 1.5 * DAY_MS;

export interface SitemapOptions extends FetchOptions {
  parser: Pick<Parser, "readSitemap">;
}

/** The state of a page: its `lastmod`, whether its text is final for that date, and the number of failed attempts. */
type SeenPage = [lastmod: string, isSettled: boolean, tries: number];

interface SitemapCursor {
  settings: string;
  /** Changes before this time (Unix ms) have been read or are not wanted. */
  sinceMs: number;
  /** The pages that changed since then, by the short names of their URLs. */
  pages: Record<string, SeenPage>;
}

export class SitemapFetch implements Fetched {
  documents: PlannedDocument[] = [];
  readonly unreadable: Fetched["unreadable"] = [];
  readonly isUnchanged = false;
  freshUntilMs: number | null = null;
  readonly #nowMs: number;
  readonly #settings: string;
  readonly #before: SitemapCursor | null;
  readonly #sinceMs: number;
  #redirect: RedirectTrack = { kind: "unknown" };
  readonly #leftOut: FailedPart[] = [];
  /** The latest entry of each changed page, by URL. */
  readonly #changed = new Map<string, DatedPage>();
  #dated = 0;
  #undated = 0;
  #isWhole = true;
  readonly #seen: Record<string, SeenPage>;
  /** The pages that this fetch reads, and those that it leaves for the next fetch. */
  #chosen: DatedPage[] = [];
  #waiting: DatedPage[] = [];
  /** The URLs of pages that no longer exist, and of pages whose requests were not sent or were throttled. */
  readonly #gone = new Set<string>();
  readonly #notSent = new Set<string>();

  constructor(
    readonly source: SourceSettings,
    readonly rules: SitemapRules,
    readonly known: Known,
    readonly options: SitemapOptions,
  ) {
    this.#nowMs = options.clock.nowMs();
    this.#settings = rulesKey(source);
    this.#before = readCursor<SitemapCursor>(known.cursor, this.#settings);
    this.#sinceMs = this.#sinceWhen();
    this.#seen = Object.assign(Object.create(null), this.#before?.pages);
  }

  /** Returns the time from which changes are read. A future `sinceMs` was stored before the clock was set back. */
  #sinceWhen(): number {
    if (this.#before === null) return this.#nowMs - this.rules.firstDays * DAY_MS;
    const { sinceMs } = this.#before;
    return sinceMs > this.#nowMs ? this.#nowMs - LATE_DAYS * DAY_MS : sinceMs;
  }

  /** Plans the changed pages. Throws {@link FetchError} if the sitemap cannot be read or none of its pages is dated. */
  async start(): Promise<this> {
    const address = adoptedAddress(this.known.moves, this.source.location) ?? this.source.location;
    const { response, contents } = await this.#readMap(address);
    this.#redirect = response.redirect;
    this.freshUntilMs = response.freshUntilMs;
    if (contents.kind === "urlset") this.#addPages(contents, address);
    else {
      this.#addProblems(contents, "");
      await this.#readChildren(contents.entries);
    }
    if (this.#dated === 0 && this.#undated > 0) {
      throw new FetchError("the sitemap has no lastmod for any page, so changes cannot be detected");
    }
    const wanted = this.#wantedPages();
    this.#chosen = wanted.slice(0, this.rules.maxPages);
    if (this.#before !== null) this.#waiting = wanted.slice(this.rules.maxPages);
    this.documents = this.#chosen.map((page) => ({
      name: page.address,
      reading: this.rules.reading,
      onFailure: "refuse",
      read: () => this.#readPage(page),
    }));
    return this;
  }

  async #readMap(address: string): Promise<{ response: DocumentResponse; contents: SitemapContents }> {
    const { source, options, rules: { include, exclude, maps } } = this;
    const response = await fetchDocument(source, {
      url: new URL(address),
      headers: { accept: "application/xml, text/xml;q=0.9, application/gzip;q=0.8, */*;q=0.1" },
      validators: null,
      expects: "data",
    }, options);
    const { document } = response;
    if (document === null) throw new FetchError("responded with 304 to an unconditional request");
    try {
      const contents = await options.parser.readSitemap({
        bytes: await inflateFile(document.bytes, options.maxDocumentBytes),
        contentType: document.contentType,
        pageBase: source.location,
        mapBase: address,
        ...{ timezone: source.timezone, include, exclude, maps, sinceMs: this.#sinceMs },
      });
      return { response, contents };
    } catch (error) {
      throw error instanceof DocumentError ? new FetchError(error.message) : error;
    }
  }

  /** Reads the changed sitemaps of an index, most recently changed first. */
  async #readChildren(maps: readonly SitemapMap[]): Promise<void> {
    const changed = maps.filter(({ changedMs }) => changedMs === null || changedMs >= this.#sinceMs - DAY_MS)
      .sort((a, b) => (b.changedMs ?? this.#nowMs) - (a.changedMs ?? this.#nowMs));
    if (changed.length > this.rules.maxMaps) {
      const many = `${changed.length} sitemaps may have changed, more than max_maps (${this.rules.maxMaps})`;
      this.#leaveOut("document", `${many}: raise it, or select fewer sitemaps with maps`);
    }
    for (const { url } of changed.slice(0, this.rules.maxMaps)) {
      if (this.#changed.size >= MAX_CHANGED) {
        this.#leaveOut(
          url,
          `was not read, because earlier sitemaps have ${MAX_CHANGED} changed pages or more`,
        );
        return;
      }
      requireTime(this.options.clock, this.#nowMs);
      try {
        const { contents } = await this.#readMap(url);
        if (contents.kind === "urlset") this.#addPages(contents, url);
        else {
          const reason = "is an index within an index, which the protocol forbids";
          this.unreadable.push({ name: url, reason });
        }
      } catch (error) {
        if (!(error instanceof FetchError)) throw error;
        this.unreadable.push({ name: url, reason: error.message });
        this.#isWhole = false;
      }
    }
  }

  #leaveOut(part: string, reason: string): void {
    this.#leftOut.push({ part, reason });
    this.#isWhole = false;
  }

  #addPages(contents: Extract<SitemapContents, { kind: "urlset" }>, url: string): void {
    for (const page of contents.entries) {
      const before = this.#changed.get(page.address);
      if (before === undefined || page.changedMs >= before.changedMs) this.#changed.set(page.address, page);
    }
    this.#dated += contents.dated;
    this.#undated += contents.undated;
    if (contents.problems.some(({ item }) => item === "document")) this.#isWhole = false;
    this.#addProblems(contents, `${url}: `);
  }

  #addProblems({ problems }: SitemapContents, prefix: string): void {
    for (const { item, reason } of problems) {
      this.unreadable.push({ name: prefix + item, reason, isItem: item !== "document" });
    }
  }

  /**
   * Returns the pages to read, oldest first. At the first fetch, which skips the archive, they are newest first. Pages
   * that have failed come last, so that they do not delay other pages.
   */
  #wantedPages(): DatedPage[] {
    const direction = this.#before === null ? -1 : 1;
    return [...this.#changed.values()].filter((page) => !this.#isDone(page)).sort((a, b) =>
      this.#triesOf(a) - this.#triesOf(b) || direction * (a.changedMs - b.changedMs)
    );
  }

  #isDone(page: DatedPage): boolean {
    const seen = this.#seen[page.name];
    if (seen === undefined || seen[0] !== page.lastmod) return false;
    const [, isSettled, tries] = seen;
    if (tries > 0 && tries < MAX_TRIES) return false;
    return isSettled || this.#nowMs - page.changedMs <= DAY_SETTLES_MS;
  }

  #triesOf({ name, lastmod }: DatedPage): number {
    const seen = this.#seen[name];
    return seen?.[0] === lastmod ? seen[2] : 0;
  }

  async #readPage({ address }: DatedPage): Promise<FetchedDocument | null> {
    requireTime(this.options.clock, this.#nowMs);
    try {
      const { document } = await fetchDocument(this.source, {
        url: new URL(address),
        headers: { accept: "text/html, application/xhtml+xml;q=0.9, */*;q=0.1" },
        validators: null,
        expects: "page",
      }, this.options);
      return document;
    } catch (error) {
      if (error instanceof FetchError) {
        if (error.status === 404 || error.status === 410) this.#gone.add(address);
        if (!error.wasSent || isThrottle(error)) this.#notSent.add(address);
      }
      throw error;
    }
  }

  leftOut(): FailedPart[] {
    return this.#leftOut;
  }

  /** Reports pages without `lastmod`, at the first fetch and in a dry run. */
  notes(): string[] {
    if (this.#before !== null || this.#undated === 0) return [];
    return [`changes to ${pagesOf(this.#undated)} of the sitemap cannot be detected without a lastmod`];
  }

  redirects(): PermanentRedirects[] {
    return [{ ...this.#redirect, address: this.source.location }];
  }

  cursor({ refused }: { refused: ReadonlySet<string> }): string {
    const again = [...this.#waiting];
    for (const page of this.#chosen) {
      const { address, name, lastmod } = page;
      if (this.#notSent.has(address)) {
        again.push(page);
        continue;
      }
      const hasFailed = refused.has(address) && !this.#gone.has(address);
      const tries = hasFailed ? this.#triesOf(page) + 1 : 0;
      const isSettled = this.#nowMs - page.changedMs > DAY_SETTLES_MS || lastmod.includes(":");
      this.#seen[name] = [lastmod, isSettled, tries];
      if (tries > 0 && tries < MAX_TRIES) again.push(page);
    }
    return JSON.stringify(this.#cursorAfter(again));
  }

  /** Returns the next cursor, which covers the {@link LATE_DAYS} before the newest page and all pages to read again. */
  #cursorAfter(again: readonly DatedPage[]): SitemapCursor {
    const dated = [...this.#changed.values()];
    // A page dated in the future must not exclude all others.
    const newestMs = dated.reduce((max, { changedMs }) => Math.max(max, Math.min(changedMs, this.#nowMs)), 0);
    const oldestMs = again.reduce(
      (min, { changedMs }) => Math.min(min, changedMs),
      newestMs - LATE_DAYS * DAY_MS,
    );
    const sinceMs = this.#isWhole ? Math.max(this.#sinceMs, oldestMs) : this.#sinceMs;
    const pages: SitemapCursor["pages"] = {};
    const fetchedLater = new Set(again.map(({ name }) => name));
    for (const { name, lastmod, changedMs } of dated) {
      if (changedMs < sinceMs) continue;
      const seen = this.#seen[name];
      if (seen !== undefined) pages[name] = seen;
      // The archive that the first fetch skips counts as done.
      else if (this.#before === null && !fetchedLater.has(name)) pages[name] = [lastmod, true, 0];
    }
    return { settings: this.#settings, sinceMs, pages };
  }
}
