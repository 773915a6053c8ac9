// Fetches a list from an API or from HTML pages, page by page, within limits and without losing items.
import { fillWindow, type ListRules } from "../../domain/source/extraction_rules.ts";
import type { SourceSettings } from "../../domain/source/source.ts";
import { type DocumentResponse, fetchDocument, type Validators } from "./fetch_document.ts";
import type { FailedPart } from "../partial_failures.ts";
import {
  type Fetched,
  type FetchedDocument,
  FetchError,
  type FetchOptions,
  type Known,
  type PlannedDocument,
  readCursor,
  type ReadDocument,
} from "./fetch_types.ts";
import {
  isHopeless,
  type ListCursor,
  noKnownItem,
  pagesOf,
  type Rest,
  restAfter,
  tooManyPages,
} from "./list_cursor.ts";
import { MAX_URL_CHARACTERS } from "../normalise/links.ts";
import { isStale } from "../schedule/freshness.ts";
import { hasFingerprint } from "./document_fingerprints.ts";
import { nextLink } from "./link_header.ts";
import type { PermanentRedirects, RedirectTrack } from "./permanent_redirects.ts";
import { adoptedAddress, movedTemplate } from "./permanent_redirects.ts";
import { isTimeOver, requireTime, rulesKey, shortName, WindowQueue } from "./pagination.ts";

const ACCEPT = {
  json: "application/json, application/ld+json;q=0.9, */*;q=0.1",
  html: "text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.1",
} as const;
const DAY_MS = 86_400_000;
/** Maximum number of items on the first page that are remembered for the next fetch to recognise. */
const MAX_MARKS = 100;

/** A page belongs to the archive if all its dates are more than this many ms before the last complete fetch. */
const OLD_PAGE_MS = 365 * DAY_MS;

export class ListFetch implements Fetched {
  documents: PlannedDocument[] = [];
  readonly unreadable = [];
  isUnchanged = false;
  repeated: NonNullable<Fetched["repeated"]> = [];
  freshUntilMs: number | null = null;
  readonly #startedMs: number;
  readonly #settings: string;
  readonly #before: ListCursor | null;
  readonly #base: string;
  /** Null for a list that is not requested by days. */
  readonly #windows: WindowQueue | null;
  /** The URLs requested in the current window. The window ends if a page leads back to one of them. */
  #requested = new Set<string>();
  #seen = new Set<string>();
  #page = 0;
  #url: URL;
  #response: DocumentResponse | null = null;
  #validators: Validators | null = null;
  #redirect: RedirectTrack = { kind: "unknown" };
  #marks: string[] | null = null;
  #foundMark = false;
  #foundTop = false;
  /** The numbers of pages read: from the top, and from the position where the last fetch stopped. */
  readonly #pages = { head: 0, rest: 0 };
  #part: "head" | "rest" = "head";
  /** Whether reading stopped at a limit before the last page of the list or of a window. */
  #isCut = false;

  constructor(
    readonly source: SourceSettings,
    readonly rules: ListRules,
    readonly known: Known,
    readonly options: FetchOptions,
  ) {
    this.#startedMs = options.clock.nowMs();
    this.#settings = rulesKey(source);
    this.#before = readCursor<ListCursor>(known.cursor, this.#settings);
    this.#base = adoptedAddress(known.moves, source.location) ?? source.location;
    this.#windows = rules.windows === null
      ? null
      : new WindowQueue(rules.windows, this.#lastFetchMs(rules.windows.firstDays), options.clock);
    this.#url = this.#firstUrl();
  }

  /** Requests the first page and plans to read it, unless the list is unchanged. Throws {@link FetchError}. */
  async start(): Promise<this> {
    const first = await this.#request();
    const document = first?.document ?? null;
    this.freshUntilMs = first?.freshUntilMs ?? null;
    const redirect = first?.redirect ?? this.#redirect;
    this.#redirect = movedTemplate(redirect, this.#base, (text) => this.#withFirstPage(this.#fill(text)));
    this.repeated = this.#findRepeated(document);
    this.isUnchanged = first !== null && (document === null || this.repeated.length > 0);
    if (!this.isUnchanged) this.documents = [this.#plan(() => Promise.resolve(document))];
    return this;
  }

  /** Requests the current page. Returns null for a 404 response that means an empty list. */
  async #request(): Promise<DocumentResponse | null> {
    if (this.#part === "head") requireTime(this.options.clock, this.#startedMs);
    const { rules } = this;
    const isFirst = this.#marks === null && this.#page === 0;
    this.#requested.add(this.#url.href);
    try {
      this.#response = await fetchDocument(this.source, {
        url: this.#url,
        headers: { accept: ACCEPT[rules.reading.kind] },
        ...(rules.body === null ? {} : { body: this.#fill(rules.body) }),
        validators: isFirst && this.#mayBeUnchanged() ? this.#trustedValidators() : null,
        expects: rules.reading.kind === "html" ? "page" : "data",
      }, this.options);
    } catch (error) {
      if (!(error instanceof FetchError) || error.status !== 404 || !rules.notFoundIsEmpty) throw error;
      this.#response = null;
    }
    if (isFirst) this.#validators = this.#response?.validators ?? null;
    return this.#response;
  }

  #plan(read: PlannedDocument["read"]): PlannedDocument {
    return {
      name: this.#pageName(),
      reading: this.rules.reading,
      onFailure: "fail",
      isEmptyIfNull: this.rules.notFoundIsEmpty,
      isAlone: this.#page === 0 && this.#mayBeUnchanged(),
      read,
    };
  }

  /** Returns the first page if its fingerprint shows that the list is unchanged; otherwise, an empty array. */
  #findRepeated(first: FetchedDocument | null): NonNullable<Fetched["repeated"]> {
    if (first === null || this.#trustedValidators() === null) return [];
    const name = this.#pageName();
    const fingerprint = this.known.fingerprintOf(name);
    return hasFingerprint(first, fingerprint) ? [{ name, fingerprint }] : [];
  }

  following(read: ReadDocument): PlannedDocument[] {
    const names = read.keys.map(shortName);
    this.#marks ??= names.slice(0, MAX_MARKS);
    const top = this.#before?.rest?.top ?? this.#before?.marks;
    if (names.some((name) => this.#before?.marks.includes(name))) this.#foundMark = true;
    if (names.some((name) => top?.includes(name))) this.#foundTop = true;
    this.#pages[this.#part]++;
    const isRepeated = names.length > 0 && names.every((name) => this.#seen.has(name));
    for (const name of names) this.#seen.add(name);
    const next = read.document === null || isRepeated ? null : this.#nextUrl(read, read.document);
    if (next === null || this.#requested.has(next.href)) return this.#nextWindow();
    if (this.#isFarEnough(read)) return this.#part === "head" ? this.#continueRest(next) : this.#nextWindow();
    return this.#isSpent() ? this.#cutWindow() : this.#goToPage(this.#page + 1, next);
  }

  #goToPage(page: number, url: URL): PlannedDocument[] {
    this.#page = page;
    this.#url = url;
    return [this.#plan(async () => (await this.#request())?.document ?? null)];
  }

  /** Continues where the last fetch was cut short. If it was not, or a mark was found, moves to the next window. */
  #continueRest(next: URL): PlannedDocument[] {
    const rest = this.#before?.rest;
    if (rest === undefined || this.#foundMark) return this.#nextWindow();
    if (isHopeless(rest, this.rules) || this.#isLate()) return this.#cutWindow();
    this.#part = "rest";
    this.#seen = new Set();
    return this.#goToPage(this.#page + 1, this.#requested.has(rest.url) ? next : new URL(rest.url));
  }

  /** Whether the remaining pages of this part need not be read, because the list has the newest items first. */
  #isFarEnough(read: ReadDocument): boolean {
    if (!this.rules.newestFirst || this.#before === null || this.#before.readsAll) return false;
    if (this.#part === "head") return this.#foundTop && read.isKnown;
    const isOld = read.newestMs !== null && read.newestMs < this.#before.atMs - OLD_PAGE_MS;
    return (this.#foundMark && read.isKnown) || isOld;
  }

  /** Whether this fetch has reached its limit on pages or time. */
  #isSpent(): boolean {
    const { head, rest } = this.#pages;
    const { maxPages } = this.rules;
    if (this.#windows !== null) return this.#page + 1 >= maxPages || this.#isLate();
    // The last page of the last fetch is read again, so at least one more page must be read.
    if (this.#part === "rest") return rest > maxPages || (rest > 1 && this.#isLate());
    return head >= maxPages || this.#isLate();
  }

  #isLate(): boolean {
    return isTimeOver(this.options.clock, this.#startedMs);
  }

  #cutWindow(): PlannedDocument[] {
    if (this.#windows !== null && this.#isLate()) {
      this.#windows.leaveRest();
      return [];
    }
    this.#isCut = true;
    return this.#nextWindow();
  }

  #nextWindow(): PlannedDocument[] {
    if (this.#windows?.next() === undefined) return [];
    this.#requested = new Set();
    this.#seen = new Set();
    return this.#goToPage(0, this.#firstUrl());
  }

  /** Returns the parts left out, except the older items that a first fetch skips on purpose. */
  leftOut(): FailedPart[] {
    const left = this.#windows?.leftOut() ?? [];
    if (!this.#isCut || (this.rules.newestFirst && !this.#isBehind())) return left;
    return [...left, { part: "document", reason: this.#cutReason() }];
  }

  #cutReason(): string {
    return this.rules.newestFirst
      ? noKnownItem(this.rules, this.#rest())
      : tooManyPages(this.rules, this.#isLate() ? this.#pages.head : null);
  }

  notes(): string[] {
    if (!this.#isCut || this.#before !== null || !this.rules.newestFirst) return [];
    return [
      `the first fetch reads ${pagesOf(this.#pages.head)} of the list (max_pages) and skips older items`,
    ];
  }

  goesOn(): boolean {
    return this.#windows !== null && this.#windows.leftFromMs !== null;
  }

  redirects(): PermanentRedirects[] {
    return [{ ...this.#redirect, address: this.source.location }];
  }

  cursor({ isWhole }: { isWhole: boolean }): string | null {
    if (this.isUnchanged) return this.known.cursor;
    const before = this.#before === null ? null : { ...this.#before, validators: null };
    // After an incomplete fetch, the next one reads everything again.
    if (!isWhole) return before === null ? null : JSON.stringify({ ...before, readsAll: true });
    if (this.#windows !== null && this.goesOn()) return this.#cursorAt(this.#windows.lastFetchMs);
    // A fetch that was cut short keeps the old marks, and the next one continues towards them.
    if (this.#isCut && this.rules.newestFirst && this.#isBehind()) {
      const rest = this.#rest();
      return JSON.stringify(rest === null ? before : { ...before, readsAll: false, rest });
    }
    const validators = this.#mayBeUnchanged() ? this.#validators : null;
    return this.#cursorAt(this.#startedMs, { marks: this.#marks ?? [], validators });
  }

  progress(): string | null {
    const progressMs = this.#windows?.progressMs ?? null;
    return progressMs === null ? null : this.#cursorAt(progressMs);
  }

  #cursorAt(
    atMs: number,
    { marks, validators }: Pick<ListCursor, "marks" | "validators"> = { marks: [], validators: null },
  ): string {
    return JSON.stringify({ settings: this.#settings, atMs, marks, validators } satisfies ListCursor);
  }

  /** Whether a fetch that was cut short must be continued. If everything is read again, finding a mark is enough. */
  #isBehind(): boolean {
    return this.#before !== null && !(this.#foundMark && this.#before.readsAll === true);
  }

  /** Returns where the next fetch continues, or null for a list that is requested by days. */
  #rest(): Rest | null {
    if (this.#windows !== null) return null;
    const stopsAtTop = this.#part === "head" && this.#foundTop;
    return restAfter(this.#before?.rest ?? null, {
      url: this.#url.href,
      top: this.#marks ?? [],
      pages: stopsAtTop ? null : this.#pages,
    });
  }

  /**
   * Returns when the last complete fetch began. Returns null at the first fetch, and after an incomplete one if the
   * `firstDays` reach further back.
   */
  #lastFetchMs(firstDays: number): number | null {
    if (this.#before === null) return null;
    const { atMs, readsAll } = this.#before;
    return readsAll && atMs > this.#startedMs - firstDays * DAY_MS ? null : atMs;
  }

  /** Names the current page without its URL, which may contain secrets. */
  #pageName(): string {
    const days = this.#windows === null ? "" : this.#fill("{since} to {until}, ");
    return `${days}page ${this.#page + 1}`;
  }

  #trustedValidators(): Validators | null {
    if (this.#before === null || isStale(this.#before.atMs, this.#startedMs)) return null;
    return this.#before.validators;
  }

  /** Whether an unchanged first page means that the list is unchanged. */
  #mayBeUnchanged(): boolean {
    const { paging, newestFirst, body } = this.rules;
    return body === null && this.#windows === null && (paging.kind === "none" || newestFirst);
  }

  #firstUrl(): URL {
    return new URL(this.#withFirstPage(this.#fill(this.#base)));
  }

  /** If pages are counted, adds the parameter of the first page to a URL, or to the tail of a URL, that lacks it. */
  #withFirstPage(address: string): string {
    const { paging } = this.rules;
    if (paging.kind !== "count") return address;
    const at = address.indexOf("?");
    const parameters = new URLSearchParams(at === -1 ? "" : address.slice(at));
    if (parameters.has(paging.parameter)) return address;
    const first = new URLSearchParams([[paging.parameter, String(paging.first)]]);
    return `${address}${at === -1 ? "?" : parameters.size === 0 ? "" : "&"}${first}`;
  }

  #fill(text: string): string {
    const window = this.#windows?.current;
    return window === undefined ? text : fillWindow(text, window);
  }

  /** Returns the URL of the next page, or null after the last one. */
  #nextUrl(read: ReadDocument, document: FetchedDocument): URL | null {
    const { paging } = this.rules;
    if (paging.kind === "none") return null;
    if (paging.kind === "link") return this.#linkedUrl(read.next, document);
    const value = paging.kind === "cursor" ? read.next : String(this.#count(paging) + paging.step);
    if (value === null || read.items === 0) return null;
    const url = new URL(this.#url);
    url.searchParams.set(paging.parameter, value);
    return url;
  }

  #count({ parameter, first }: Extract<ListRules["paging"], { kind: "count" }>): number {
    const stated = this.#url.searchParams.get(parameter) ?? "";
    return /^\d{1,9}$/.test(stated) ? Number(stated) : first;
  }

  #linkedUrl(stated: string | null, document: FetchedDocument): URL | null {
    const link = stated ?? nextLink(this.#response?.link ?? "");
    if (link === null || link.length > MAX_URL_CHARACTERS) return null;
    const url = URL.parse(link, document.url ?? this.#base);
    const isSafe = url?.protocol === "https:" ||
      (url?.protocol === "http:" && this.#base.startsWith("http:"));
    return isSafe ? url : null;
  }
}
