// Asking a SPARQL endpoint, a window of days at a time: what takes too long or gives too much is asked for in halves.
import { fillWindow, type SparqlRules } from "../domain/reading.ts";
import type { SourceSettings } from "../domain/source.ts";
import { fetchDocument } from "./fetch_document.ts";
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
import { halveWindow, planWindows, requireTime, rulesKey, WALKED_REQUEST_MS, type Window } from "./walk.ts";

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
  { cursor }: Known,
  options: FetchOptions,
): Fetched {
  const startedMs = options.clock.nowMs();
  const settings = rulesKey(source);
  const before = readCursor<SparqlCursor>(cursor, settings);
  const waiting = planWindows(rules.windows, before?.atMs ?? null, startedMs);
  let halves: Window[] = [];

  const ask = async (window: Window): Promise<FetchedDocument | null> => {
    requireTime(options.clock, startedMs);
    const url = new URL(source.location);
    url.searchParams.set("query", fillWindow(rules.query, window));
    try {
      const { document } = await fetchDocument(source, {
        url,
        headers: { accept: "application/sparql-results+json" },
        timeoutMs: Math.max(WALKED_REQUEST_MS, options.timeoutMs),
        validators: null,
        expects: "data",
      }, options);
      return document;
    } catch (error) {
      const parts = halveWindow(window);
      if (!(error instanceof FetchError) || parts === null || !isTooMuch(error)) throw error;
      halves = parts;
      return null;
    }
  };
  const plan = (): PlannedDocument[] => {
    const window = waiting.shift();
    if (window === undefined) return [];
    const name = fillWindow("{since} to {until}", window);
    current = window;
    return [{ name, reading: rules.reading, onFailure: "fail", read: () => ask(window) }];
  };
  let current: Window | null = null;
  let cut: Window | null = null;

  return {
    documents: plan(),
    following({ document, items }: ReadDocument) {
      if (document !== null && items >= rules.maxRows && current !== null) {
        halves = halveWindow(current) ?? [];
        if (halves.length === 0) cut = current;
      }
      waiting.unshift(...halves);
      halves = [];
      return plan();
    },
    leftOut: () =>
      cut === null ? [] : [{
        name: "document",
        reason: `${fillWindow("{since}", cut)} alone has ${rules.maxRows} rows or more: narrow the query`,
      }],
    unreadable: [],
    isUnchanged: false,
    freshUntilMs: null,
    whereabouts: () => [],
    cursor: ({ isWhole }) =>
      isWhole ? JSON.stringify({ settings, atMs: startedMs } satisfies SparqlCursor) : cursor,
  };
}

/** Whether a smaller window may go well where this one did not: the endpoint gave up, or nothing came in time. */
function isTooMuch({ status, state, message }: FetchError): boolean {
  if (state === "blocked") return false;
  return status === null
    ? message.startsWith("no whole answer") || message.startsWith("the document has more than")
    : TOO_MUCH.includes(status);
}
