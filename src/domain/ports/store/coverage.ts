// The part of the Store port for coverage: the history of fetches, and incidents.
import type { IncidentFacts } from "../../plans/incidents.ts";
import type { FetchCause, FetchDay, FetchRecord } from "../../source/fetch_record.ts";
import type { Incident } from "../../source/incident.ts";

export interface FailingSource {
  sourceId: string;
  /** When the first failed fetch since the last success ended, Unix ms. */
  sinceMs: number;
  /** Why the last fetch failed. */
  cause: FetchCause;
}

/** The history of fetches, which `finishFetch` of the source store records, and incidents. Times are in Unix ms. */
export interface CoverageStore {
  /** Lists the fetches of a source, newest first. With `beforeMs`, only those that started before it. */
  listFetches(sourceId: string, query: { limit: number; beforeMs?: number }): Promise<FetchRecord[]>;
  /** Lists the days with fetches of every source from `fromDay` (days since 1970-01-01) to `toDay`, oldest first. */
  listFetchDays(fromDay: number, toDay: number): Promise<Map<string, FetchDay[]>>;
  /** Removes fetches that started by `untilMs`, but not their days. Returns the number removed, at most `limit`. */
  removeFetches(untilMs: number, limit: number): Promise<number>;
  /** Lists the sources whose last fetch failed. */
  listFailingSources(): Promise<FailingSource[]>;
  /** Records which incidents begin, change and end. {@link planIncidents} decides. */
  reviewIncidents(facts: IncidentFacts, newIncidentId: () => string): Promise<void>;
  /** Lists the incidents that last or ended after `sinceMs`, those that began last first. */
  listIncidents(query: { limit: number; sinceMs: number }): Promise<Incident[]>;
  /** Returns the id of this store's feeds. The first call stores `newId` as this id. */
  feedId(newId: string): Promise<string>;
}
