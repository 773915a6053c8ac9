// Getting a source that has an address for each language: every address like a feed of its own.
import type { SourceSettings } from "../domain/source.ts";
import { fetchFeed } from "./fetch_feed.ts";
import { type Fetched, FetchError, type FetchOptions, type Known, type PlannedDocument } from "./fetched.ts";

/** The cursor of each language. */
type LanguageCursors = Record<string, string | null>;

/**
 * Fetches each of the source's addresses, the main language first. One that cannot be had is refused and its neighbours
 * go on; throws the first `FetchError` when none can. Addresses that move for good are asked where the config says.
 */
export async function fetchLanguages(
  source: SourceSettings,
  urls: Readonly<Record<string, string>>,
  { cursor }: Pick<Known, "cursor">,
  options: FetchOptions,
): Promise<Fetched> {
  const cursors: LanguageCursors = cursor === null ? {} : JSON.parse(cursor);
  const fetched = new Map<string, Fetched>();
  const documents: PlannedDocument[] = [];
  let failure: FetchError | null = null;
  for (const [language, url] of Object.entries(urls)) {
    const one: SourceSettings = { ...source, location: url, languages: [language] };
    try {
      const known = { cursor: cursors[language] ?? null, movedTo: null };
      const answer = await fetchFeed(one, known, options);
      fetched.set(language, answer);
      for (const document of answer.documents) {
        documents.push({ ...document, language, onFailure: "refuse" });
      }
    } catch (error) {
      if (!(error instanceof FetchError)) throw error;
      failure ??= error;
      const read = () => Promise.reject(error);
      documents.push({ name: url, reading: null, language, onFailure: "refuse", read });
    }
  }
  if (failure !== null && fetched.size === 0) throw failure;
  const answers = [...fetched.values()];
  const fresh = answers.map(({ freshUntilMs }) => freshUntilMs);
  return {
    documents,
    unreadable: [],
    isUnchanged: failure === null && answers.every(({ isUnchanged }) => isUnchanged),
    freshUntilMs: fresh.includes(null) ? null : Math.min(...fresh.filter((ms) => ms !== null)),
    movedTo: null,
    cursor: (outcome) => {
      const next: LanguageCursors = {};
      for (const [language, answer] of fetched) {
        const isRefused = outcome.refused.has(urls[language] ?? "");
        next[language] = isRefused || !outcome.isWhole ? null : answer.cursor(outcome);
      }
      return JSON.stringify(next);
    },
  };
}
