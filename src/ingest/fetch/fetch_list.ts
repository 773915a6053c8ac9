// Getting a list page by page: an API's answers or a listing's pages, within bounds and without losing an item.
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
import { knownDocument } from "./document_fingerprints.ts";
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
/** Items of the first page by which the next fetch knows how far it has to go. */
const MAX_MARKS = 100;

/**
 * A page all of whose items are dated so long before the last whole fetch is of the archive, ms. Judgments and minutes are
 * published months after their date.
 */
const OLD_PAGE_MS = 365 * DAY_MS;

/** Fetches a list from its first page on. Throws a {@link FetchError}. */
export async function fetchList(
  source: SourceSettings,
  rules: ListRules,
  known: Known,
  options: FetchOptions,
): Promise<Fetched> {
  const walk = new ListPages(source, rules, known, options);
  const first = await walk.ask();
  const repeated = walk.repeated(first?.document ?? null);
  const isUnchanged = first !== null && (first.document === null || repeated.length > 0);
  const standing = walk.standing();
  return {
    documents: isUnchanged ? [] : [walk.plan(first?.document ?? null)],
    following: (read) => walk.following(read),
    leftOut: () => walk.leftOut(),
    notes: () => walk.notes(),
    goesOn: () => walk.goesOn(),
    unreadable: [],
    isUnchanged,
    repeated,
    freshUntilMs: first?.freshUntilMs ?? null,
    redirects: () => [{ ...standing, address: source.location }],
    cursor: ({ isWhole }) => isUnchanged ? known.cursor : isWhole ? walk.cursor() : walk.cursorAnew(),
    progress: () => walk.progress(),
  };
}

/** One walk: where it is, and what it has met. */
class ListPages {
  readonly #startedMs: number;
  readonly #before: ListCursor | null;
  readonly #base: string;
  readonly #windows: Window[];
  /** The addresses asked for in this window: a list that leads back to one of them is over. */
  #asked = new Set<string>();
  /** The items met in this window. */
  #met = new Set<string>();
  #page = 0;
  #url: URL;
  #answer: DocumentResponse | null = null;
  #validators: Validators | null = null;
  #marks: string[] | null = null;
  #metMark = false;
  #metTop = false;
  /** Pages read from the top on, and from where the last fetch ended. */
  readonly #pages = { head: 0, rest: 0 };
  #part: "head" | "rest" = "head";
  /** Whether the bounds ended a window before its last page. */
  #isCut = false;
  /** The first day that was not asked for to the end, Unix ms; null when all were. */
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

  /** Asks for the page where the walk is; null when there is none and that means that nothing is there. */
  async ask(): Promise<DocumentResponse | null> {
    if (this.#part === "head") requireTime(this.options.clock, this.#startedMs);
    const { rules } = this;
    const isFirst = this.#marks === null && this.#page === 0;
    this.#asked.add(this.#url.href);
    try {
      this.#answer = await fetchDocument(this.source, {
        url: this.#url,
        headers: { accept: ACCEPT[rules.reading.kind] },
        ...(rules.body === null ? {} : { body: this.#fill(rules.body) }),
        validators: isFirst && this.#mayBeUnchanged() ? this.#believed() : null,
        expects: rules.reading.kind === "html" ? "page" : "data",
      }, this.options);
    } catch (error) {
      if (!(error instanceof FetchError) || error.status !== 404 || !rules.notFoundIsEmpty) throw error;
      this.#answer = null;
    }
    if (isFirst) this.#validators = this.#answer?.validators ?? null;
    return this.#answer;
  }

  /** The page where the walk is; `first` is its document where it has been asked for already. */
  plan(first?: FetchedDocument | null): PlannedDocument {
    return {
      name: this.#pageName(),
      reading: this.rules.reading,
      onFailure: "fail",
      isEmptyIfNull: this.rules.notFoundIsEmpty,
      isAlone: this.#page === 0 && this.#mayBeUnchanged(),
      read: async () => first === undefined ? (await this.ask())?.document ?? null : first,
    };
  }

  /** The first page of all, where it came as it was and nothing else is asked of a list that says so itself. */
  repeated(first: FetchedDocument | null): NonNullable<Fetched["repeated"]> {
    if (first === null || this.#believed() === null) return [];
    const name = this.#pageName();
    const look = knownDocument(first, this.rules.reading, this.known.fingerprintOf(name));
    return look === null ? [] : [{ name, fingerprint: look }];
  }

  /** Where the first page of all says that the list has moved to. */
  standing(): RedirectTrack {
    const standing = this.#answer?.redirect ?? { kind: "unsaid" as const };
    return movedTemplate(standing, this.#base, (text) => this.#withFirstPage(this.#fill(text)));
  }

  following(read: ReadDocument): PlannedDocument[] {
    const names = read.keys.map(shortName);
    this.#marks ??= names.slice(0, MAX_MARKS);
    const top = this.#before?.rest?.top ?? this.#before?.marks;
    if (names.some((name) => this.#before?.marks.includes(name))) this.#metMark = true;
    if (names.some((name) => top?.includes(name))) this.#metTop = true;
    this.#pages[this.#part]++;
    const isRepeated = names.length > 0 && names.every((name) => this.#met.has(name));
    for (const name of names) this.#met.add(name);
    const next = read.document === null || isRepeated ? null : this.#nextUrl(read, read.document);
    if (next === null || this.#asked.has(next.href)) return this.#nextWindow();
    if (this.#isFarEnough(read)) return this.#part === "head" ? this.#goOn(next) : this.#nextWindow();
    return this.#isSpent() ? this.#cutWindow() : this.#turnTo(next);
  }

  /** The next page. */
  #turnTo(next: URL): PlannedDocument[] {
    this.#page++;
    this.#url = next;
    return [this.plan()];
  }

  /** From the top the walk came to what is known: on to where the last fetch ended, if it did not come so far. */
  #goOn(next: URL): PlannedDocument[] {
    const rest = this.#before?.rest;
    if (rest === undefined || this.#metMark) return this.#nextWindow();
    if (isHopeless(rest, this.rules) || this.#isLate()) return this.#cutWindow();
    this.#part = "rest";
    this.#met = new Set();
    return this.#turnTo(this.#asked.has(rest.url) ? next : new URL(rest.url));
  }

  /** Whether a list that begins with what is new holds nothing more that is. */
  #isFarEnough(read: ReadDocument): boolean {
    const { newestFirst } = this.rules;
    if (!newestFirst || this.#before === null || this.#before.isAnew) return false;
    if (this.#part === "head") return this.#metTop && read.isKnown;
    const isOld = read.newestMs !== null && read.newestMs < this.#before.atMs - OLD_PAGE_MS;
    return (this.#metMark && read.isKnown) || isOld;
  }

  /** Whether this fetch has read as many pages, or taken as long, as it may. */
  #isSpent(): boolean {
    const { head, rest } = this.#pages;
    const { windows, maxPages } = this.rules;
    if (windows !== null) return this.#page + 1 >= maxPages || this.#isLate();
    // The page at which the last fetch ended is read again, and one more at least.
    if (this.#part === "rest") return rest > maxPages || (rest > 1 && this.#isLate());
    return head >= maxPages || this.#isLate();
  }

  #isLate(): boolean {
    return isTimeOver(this.options.clock, this.#startedMs);
  }

  #cutWindow(): PlannedDocument[] {
    if (this.rules.windows !== null && this.#isLate()) return this.#leaveFrom(this.#windows[0]?.sinceMs ?? 0);
    this.#isCut = true;
    return this.#nextWindow();
  }

  /** Leaves the days from one on to the next fetch. Throws when that would be where this one began. */
  #leaveFrom(sinceMs: number): PlannedDocument[] {
    if (sinceMs <= this.#firstSinceMs) requireTime(this.options.clock, this.#startedMs);
    this.#leftFromMs = sinceMs;
    return [];
  }

  /** What the bounds kept from being seen. The first walk of a list that has the newest first is meant to be bounded. */
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

  /** What is left out on purpose. */
  notes(): string[] {
    if (!this.#isCut || this.#before !== null || !this.rules.newestFirst) return [];
    return [
      `the first fetch reads ${this.#pages.head} pages of the list and skips what is older: max_pages`,
    ];
  }

  /** Whether the next fetch goes on with days that this one left. */
  goesOn(): boolean {
    return this.#leftFromMs !== null;
  }

  cursor(): string {
    const settings = rulesKey(this.source);
    const { newestFirst, windows } = this.rules;
    if (this.#leftFromMs !== null && windows !== null) return this.#cursorFrom(this.#leftFromMs, windows);
    // Without a mark met, the old one stays: the next fetch goes on to it, or looks for it again.
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
    const isBehindTop = this.#part === "head" && this.#metTop;
    return restAfter(this.#before?.rest ?? null, {
      url: this.#url.href,
      top: this.#marks ?? [],
      pages: isBehindTop ? null : this.#pages,
    });
  }

  /** The cursor of a fetch that failed on its way: the days that it had whole are not asked for again. */
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

  /** Whether it came to what is known, and went on from there because all was to be looked at anew. */
  get #hasReread(): boolean {
    return this.#metMark && this.#before?.isAnew === true;
  }

  /** The cursor of a fetch that was not whole: the next one looks at everything, and as far back as this one did. */
  cursorAnew(): string | null {
    if (this.#before === null) return null;
    return JSON.stringify({ ...this.#before, validators: null, isAnew: true } satisfies ListCursor);
  }

  /** When the last whole fetch was; after one that was not whole, at least as long ago as the first days reach. */
  #sinceMs(firstDays: number): number | null {
    if (this.#before === null) return null;
    const { atMs, isAnew } = this.#before;
    return isAnew && atMs > this.#startedMs - firstDays * DAY_MS ? null : atMs;
  }

  /** Not its address, which may hold secrets. */
  #pageName(): string {
    const days = this.rules.windows === null ? "" : this.#fill("{since} to {until}, ");
    return `${days}page ${this.#page + 1}`;
  }

  #believed(): Validators | null {
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
      return this.#leaveFrom(sinceMs);
    }
    this.#page = 0;
    this.#asked = new Set();
    this.#met = new Set();
    this.#url = this.#firstUrl();
    return [this.plan()];
  }

  #firstUrl(): URL {
    return new URL(this.#withFirstPage(this.#fill(this.#base)));
  }

  /** An address, or the end of one, with the parameter of the first page where pages are counted. */
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

  /** The address of the page after one; null when it is the last. */
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

  /** Where the walk is in a list whose pages are counted. */
  #count({ parameter, first }: Extract<ListRules["paging"], { kind: "count" }>): number {
    const stated = this.#url.searchParams.get(parameter) ?? "";
    return /^\d{1,9}$/.test(stated) ? Number(stated) : first;
  }

  #linkedUrl(stated: string | null, document: FetchedDocument): URL | null {
    const link = stated ?? nextLink(this.#answer?.link ?? "");
    if (link === null) return null;
    const url = URL.parse(link, document.url ?? this.#base);
    const isSafe = url?.protocol === "https:" ||
      (url?.protocol === "http:" && this.#base.startsWith("http:"));
    return isSafe ? url : null;
  }
}
