// Getting a list page by page: an API's answers or a listing's pages, within bounds and without losing an item.
import { fillWindow, type ListRules } from "../domain/reading.ts";
import type { SourceSettings } from "../domain/source.ts";
import { type DocumentAnswer, fetchDocument, type Validators } from "./fetch_document.ts";
import {
  type Fetched,
  type FetchedDocument,
  FetchError,
  type FetchOptions,
  type Known,
  type PlannedDocument,
  readCursor,
  type ReadDocument,
} from "./fetched.ts";
import { adoptedAddress } from "./move.ts";
import { planWindows, requireTime, rulesKey, shortName, type Window } from "./walk.ts";

const ACCEPT = {
  json: "application/json, application/ld+json;q=0.9, */*;q=0.1",
  html: "text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.1",
} as const;
const DAY_MS = 86_400_000;
/** Items of the first page by which the next fetch knows how far it has to go. */
const MAX_MARKS = 100;

interface ListCursor {
  settings: string;
  /** When the last whole fetch began, Unix ms. */
  atMs: number;
  /** The short names of the items that its first page had. */
  marks: string[];
  validators: Validators | null;
  /** Whether all of it is to be looked at again, whatever is known: a fetch after it was not whole. */
  isAnew?: boolean;
}

/** Fetches a list from its first page on. Throws a {@link FetchError}. */
export async function fetchList(
  source: SourceSettings,
  rules: ListRules,
  known: Known,
  options: FetchOptions,
): Promise<Fetched> {
  const walk = new ListWalk(source, rules, known, options);
  const first = await walk.ask();
  const isUnchanged = first !== null && first.document === null;
  return {
    documents: isUnchanged ? [] : [walk.plan(first?.document ?? null)],
    following: (read) => walk.following(read),
    leftOut: () => walk.leftOut(),
    unreadable: [],
    isUnchanged,
    freshUntilMs: first?.freshUntilMs ?? null,
    whereabouts: () => [{ ...(first?.standing ?? { kind: "unsaid" }), address: source.location }],
    cursor: ({ isWhole }) => isUnchanged ? known.cursor : isWhole ? walk.cursor() : walk.cursorAnew(),
  };
}

/** One walk: where it is, and what it has met. */
class ListWalk {
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
  #answer: DocumentAnswer | null = null;
  #validators: Validators | null = null;
  #marks: string[] | null = null;
  #metMark = false;
  #isCut = false;

  constructor(
    readonly source: SourceSettings,
    readonly rules: ListRules,
    known: Known,
    readonly options: FetchOptions,
  ) {
    this.#startedMs = options.clock.nowMs();
    this.#before = readCursor<ListCursor>(known.cursor, rulesKey(source));
    this.#base = adoptedAddress(known.moves, source.location) ?? source.location;
    const whole = { sinceMs: 0, untilMs: 0 };
    this.#windows = rules.windows === null
      ? [whole]
      : planWindows(rules.windows, this.#sinceMs(rules.windows.firstDays), this.#startedMs);
    this.#url = this.#firstUrl();
  }

  /** Asks for the page where the walk is; null when there is none and that means that nothing is there. */
  async ask(): Promise<DocumentAnswer | null> {
    requireTime(this.options.clock, this.#startedMs);
    const { rules } = this;
    const isFirst = this.#marks === null && this.#page === 0;
    this.#asked.add(this.#url.href);
    try {
      this.#answer = await fetchDocument(this.source, {
        url: this.#url,
        headers: { accept: ACCEPT[rules.reading.kind] },
        ...(rules.body === null ? {} : { body: this.#fill(rules.body) }),
        validators: isFirst && this.#mayBeUnchanged() ? this.#before?.validators ?? null : null,
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
    // Not by its address, which may hold secrets.
    const page = `page ${this.#page + 1}`;
    const days = this.rules.windows === null ? "" : this.#fill("{since} to {until}, ");
    return {
      name: `${days}${page}`,
      reading: this.rules.reading,
      onFailure: "fail",
      isEmptyIfNull: this.rules.notFoundIsEmpty,
      read: async () => first === undefined ? (await this.ask())?.document ?? null : first,
    };
  }

  following(read: ReadDocument): PlannedDocument[] {
    const names = read.keys.map(shortName);
    this.#marks ??= names.slice(0, MAX_MARKS);
    if (names.some((name) => this.#before?.marks.includes(name))) this.#metMark = true;
    const isRepeated = names.length > 0 && names.every((name) => this.#met.has(name));
    for (const name of names) this.#met.add(name);
    const next = read.document === null || isRepeated ? null : this.#nextUrl(read, read.document);
    const isFarEnough = this.rules.newestFirst && this.#metMark && read.isKnown && !this.#before?.isAnew;
    if (next !== null && !isFarEnough && !this.#asked.has(next.href)) {
      if (++this.#page < this.rules.maxPages) {
        this.#url = next;
        return [this.plan()];
      }
      this.#isCut = true;
    }
    return this.#nextWindow();
  }

  /** What the bounds kept from being seen. The first walk of a list that has the newest first is meant to be bounded. */
  leftOut(): { name: string; reason: string }[] {
    if (!this.#isCut || (this.rules.newestFirst && (this.#before === null || this.#hasReread))) return [];
    const { maxPages } = this.rules;
    const reason = this.rules.newestFirst
      ? `nothing known was met within ${maxPages} pages: raise max_pages until it is, for items may be missing`
      : `there are more than ${maxPages} pages: raise max_pages, or set newest_first = true if the list is so ordered`;
    return [{ name: "document", reason }];
  }

  cursor(): string {
    const settings = rulesKey(this.source);
    // Without a mark met, the old one stays: the next fetch looks for it again.
    if (this.#isCut && this.rules.newestFirst && this.#before !== null && !this.#hasReread) {
      return JSON.stringify({ ...this.#before, validators: null } satisfies ListCursor);
    }
    const next: ListCursor = {
      settings,
      atMs: this.#startedMs,
      marks: this.#marks ?? [],
      validators: this.#mayBeUnchanged() ? this.#validators : null,
    };
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

  /** Whether an unchanged first page says that all of the list is unchanged. */
  #mayBeUnchanged(): boolean {
    const { paging, newestFirst, body, windows } = this.rules;
    return body === null && windows === null && (paging.kind === "none" || newestFirst);
  }

  #nextWindow(): PlannedDocument[] {
    this.#windows.shift();
    if (this.#windows.length === 0) return [];
    this.#page = 0;
    this.#asked = new Set();
    this.#met = new Set();
    this.#url = this.#firstUrl();
    return [this.plan()];
  }

  #firstUrl(): URL {
    const url = new URL(this.#fill(this.#base));
    const { paging } = this.rules;
    if (paging.kind === "count" && !url.searchParams.has(paging.parameter)) {
      url.searchParams.set(paging.parameter, String(paging.first));
    }
    return url;
  }

  #fill(text: string): string {
    return this.#windows[0] === undefined ? text : fillWindow(text, this.#windows[0]);
  }

  /** The address of the page after one; null when it is the last. */
  #nextUrl(read: ReadDocument, document: FetchedDocument): URL | null {
    const { paging } = this.rules;
    if (paging.kind === "none" || (paging.kind === "count" && read.items === 0)) return null;
    if (paging.kind === "link") return this.#linkedUrl(read.next, document);
    const value = paging.kind === "cursor"
      ? read.next
      : String(paging.first + (this.#page + 1) * paging.step);
    if (value === null || (paging.kind === "cursor" && read.items === 0)) return null;
    const url = new URL(this.#url);
    url.searchParams.set(paging.parameter, value);
    return url;
  }

  #linkedUrl(stated: string | null, document: FetchedDocument): URL | null {
    const link = stated ??
      /<([^<>]*)>\s*(?:;[^,]*?)?;\s*rel\s*=\s*"?[^",;]*\bnext\b/i.exec(this.#answer?.link ?? "")?.[1];
    if (link === undefined || link === null) return null;
    const url = URL.parse(link, document.url ?? this.#base);
    const isSafe = url?.protocol === "https:" ||
      (url?.protocol === "http:" && this.#base.startsWith("http:"));
    return isSafe ? url : null;
  }
}
