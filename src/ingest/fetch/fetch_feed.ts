// Fetches a feed: one document, requested conditionally and parsed only if it has changed.
import type { SourceSettings } from "../../domain/source/source.ts";
import { fetchDocument, type Validators } from "./fetch_document.ts";
import { type Fetched, type FetchOptions, type Known, readCursor, settingsKey } from "./fetch_types.ts";
import { adoptedAddress } from "./permanent_redirects.ts";
import { isStale } from "../schedule/freshness.ts";
import { hasFingerprint } from "./document_fingerprints.ts";

const ACCEPT = "application/rss+xml, application/atom+xml, application/feed+json, application/rdf+xml, " +
  "application/xml;q=0.9, text/xml;q=0.9, application/json;q=0.8, */*;q=0.1";

const MINUTE_MS = 60_000;

interface FeedCursor extends Validators {
  /** The settings for which the validators are valid. */
  settings: string;
  /** The document's own ttl, which a 304 response does not repeat. */
  ttlMinutes?: number;
  /** When the document that was ingested last was received, in Unix ms. */
  sentMs?: number;
}

/** Fetches the feed from the configured URL or from the target of its adopted redirect. Throws `FetchError`. */
export async function fetchFeed(
  source: SourceSettings,
  { cursor, moves, fingerprintOf }: Known,
  options: FetchOptions,
): Promise<Fetched> {
  const settings = settingsKey(source);
  const known = readCursor<FeedCursor>(cursor, settings);
  const conditional = isStale(known?.sentMs ?? 0, options.clock.nowMs()) ? null : known;
  const response = await fetchDocument(source, {
    url: new URL(adoptedAddress(moves, source.location) ?? source.location),
    headers: { accept: ACCEPT },
    validators: conditional,
    expects: "data",
  }, options);
  const { freshUntilMs, document } = response;
  const common = {
    unreadable: [],
    redirects: () => [{ ...response.redirect, address: source.location }],
  };
  const fingerprint = fingerprintOf(source.location);
  const isRepeated = conditional !== null && document !== null && hasFingerprint(document, fingerprint);
  if (document === null || isRepeated) {
    const statedMs = options.clock.nowMs() + (known?.ttlMinutes ?? 0) * MINUTE_MS;
    return {
      ...common,
      freshUntilMs: Math.max(freshUntilMs ?? 0, statedMs),
      documents: [],
      isUnchanged: true,
      repeated: isRepeated ? [{ name: source.location, fingerprint }] : [],
      cursor: () => cursor,
    };
  }
  const next: FeedCursor = { settings, ...response.validators, sentMs: document.fetchedAtMs };
  return {
    ...common,
    freshUntilMs,
    documents: [{
      name: source.location,
      reading: null,
      onFailure: "fail",
      isAlone: true,
      read: () => Promise.resolve({ ...document, name: source.location }),
    }],
    isUnchanged: false,
    cursor: ({ isWhole, ttlMinutes }) =>
      isWhole ? JSON.stringify({ ...next, ...(ttlMinutes ? { ttlMinutes } : {}) }) : null,
  };
}
