// Asking a SPARQL endpoint, a window of days at a time: what takes too long or gives too much is asked for in halves.
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

/** The answers by which endpoints say that a query took too long or asked for too much. */
const TOO_MUCH = [413, 500, 502, 503, 504];

interface SparqlCursor {
  settings: string;
  /** When the last whole fetch began, Unix ms. */
  atMs: number;
}

/** Plans the windows since the last fetch; nothing is asked before they are read. */
export function fetchSparql(
  source: SourceSettings,
  rules: SparqlRules,
  known: Known,
  options: FetchOptions,
): Fetched {
  const walk = new SparqlWindows(source, rules, known, options);
  return {
    documents: walk.plan(),
    following: (read) => walk.following(read),
    leftOut: () => walk.leftOut(),
    goesOn: () => walk.leftFromMs !== null,
    unreadable: [],
    isUnchanged: false,
    freshUntilMs: null,
    redirects: () => [{ ...walk.standing, address: source.location }],
    cursor: ({ isWhole }) => isWhole ? walk.cursor() : known.cursor,
    progress: () => walk.progress(),
  };
}

/** One walk through the days: those that wait, and the one that is asked for. */
class SparqlWindows {
  /** Where the endpoint is, as far as it has said so. */
  standing: RedirectTrack = { kind: "unsaid" };
  /** The first day that is left to the next fetch, Unix ms; null when none is. */
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

  /** The next window; none when all were asked for, or when the time for it is over. */
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
    return [{ name, reading: this.rules.reading, onFailure: "fail", read: () => this.#ask(window) }];
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

  /** The cursor of a fetch that failed on its way: the days that it had are not asked for again. */
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

  async #ask(window: Window): Promise<FetchedDocument | null> {
    const { options, source, rules } = this;
    requireTime(options.clock, this.#startedMs);
    const url = new URL(this.#endpoint);
    const query = fillWindow(rules.query, window);
    url.searchParams.set("query", query);
    try {
      const answer = await fetchDocument(source, {
        url,
        headers: { accept: "application/sparql-results+json" },
        timeoutMs: Math.max(WINDOW_REQUEST_MS, options.timeoutMs),
        validators: null,
        expects: "data",
      }, options);
      this.standing = withoutQuery(answer.redirect, query);
      return answer.document;
    } catch (error) {
      const parts = halveWindow(window);
      if (!(error instanceof FetchError) || parts === null || !isTooMuch(error)) throw error;
      this.#halves = parts;
      return null;
    }
  }
}

/** Where an endpoint has moved to, without the query that it was asked; nothing is said where it does not repeat that. */
function withoutQuery(standing: RedirectTrack, query: string): RedirectTrack {
  if (standing.kind !== "moved") return standing;
  const to = new URL(standing.to);
  if (to.searchParams.get("query") !== query) return { kind: "unsaid" };
  to.searchParams.delete("query");
  return { kind: "moved", to: to.href };
}

/** Whether a smaller window may go well where this one did not: the endpoint gave up, or nothing came in time. */
function isTooMuch({ status, state, message }: FetchError): boolean {
  if (state === "blocked") return false;
  return status === null
    ? message.startsWith("no complete response") || message.startsWith("the document has more than")
    : TOO_MUCH.includes(status);
}
