// Removals: what a complete list holds no longer becomes a version that says so.
import type { RegEvent } from "../../domain/event/event.ts";
import type { NewId } from "../../domain/event/ids.ts";
import type { DocumentOrigin } from "../../domain/event/provenance.ts";
import type { SourceSettings } from "../../domain/source/source.ts";
import type { RemovalDecision, StoredPublication } from "../../domain/ports/store/publications.ts";
import type { Store } from "../../domain/ports/store/store.ts";
import type { IngestResult } from "../model.ts";
import type { DecidedItem } from "../model.ts";

/** In so many complete fetches in a row a publication is missing before it counts as withdrawn. */
const TIMES_MISSED = 2;
/** So many may be missing at once whatever the list holds; of more, at most as many as are still listed. */
const ALWAYS_PLAUSIBLE = 3;

/** What looking for removals needs. */
export interface RemovalOptions {
  store: Pick<Store, "recordRemovals">;
  newId: NewId;
  /** Who holds the source's lease. */
  holder: string;
  nowMs: number;
  /** The version of the classifier's rules. */
  rulesVersion: string;
}

/** What came of it. */
export interface Removals {
  withdrawn: number;
  /** Publications that were missing and do not count yet. */
  missed: number;
}

/**
 * Looks for publications that the documents of a complete fetch did not hold. A feed shows a window of what there is:
 * there only what is dated after the oldest item that is still listed can be missing. Where more is missing than is
 * left, the list is broken rather than the publications withdrawn, and nothing counts.
 */
export async function findRemovals(
  source: SourceSettings,
  { decided, seen, isComplete, origin }: Pick<IngestResult, "decided" | "seen" | "isComplete" | "origin">,
  options: RemovalOptions,
): Promise<Removals> {
  const removals: Removals = { withdrawn: 0, missed: 0 };
  if (source.removals !== true || !isComplete || seen.size === 0 || origin === null) return removals;
  const sinceMs = isWindow(source) ? oldestListed(decided) : Number.MIN_SAFE_INTEGER;
  const { holder } = options;
  const decisions = await options.store.recordRemovals(source.id, { seen, sinceMs, holder }, (missing) => {
    const isPlausible = missing.length <= Math.max(ALWAYS_PLAUSIBLE, seen.size);
    return missing.map(({ stored, missed }): RemovalDecision => {
      if (!isPlausible) return { kind: "unchanged" };
      return missed >= TIMES_MISSED ? withdrawal(stored, { ...options, origin }) : { kind: "missed" };
    });
  });
  for (const { kind } of decisions) {
    if (kind === "record") removals.withdrawn++;
    else removals.missed++;
  }
  return removals;
}

/** Feeds hold the newest items, and lists of several pages are read until they hold nothing new. */
function isWindow({ rules }: SourceSettings): boolean {
  return rules?.kind !== "list" || rules.paging.kind !== "none" || rules.windows !== null;
}

/**
 * The earliest date of a listed item; without one, a time to come: then nothing can be said to be missing. Of several
 * languages it is that of the shortest window: what stood in one alone falls out at its end.
 */
function oldestListed(decided: readonly DecidedItem[]): number {
  const oldest = new Map<string | null, number>();
  for (const { item, language } of decided) {
    const known = oldest.get(language) ?? Number.MAX_SAFE_INTEGER;
    oldest.set(language, Math.min(known, item.publishedAtMs ?? item.updatedAtMs ?? known));
  }
  return oldest.size === 0 ? Number.MAX_SAFE_INTEGER : Math.max(...oldest.values());
}

function withdrawal(
  stored: StoredPublication,
  { newId, nowMs, rulesVersion, origin }: RemovalOptions & { origin: DocumentOrigin },
): RemovalDecision {
  const previous = stored.event;
  const event: RegEvent = {
    ...previous,
    id: newId("event"),
    version: previous.version + 1,
    supersedes: previous.id,
    ingested_at: nowMs,
    status: "withdrawn",
  };
  // What it says of the publication is what the version before it says; the document is the one that does not hold it.
  const provenance = {
    rules_version: rulesVersion,
    categories: [],
    stated_languages: [previous.language],
    ...origin,
  };
  return { kind: "record", event, provenance, notify: "after_fetch" };
}
