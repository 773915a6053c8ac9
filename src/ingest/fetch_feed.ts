// Getting a feed: one document, asked for again only if it changed.
import type { SourceSettings } from "../domain/source.ts";
import { fetchDocument, type Validators } from "./fetch_document.ts";
import { type Fetched, type FetchOptions, type Known, readCursor, settingsKey } from "./fetched.ts";

const ACCEPT = "application/rss+xml, application/atom+xml, application/feed+json, application/rdf+xml, " +
  "application/xml;q=0.9, text/xml;q=0.9, application/json;q=0.8, */*;q=0.1";

interface FeedCursor extends Validators {
  /** The settings that the validators hold for. */
  settings: string;
}

/** Fetches the feed, where it has moved to if that is adopted. Throws a `FetchError`. */
export async function fetchFeed(
  source: SourceSettings,
  { cursor, movedTo }: Known,
  options: FetchOptions,
): Promise<Fetched> {
  const settings = settingsKey(source);
  const answer = await fetchDocument(source, {
    url: new URL(movedTo ?? source.location),
    headers: { accept: ACCEPT },
    validators: readCursor<FeedCursor>(cursor, settings),
    expects: "data",
  }, options);
  const { freshUntilMs, document } = answer;
  const common = { unreadable: [], freshUntilMs, movedTo: answer.movedTo };
  if (document === null) return { ...common, documents: [], isUnchanged: true, cursor: () => cursor };
  const next: FeedCursor = { settings, ...answer.validators };
  return {
    ...common,
    documents: [{
      name: source.location,
      reading: null,
      onFailure: "fail",
      read: () => Promise.resolve({ ...document, name: source.location }),
    }],
    isUnchanged: false,
    cursor: ({ isWhole }) => isWhole ? JSON.stringify(next) : null,
  };
}
