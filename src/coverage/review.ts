// Reviews coverage every minute: records incidents, and removes old fetches.
import type { NewId } from "../domain/event/ids.ts";
import type { Clock } from "../domain/ports/ports.ts";
import type { Store } from "../domain/ports/store/store.ts";
import { FETCHES_KEPT_MS } from "../domain/source/fetch_record.ts";
import { INCIDENT_AFTER_MS } from "../domain/source/incident.ts";
import { type CoverageFacts, findProblems } from "./find_problems.ts";

const REVIEW_EVERY_MS = 60_000;
/** Maximum number of fetches removed in one transaction. */
const REMOVE_BATCH = 500;

interface ReviewOptions {
  store: Pick<
    Store,
    "listSources" | "listFailingSources" | "oldestOverdue" | "reviewIncidents" | "removeFetches"
  >;
  sources: CoverageFacts["sources"];
  clock: Clock;
  newId: NewId;
}

/** Returns a function that reviews coverage if a review is due. */
export function createCoverageReview({ store, sources, clock, newId }: ReviewOptions): () => Promise<void> {
  const runningSinceMs = clock.nowMs();
  let reviewedAtMs = -Infinity;
  return async () => {
    const nowMs = clock.nowMs();
    // The difference is negative if the clock was set back.
    if (Math.abs(nowMs - reviewedAtMs) < REVIEW_EVERY_MS) return;
    const facts = {
      sources,
      states: await store.listSources(),
      failing: await store.listFailingSources(),
      overdueSinceMs: await store.oldestOverdue(nowMs - INCIDENT_AFTER_MS),
      runningSinceMs: Math.min(runningSinceMs, nowMs),
      nowMs,
    };
    await store.reviewIncidents(findProblems(facts), () => newId("incident"));
    // If there may be more to remove, the next call continues.
    const removed = await store.removeFetches(nowMs - FETCHES_KEPT_MS, REMOVE_BATCH);
    if (removed < REMOVE_BATCH) reviewedAtMs = nowMs;
  };
}
