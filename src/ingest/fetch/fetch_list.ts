// Fetches a list page by page, an API or HTML pages, within limits and without losing items.
import { fillWindow, type ListRules, type Windows } from "../../domain/source/extraction_rules.ts";
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
import { isHopeless, type ListCursor, notMet, type Rest, restAfter, tooManyPages } from "./list_cursor.ts";
import { isStale } from "../schedule/freshness.ts";
import { hasFingerprint } from "./document_fingerprints.ts";
import { nextLink } from "./link_header.ts";
import { adoptedAddress, movedTemplate, type RedirectTrack } from "./permanent_redirects.ts";
import {
  daysLeftReason,
  daysRemaining,
  isTimeOver,
  lastFetchFrom,
  planWindows,
  requireTime,
  rulesKey,
  shortName,
  type Window,
} from "./pagination.ts";

const ACCEPT = {
  json: "application/json, application/ld+json;q=0.9, */*;q=0.1",
  html: "text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.1",
} as const;
const DAY_MS = 86_400_000;
/** Items of the first page that the next fetch looks for to know where to stop. */
const MAX_MARKS = 100;

/**
 * A page with only items older than the last complete fetch by this is the archive, ms. Some are published months late.
 */
const OLD_PAGE_MS = 365 * DAY_MS;

/** Fetches a list from its first page. Throws {@link FetchError}. */
export async function fetchList(
  source: SourceSettings,
  rules: ListRules,
  known: Known,
  options: FetchOptions,
): Promise<Fetched> {
  const pages = new ListPages(source, rules, known, options);
  const first = await pages.request();
  const repeated = pages.repeated(first?.document ?? null);
  const isUnchanged = first !== null && (first.document === null || repeated.length > 0);
  const redirect = pages.redirect();
  return {
    documents: isUnchanged ? [] : [pages.plan(first?.document ?? null)],
    following: (read) => pages.following(read),
    leftOut: () => pages.leftOut(),
    notes: () => pages.notes(),
    goesOn: () => pages.goesOn(),
    unreadable: [],
    isUnchanged,
    repeated,
    freshUntilMs: first?.freshUntilMs ?? null,
    redirects: () => [{ ...redirect, address: source.location }],
    cursor: ({ isWhole }) => isUnchanged ? known.cursor : isWhole ? pages.cursor() : pages.cursorAnew(),
    progress: () => pages.progress(),
  };
}

/** Pages through a list, and remembers the position and the items seen. */
class ListPages {
  readonly #startedMs: number;
  readonly #before: ListCursor | null;
  readonly #base: string;
  readonly #windows: Window[];
  /** The URLs requested in this window; a list that leads back to one of them ends. */
  #asked = new Set<string>();
  /** The items seen in this window. */
  #seen = new Set<string>();
  #page = 0;
  #url: URL;
  #response: DocumentResponse | null = null;
  #validators: Validators | null = null;
  #marks: string[] | null = null;
  #foundMark = false;
  #foundTop = false;
  /** Pages read from the top, and from where the last fetch ended. */
  readonly #pages = { head: 0, rest: 0 };
  #part: "head" | "rest" = "head";
  /** Whether the limits ended a window before its last page. */
  #isCut = false;
  /** The first day that was not read completely, Unix ms; null when all were. */
  #leftFromMs: number | null = null;
  readonly #firstSinceMs: number;
  readonly #daysBehindMs: number | null;

  constructor(
    readonly source: SourceSettings,
    readonly rules: ListRules,
    readonly known: Known,
    readonly options: FetchOptions,
  ) {
    this.#startedMs = options.clock.nowMs();
    this.#before = readCursor<ListCursor>(known.cursor, rulesKey(source));
    this.#base = adoptedAddress(known.moves, source.location) ?? source.location;
    const whole = { sinceMs: 0, untilMs: 0 };
    this.#windows = rules.windows === null
      ? [whole]
      : planWindows(rules.windows, this.#sinceMs(rules.windows.firstDays), this.#startedMs);
    this.#daysBehindMs = rules.windows === null ? null : daysRemaining(this.#windows, this.#startedMs);
    this.#firstSinceMs = this.#windows[0]?.sinceMs ?? 0;
    this.#url = this.#firstUrl();
  }

  /** Requests the current page; null where a 404 means an empty list. */
  async request(): Promise<DocumentResponse | null> {
    if (this.#part === "head") requireTime(this.options.clock, this.#startedMs);
    const { rules } = this;
    const isFirst = this.#marks === null && this.#page === 0;
    this.#asked.add(this.#url.href);
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

  /** The current page; `first` is its document if it has been requested already. */
  plan(first?: FetchedDocument | null): PlannedDocument {
    return {
      name: this.#pageName(),
      reading: this.rules.reading,
      onFailure: "fail",
      isEmptyIfNull: this.rules.notFoundIsEmpty,
      isAlone: this.#page === 0 && this.#mayBeUnchanged(),
      read: async () => first === undefined ? (await this.request())?.document ?? null : first,
    };
  }

  /** The first page, if it has not changed and that means that the list has not changed. */
  repeated(first: FetchedDocument | null): NonNullable<Fetched["repeated"]> {
    if (first === null || this.#trustedValidators() === null) return [];
    const name = this.#pageName();
    const fingerprint = this.known.fingerprintOf(name);
    return hasFingerprint(first, fingerprint) ? [{ name, fingerprint }] : [];
  }

  /** The redirect of the first page. */
  redirect(): RedirectTrack {
    const redirect = this.#response?.redirect ?? { kind: "unsaid" as const };
    return movedTemplate(redirect, this.#base, (text) => this.#withFirstPage(this.#fill(text)));
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
    if (next === null || this.#asked.has(next.href)) return this.#nextWindow();
    if (this.#isFarEnough(read)) return this.#part === "head" ? this.#continueRest(next) : this.#nextWindow();
    return this.#isSpent() ? this.#cutWindow() : this.#goToPage(next);
  }

  #goToPage(next: URL): PlannedDocument[] {
    this.#page++;
    this.#url = next;
    return [this.plan()];
  }

  /** Continues where the last fetch ended, after the pages from the top have reached known items. */
  #continueRest(next: URL): PlannedDocument[] {
    const rest = this.#before?.rest;
    if (rest === undefined || this.#foundMark) return this.#nextWindow();
    if (isHopeless(rest, this.rules) || this.#isLate()) return this.#cutWindow();
    this.#part = "rest";
    this.#seen = new Set();
    return this.#goToPage(this.#asked.has(rest.url) ? next : new URL(rest.url));
  }

  /** Whether a list with the newest items first has no more new ones. */
  #isFarEnough(read: ReadDocument): boolean {
    const { newestFirst } = this.rules;
    if (!newestFirst || this.#before === null || this.#before.isAnew) return false;
    if (this.#part === "head") return this.#foundTop && read.isKnown;
    const isOld = read.newestMs !== null && read.newestMs < this.#before.atMs - OLD_PAGE_MS;
    return (this.#foundMark && read.isKnown) || isOld;
  }

  /** Whether this fetch has reached its limit of pages or time. */
  #isSpent(): boolean {
    const { head, rest } = this.#pages;
    const { windows, maxPages } = this.rules;
    if (windows !== null) return this.#page + 1 >= maxPages || this.#isLate();
    // The page at which the last fetch ended is read again, and at least one more.
    if (this.#part === "rest") return rest > maxPages || (rest > 1 && this.#isLate());
    return head >= maxPages || this.#isLate();
  }

  #isLate(): boolean {
    return isTimeOver(this.options.clock, this.#startedMs);
  }

  #cutWindow(): PlannedDocument[] {
    if (this.rules.windows !== null && this.#isLate()) {
      return this.#leaveDaysFrom(this.#windows[0]?.sinceMs ?? 0);
    }
    this.#isCut = true;
    return this.#nextWindow();
  }

  /** Leaves the days from `sinceMs` to the next fetch. Throws if this fetch has not progressed. */
  #leaveDaysFrom(sinceMs: number): PlannedDocument[] {
    if (sinceMs <= this.#firstSinceMs) requireTime(this.options.clock, this.#startedMs);
    this.#leftFromMs = sinceMs;
    return [];
  }

  /** The parts that the limits left out. A first fetch of a list with the newest first is meant to be limited. */
  leftOut(): FailedPart[] {
    const left = this.#leftFromMs === null
      ? []
      : [{ part: "document", reason: daysLeftReason(this.#leftFromMs) }];
    if (!this.#isCut || (this.rules.newestFirst && (this.#before === null || this.#hasReread))) return left;
    return [...left, { part: "document", reason: this.#cutReason() }];
  }

  #cutReason(): string {
    const { newestFirst, windows } = this.rules;
    const { head } = this.#pages;
    if (!newestFirst) return tooManyPages(this.rules, this.#isLate() ? head : null);
    return notMet(this.rules, windows === null ? this.#restAfter() : null);
  }

  notes(): string[] {
    if (!this.#isCut || this.#before !== null || !this.rules.newestFirst) return [];
    return [
      `the first fetch reads ${this.#pages.head} pages of the list and skips what is older: max_pages`,
    ];
  }

  /** Whether the next fetch continues with the remaining days. */
  goesOn(): boolean {
    return this.#leftFromMs !== null;
  }

  cursor(): string {
    const settings = rulesKey(this.source);
    const { newestFirst, windows } = this.rules;
    if (this.#leftFromMs !== null && windows !== null) return this.#cursorFrom(this.#leftFromMs, windows);
    // If no mark was found, the old marks stay: the next fetch continues towards them.
    if (this.#isCut && newestFirst && this.#before !== null && !this.#hasReread) {
      const rest = windows === null ? this.#restAfter() : null;
      const before = { ...this.#before, validators: null } satisfies ListCursor;
      return JSON.stringify(rest === null ? before : { ...before, isAnew: false, rest });
    }
    const next: ListCursor = {
      settings,
      atMs: this.#startedMs,
      marks: this.#marks ?? [],
      validators: this.#mayBeUnchanged() ? this.#validators : null,
    };
    return JSON.stringify(next);
  }

  #restAfter(): Rest {
    const isBehindTop = this.#part === "head" && this.#foundTop;
    return restAfter(this.#before?.rest ?? null, {
      url: this.#url.href,
      top: this.#marks ?? [],
      pages: isBehindTop ? null : this.#pages,
    });
  }

  /** The cursor after a failure: the complete days are not fetched again. */
  progress(): string | null {
    const { windows } = this.rules;
    const sinceMs = this.#windows[0]?.sinceMs;
    if (windows === null || sinceMs === undefined || sinceMs <= this.#firstSinceMs) return null;
    return this.#cursorFrom(sinceMs, windows);
  }

  #cursorFrom(sinceMs: number, windows: Windows): string {
    const atMs = lastFetchFrom(sinceMs, windows, this.#startedMs);
    const next: ListCursor = { settings: rulesKey(this.source), atMs, marks: [], validators: null };
    return JSON.stringify(next);
  }

  /** Whether it reached known items and continued because everything was to be read again. */
  get #hasReread(): boolean {
    return this.#foundMark && this.#before?.isAnew === true;
  }

  /** The cursor of an incomplete fetch: the next one reads everything as far back as this one. */
  cursorAnew(): string | null {
    if (this.#before === null) return null;
    return JSON.stringify({ ...this.#before, validators: null, isAnew: true } satisfies ListCursor);
  }

  /** The time of the last complete fetch; after an incomplete one, at least `firstDays` ago. */
  #sinceMs(firstDays: number): number | null {
    if (this.#before === null) return null;
    const { atMs, isAnew } = this.#before;
    return isAnew && atMs > this.#startedMs - firstDays * DAY_MS ? null : atMs;
  }

  /** Not the URL, which may contain secrets. */
  #pageName(): string {
    const days = this.rules.windows === null ? "" : this.#fill("{since} to {until}, ");
    return `${days}page ${this.#page + 1}`;
  }

  #trustedValidators(): Validators | null {
    if (this.#before === null || isStale(this.#before.atMs, this.#startedMs)) return null;
    return this.#before.validators;
  }

  /** Whether an unchanged first page says that all of the list is unchanged. */
  #mayBeUnchanged(): boolean {
    const { paging, newestFirst, body, windows } = this.rules;
    return body === null && windows === null && (paging.kind === "none" || newestFirst);
  }

  #nextWindow(): PlannedDocument[] {
    this.#windows.shift();
    const sinceMs = this.#windows[0]?.sinceMs ?? this.#daysBehindMs;
    if (sinceMs === null) return [];
    if (this.#windows.length === 0 || (this.rules.windows !== null && this.#isLate())) {
      return this.#leaveDaysFrom(sinceMs);
    }
    this.#page = 0;
    this.#asked = new Set();
    this.#seen = new Set();
    this.#url = this.#firstUrl();
    return [this.plan()];
  }

  #firstUrl(): URL {
    return new URL(this.#withFirstPage(this.#fill(this.#base)));
  }

  /** Adds the parameter of the first page to a URL, or the end of one, where pages are counted. */
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
    return this.#windows[0] === undefined ? text : fillWindow(text, this.#windows[0]);
  }

  /** The URL of the next page; null after the last. */
  #nextUrl(read: ReadDocument, document: FetchedDocument): URL | null {
    const { paging } = this.rules;
    if (paging.kind === "none" || (paging.kind === "count" && read.items === 0)) return null;
    if (paging.kind === "link") return this.#linkedUrl(read.next, document);
    const value = paging.kind === "cursor" ? read.next : String(this.#count(paging) + paging.step);
    if (value === null || (paging.kind === "cursor" && read.items === 0)) return null;
    const url = new URL(this.#url);
    url.searchParams.set(paging.parameter, value);
    return url;
  }

  /** The number of the current page where pages are counted. */
  #count({ parameter, first }: Extract<ListRules["paging"], { kind: "count" }>): number {
    const stated = this.#url.searchParams.get(parameter) ?? "";
    return /^\d{1,9}$/.test(stated) ? Number(stated) : first;
  }

  #linkedUrl(stated: string | null, document: FetchedDocument): URL | null {
    const link = stated ?? nextLink(this.#response?.link ?? "");
    if (link === null) return null;
    const url = URL.parse(link, document.url ?? this.#base);
    const isSafe = url?.protocol === "https:" ||
      (url?.protocol === "http:" && this.#base.startsWith("http:"));
    return isSafe ? url : null;
  }
}
