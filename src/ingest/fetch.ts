// Getting a source's documents, each strategy in its own way.
import type { SourceSettings } from "../domain/source.ts";
import { fetchFeed } from "./fetch_feed.ts";
import { fetchFolder } from "./fetch_folder.ts";
import type { Fetched, FetchOptions, Known } from "./fetched.ts";

/** Fetches what changed since what is known. Throws a `FetchError`. */
export async function fetchDocuments(
  source: SourceSettings,
  known: Known,
  options: FetchOptions,
): Promise<Fetched> {
  return source.fetchStrategy === "files"
    ? await fetchFolder(source, known.cursor, options)
    : await fetchFeed(source, known, options);
}
