// Getting a feed: one document, asked for again only if it changed, and read again only then.
import type { SourceSettings } from "../../domain/source/source.ts";
import { fetchDocument, type Validators } from "./fetch_document.ts";
import { type Fetched, type FetchOptions, type Known, readCursor, settingsKey } from "./fetch_types.ts";
import { adoptedAddress } from "./permanent_redirects.ts";
import { isStale } from "../schedule/freshness.ts";
import { knownDocument } from "./document_fingerprints.ts";

const ACCEPT = "application/rss+xml, application/atom+xml, application/feed+json, application/rdf+xml, " +
  "application/xml;q=0.9, text/xml;q=0.9, application/json;q=0.8, */*;q=0.1";

const MINUTE_MS = 60_000;

interface FeedCursor extends Validators {
  /** The settings that the validators hold for. */
  settings: string;
  /** What the document said of how long it stays as it is: an answer that it has not changed says it no more. */
  ttlMinutes?: number;
  /** When the document was sent last, Unix ms. */
  sentMs?: number;
}

/** Fetches the feed, where it has moved to if that is adopted. Throws a `FetchError`. */
export async function fetchFeed(
  source: SourceSettings,
  { cursor, moves, fingerprintOf: lookOf }: Known,
  options: FetchOptions,
): Promise<Fetched> {
  const settings = settingsKey(source);
  const known = readCursor<FeedCursor>(cursor, settings);
  const believed = isStale(known?.sentMs ?? 0, options.clock.nowMs()) ? null : known;
  const answer = await fetchDocument(source, {
    url: new URL(adoptedAddress(moves, source.location) ?? source.location),
    headers: { accept: ACCEPT },
    validators: believed,
    expects: "data",
  }, options);
  const { freshUntilMs, document } = answer;
  const whereabouts = [{ ...answer.redirect, address: source.location }];
  const common = { unreadable: [], redirects: () => whereabouts };
  // A server that never says so may send the same again.
  const look = believed === null || document === null
    ? null
    : knownDocument(document, null, lookOf(source.location));
  if (document === null || look !== null) {
    const statedMs = options.clock.nowMs() + (known?.ttlMinutes ?? 0) * MINUTE_MS;
    return {
      ...common,
      freshUntilMs: Math.max(freshUntilMs ?? 0, statedMs),
      documents: [],
      isUnchanged: true,
      repeated: look === null ? [] : [{ name: source.location, fingerprint: look }],
      cursor: () => cursor,
    };
  }
  const next: FeedCursor = { settings, ...answer.validators, sentMs: document.fetchedAtMs };
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
