// Fetches the documents of a source according to its fetch strategy.
import type { SourceSettings } from "../../domain/source/source.ts";
import { fetchFeed } from "./fetch_feed.ts";
import { fetchFolder } from "./fetch_folder.ts";
import { fetchLanguages } from "./fetch_language_editions.ts";
import { ListFetch } from "./fetch_list.ts";
import { SitemapFetch, type SitemapOptions } from "./fetch_sitemap.ts";
import { SparqlFetch } from "./fetch_sparql.ts";
import type { Fetched, Known } from "./fetch_types.ts";

/** Fetches the documents that have changed. Throws `FetchError`. */
export async function fetchDocuments(
  source: SourceSettings,
  known: Known,
  options: SitemapOptions,
): Promise<Fetched> {
  const fetchOne = (one: SourceSettings, itsKnown: Known) => fetchByStrategy(one, itsKnown, options);
  return source.urls === undefined
    ? await fetchOne(source, known)
    : await fetchLanguages(source, source.urls, known, fetchOne);
}

async function fetchByStrategy(
  source: SourceSettings,
  known: Known,
  options: SitemapOptions,
): Promise<Fetched> {
  const { rules } = source;
  switch (rules?.kind) {
    case "list":
      return await new ListFetch(source, rules, known, options).start();
    case "sparql":
      return new SparqlFetch(source, rules, known, options);
    case "sitemap":
      return await new SitemapFetch(source, rules, known, options).start();
    default:
      return source.fetchStrategy === "files"
        ? await fetchFolder(source, known.cursor, options)
        : await fetchFeed(source, known, options);
  }
}
