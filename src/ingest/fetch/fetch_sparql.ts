// Queries a SPARQL endpoint in windows of days. A window that takes too long or has too many rows is halved.
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
import { adoptedAddress, type PermanentRedirects, type RedirectTrack } from "./permanent_redirects.ts";
import type { Window } from "./pagination.ts";
import { halveWindow, requireTime, rulesKey, WINDOW_REQUEST_MS, WindowQueue } from "./pagination.ts";

/** Response statuses of queries that take too long or return too much. */
const TOO_MUCH = [413, 500, 502, 503, 504];

interface SparqlCursor {
  settings: string;
  /** When the last complete fetch began, in Unix ms. */
  atMs: number;
}

/** Queries the windows since the last fetch. Each query runs when its document is read. */
export class SparqlFetch implements Fetched {
  readonly documents: PlannedDocument[];
  readonly unreadable = [];
  readonly isUnchanged = false;
  readonly freshUntilMs = null;
  readonly #startedMs: number;
  readonly #settings: string;
  readonly #endpoint: string;
  readonly #windows: WindowQueue;
  /** The last single day with too many rows, or null if there is none. */
  #tooLong: Window | null = null;
  #redirect: RedirectTrack = { kind: "unknown" };

  constructor(
    readonly source: SourceSettings,
    readonly rules: SparqlRules,
    readonly known: Known,
    readonly options: FetchOptions,
  ) {
    this.#startedMs = options.clock.nowMs();
    this.#settings = rulesKey(source);
    this.#endpoint = adoptedAddress(known.moves, source.location) ?? source.location;
    const before = readCursor<SparqlCursor>(known.cursor, this.#settings);
    this.#windows = new WindowQueue(rules.windows, before?.atMs ?? null, options.clock);
    this.documents = this.#plan(this.#windows.current);
  }

  #plan(window: Window | undefined): PlannedDocument[] {
    if (window === undefined) return [];
    const name = fillWindow("{since} to {until}", window);
    return [{ name, reading: this.rules.reading, onFailure: "fail", read: () => this.#query(window) }];
  }

  following({ document, items }: ReadDocument): PlannedDocument[] {
    const { current } = this.#windows;
    if (current !== undefined && (document === null || items >= this.rules.maxRows)) {
      if (halveWindow(current) !== null) return this.#plan(this.#windows.halve());
      this.#tooLong = current;
    }
    return this.#plan(this.#windows.next());
  }

  leftOut(): FailedPart[] {
    const left = this.#windows.leftOut();
    if (this.#tooLong === null) return left;
    const day = fillWindow("{since}", this.#tooLong);
    const reason = `${day} alone has ${this.rules.maxRows} rows or more: narrow the query`;
    return [...left, { part: "document", reason }];
  }

  goesOn(): boolean {
    return this.#windows.leftFromMs !== null;
  }

  redirects(): PermanentRedirects[] {
    return [{ ...this.#redirect, address: this.source.location }];
  }

  cursor({ isWhole }: { isWhole: boolean }): string | null {
    return isWhole ? this.#cursorAt(this.#windows.lastFetchMs) : this.known.cursor;
  }

  progress(): string | null {
    const { progressMs } = this.#windows;
    return progressMs === null ? null : this.#cursorAt(progressMs);
  }

  #cursorAt(atMs: number): string {
    return JSON.stringify({ settings: this.#settings, atMs } satisfies SparqlCursor);
  }

  /** Queries a window. Returns null if a smaller window may succeed. */
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
      this.#redirect = withoutQuery(response.redirect, query);
      return response.document;
    } catch (error) {
      if (!(error instanceof FetchError) || halveWindow(window) === null || !isTooMuch(error)) throw error;
      return null;
    }
  }
}

/** Returns the redirect of the endpoint without the query, or `unknown` if the target does not repeat the query. */
function withoutQuery(redirect: RedirectTrack, query: string): RedirectTrack {
  if (redirect.kind !== "moved") return redirect;
  const to = new URL(redirect.to);
  if (to.searchParams.get("query") !== query) return { kind: "unknown" };
  to.searchParams.delete("query");
  return { kind: "moved", to: to.href };
}

/** Whether a smaller window may succeed, because the endpoint gave up or the response was too slow or too large. */
function isTooMuch({ status, state, message }: FetchError): boolean {
  if (state === "blocked") return false;
  return status === null
    ? message.startsWith("no complete response") || message.startsWith("the document has more than")
    : TOO_MUCH.includes(status);
}
