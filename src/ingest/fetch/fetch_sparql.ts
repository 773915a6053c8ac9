// Queries a SPARQL endpoint by windows of days; a window that takes too long or has too many rows is halved.
import { fillWindow, type SparqlRules } from "../../domain/source/extraction_rules.ts";
import type { SourceSettings } from "../../domain/source/source.ts";
import { fetchDocument } from "./fetch_document.ts";
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
import { adoptedAddress, type RedirectTrack } from "./permanent_redirects.ts";
import {
  daysLeftReason,
  daysRemaining,
  halveWindow,
  isTimeOver,
  lastFetchFrom,
  planWindows,
  requireTime,
  rulesKey,
  type Window,
  WINDOW_REQUEST_MS,
} from "./pagination.ts";

/** The statuses of queries that take too long or return too much. */
const TOO_MUCH = [413, 500, 502, 503, 504];

interface SparqlCursor {
  settings: string;
  /** When the last complete fetch began, Unix ms. */
  atMs: number;
}

/** Plans the windows since the last fetch; requests are sent when they are read. */
export function fetchSparql(
  source: SourceSettings,
  rules: SparqlRules,
  known: Known,
  options: FetchOptions,
): Fetched {
  const windows = new SparqlWindows(source, rules, known, options);
  return {
    documents: windows.plan(),
    following: (read) => windows.following(read),
    leftOut: () => windows.leftOut(),
    goesOn: () => windows.leftFromMs !== null,
    unreadable: [],
    isUnchanged: false,
    freshUntilMs: null,
    redirects: () => [{ ...windows.redirect, address: source.location }],
    cursor: ({ isWhole }) => isWhole ? windows.cursor() : known.cursor,
    progress: () => windows.progress(),
  };
}

/** The windows of one fetch: those that remain, and the current one. */
class SparqlWindows {
  /** The redirect of the endpoint. */
  redirect: RedirectTrack = { kind: "unsaid" };
  /** The first day that remains for the next fetch, Unix ms; null without one. */
  leftFromMs: number | null = null;
  readonly #startedMs: number;
  readonly #settings: string;
  readonly #endpoint: string;
  readonly #waiting: Window[];
  readonly #daysBehindMs: number | null;
  readonly #firstSinceMs: number;
  #halves: Window[] = [];
  #current: Window | null = null;
  #cut: Window | null = null;

  constructor(
    readonly source: SourceSettings,
    readonly rules: SparqlRules,
    { cursor, moves }: Known,
    readonly options: FetchOptions,
  ) {
    this.#startedMs = options.clock.nowMs();
    this.#settings = rulesKey(source);
    this.#endpoint = adoptedAddress(moves, source.location) ?? source.location;
    const before = readCursor<SparqlCursor>(cursor, this.#settings);
    this.#waiting = planWindows(rules.windows, before?.atMs ?? null, this.#startedMs);
    this.#daysBehindMs = daysRemaining(this.#waiting, this.#startedMs);
    this.#firstSinceMs = this.#waiting[0]?.sinceMs ?? 0;
  }

  /** The next window; none when all are done or the time is over. */
  plan(): PlannedDocument[] {
    const nextMs = this.#waiting[0]?.sinceMs ?? this.#daysBehindMs;
    const isSpent = this.#waiting.length === 0 || isTimeOver(this.options.clock, this.#startedMs);
    if (nextMs !== null && nextMs > this.#firstSinceMs && isSpent) {
      this.leftFromMs = nextMs;
      return [];
    }
    const window = this.#waiting.shift();
    if (window === undefined) return [];
    this.#current = window;
    const name = fillWindow("{since} to {until}", window);
    return [{ name, reading: this.rules.reading, onFailure: "fail", read: () => this.#query(window) }];
  }

  following({ document, items }: ReadDocument): PlannedDocument[] {
    if (document !== null && items >= this.rules.maxRows && this.#current !== null) {
      this.#halves = halveWindow(this.#current) ?? [];
      if (this.#halves.length === 0) this.#cut = this.#current;
    }
    this.#waiting.unshift(...this.#halves);
    this.#halves = [];
    return this.plan();
  }

  leftOut(): FailedPart[] {
    const reasons: string[] = [];
    if (this.leftFromMs !== null) reasons.push(daysLeftReason(this.leftFromMs));
    if (this.#cut !== null) {
      const day = fillWindow("{since}", this.#cut);
      reasons.push(`${day} alone has ${this.rules.maxRows} rows or more: narrow the query`);
    }
    return reasons.map((reason) => ({ part: "document", reason }));
  }

  cursor(): string {
    return this.leftFromMs === null ? this.#cursorOf(this.#startedMs) : this.#cursorFrom(this.leftFromMs);
  }

  /** The cursor after a failure: the complete days are not fetched again. */
  progress(): string | null {
    const sinceMs = this.#current?.sinceMs ?? this.#firstSinceMs;
    return sinceMs <= this.#firstSinceMs ? null : this.#cursorFrom(sinceMs);
  }

  #cursorFrom(sinceMs: number): string {
    return this.#cursorOf(lastFetchFrom(sinceMs, this.rules.windows, this.#startedMs));
  }

  #cursorOf(atMs: number): string {
    return JSON.stringify({ settings: this.#settings, atMs } satisfies SparqlCursor);
  }

  async #query(window: Window): Promise<FetchedDocument | null> {
    const { options, source, rules } = this;
    requireTime(options.clock, this.#startedMs);
    const url = new URL(this.#endpoint);
    const query = fillWindow(rules.query, window);
    url.searchParams.set("query", query);
    try {
      const response = await fetchDocument(source, {
        url,
        headers: { accept: "application/sparql-results+json" },
        timeoutMs: Math.max(WINDOW_REQUEST_MS, options.timeoutMs),
        validators: null,
        expects: "data",
      }, options);
      this.redirect = withoutQuery(response.redirect, query);
      return response.document;
    } catch (error) {
      const parts = halveWindow(window);
      if (!(error instanceof FetchError) || parts === null || !isTooMuch(error)) throw error;
      this.#halves = parts;
      return null;
    }
  }
}

/** The redirect of the endpoint without the query; `unsaid` where the target does not repeat the query. */
function withoutQuery(redirect: RedirectTrack, query: string): RedirectTrack {
  if (redirect.kind !== "moved") return redirect;
  const to = new URL(redirect.to);
  if (to.searchParams.get("query") !== query) return { kind: "unsaid" };
  to.searchParams.delete("query");
  return { kind: "moved", to: to.href };
}

/** Whether a smaller window may succeed: the endpoint gave up, or the response came too late or was too large. */
function isTooMuch({ status, state, message }: FetchError): boolean {
  if (state === "blocked") return false;
  return status === null
    ? message.startsWith("no complete response") || message.startsWith("the document has more than")
    : TOO_MUCH.includes(status);
}
