// Withdraws publications that a complete list no longer has, by adding a version with the status `withdrawn`.
import type { RegEvent } from "../../domain/event/event.ts";
import type { NewId } from "../../domain/event/ids.ts";
import type { DocumentOrigin } from "../../domain/event/provenance.ts";
import type { SourceSettings } from "../../domain/source/source.ts";
import type { RemovalDecision, StoredPublication } from "../../domain/ports/store/publications.ts";
import type { Store } from "../../domain/ports/store/store.ts";
import type { DecidedItem, IngestResult } from "../model.ts";

/** A publication is withdrawn once it is missing from this many complete fetches in a row. */
const TIMES_MISSED = 2;
/** Up to this many publications may be missing at once, or as many as are still listed, whichever is more. */
const ALWAYS_PLAUSIBLE = 3;

interface RemovalOptions {
  store: Pick<Store, "recordRemovals">;
  newId: NewId;
  holder: string;
  nowMs: number;
  rulesVersion: string;
}

export interface Removals {
  withdrawn: number;
  /** The number of publications that are missing but not yet withdrawn. */
  missed: number;
}

/** Withdraws publications missing from complete fetches, unless so many are missing that the list seems broken. */
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
      return missed >= TIMES_MISSED ? withdrawal(stored, source, { ...options, origin }) : { kind: "missed" };
    });
  });
  for (const { kind } of decisions) {
    if (kind === "record") removals.withdrawn++;
    else removals.missed++;
  }
  return removals;
}

/** Whether a fetch may see only the newest items, as in feeds and in lists that are paged or requested by days. */
function isWindow({ rules }: SourceSettings): boolean {
  return rules?.kind !== "list" || rules.paging.kind !== "none" || rules.windows !== null;
}

/** Returns the date to which the lists of all languages reach back, in Unix ms, or the far future for empty lists. */
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
  source: SourceSettings,
  { newId, nowMs, rulesVersion, origin }: RemovalOptions & { origin: DocumentOrigin },
): RemovalDecision {
  const previous = stored.event;
  const event: RegEvent = {
    ...previous,
    id: newId("event"),
    source: { id: source.id, name: source.nameEn },
    version: previous.version + 1,
    supersedes: previous.id,
    ingested_at: nowMs,
    status: "withdrawn",
  };
  // The content comes from the previous version, and the provenance from the document that lacks the publication.
  const provenance = {
    rules_version: rulesVersion,
    categories: [],
    stated_languages: [previous.language],
    ...origin,
    other_languages: null,
  };
  return { kind: "record", event, provenance, notify: "after_fetch" };
}
