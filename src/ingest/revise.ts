// What becomes of one publication: new, revised, unchanged or passed over; and the record that is kept of it.
import type { EventType, RegEvent } from "../domain/event.ts";
import type { Provenance } from "../domain/provenance.ts";
import type { Severity } from "../domain/severity.ts";
import type { RecordDecision, StoredPublication } from "../domain/store.ts";
import { type IdentifiedItem, isSameButForDate } from "./identify.ts";

const DAY_MS = 86_400_000;

/** What the classifier says of an item. */
export interface Classified {
  /** Whether it concerns AI regulation. */
  relevant: boolean;
  /** ISO 639-1. */
  language: string;
  eventType: EventType;
  topics: string[];
  severity: Severity;
  aiActArticles: string[];
}

/** What a decision needs beside the item and what is stored of it. */
export interface RevisionContext {
  sourceId: string;
  /** Whether what does not concern AI regulation is kept as well. */
  keepAll: boolean;
  /** Whether subscribers hear of new publications. */
  notify: boolean;
  nowMs: number;
  /** Every key of the document. */
  keys: ReadonlySet<string>;
  /** Whether a date that moves is content: it is on a page of its own, not where it moves with every other date. */
  datesCount: boolean;
  newEventId(): string;
  /** Asked only when a record is to be made or passed over. */
  classify(identified: IdentifiedItem): Classified;
  /** What a record of the item is made from. */
  provenance(identified: IdentifiedItem): Provenance;
}

/**
 * Decides on one publication. A publication that is stored stays one, whatever its revision is about. It is "redated"
 * when nothing but its date has changed and that does not count.
 */
export function decideRevision(
  identified: IdentifiedItem,
  stored: StoredPublication | null,
  context: RevisionContext,
): RecordDecision {
  if (stored?.contentHash === identified.contentHash) return { kind: "unchanged" };
  const previous = stored === null || isTaken(stored, identified, context) ? null : stored.event();
  if (previous !== null && !context.datesCount && isSameButForDate(identified.item, previous)) {
    return { kind: "redated" };
  }
  const classified = context.classify(identified);
  if (previous === null && !context.keepAll && !classified.relevant) return { kind: "passed_over" };
  return {
    kind: "record",
    event: buildEvent(identified, { previous, classified, context }),
    provenance: context.provenance(identified),
    notify: context.notify,
  };
}

/**
 * Whether what is stored belongs to another item of the document: two ids that once held the same content and were one
 * publication are two when they hold different content side by side. Each would revise the other for ever.
 */
function isTaken(stored: StoredPublication, { key }: IdentifiedItem, { keys }: RevisionContext): boolean {
  return stored.externalId !== key && keys.has(stored.externalId);
}

function buildEvent(
  { item, key }: IdentifiedItem,
  { previous, classified, context }: {
    previous: RegEvent | null;
    classified: Classified;
    context: RevisionContext;
  },
): RegEvent {
  const stated = item.publishedAtMs ?? item.updatedAtMs;
  const isUsable = stated !== null && stated <= context.nowMs + DAY_MS;
  return {
    id: context.newEventId(),
    source_id: context.sourceId,
    external_id: previous?.external_id ?? key,
    version: (previous?.version ?? 0) + 1,
    supersedes: previous?.id ?? null,
    event_type: classified.eventType,
    topics: classified.topics,
    severity: classified.severity,
    title_en: item.title,
    summary_en: item.summary,
    url_official: item.link,
    ai_act_articles: classified.aiActArticles,
    // Without a usable date it is the first sight of the publication, which a revision does not move.
    published_at: isUsable ? stated : previous?.published_at ?? context.nowMs,
    published_at_estimated: !isUsable,
    ingested_at: context.nowMs,
    language: classified.language,
    language_versions: [classified.language],
    translations: { [classified.language]: { title: item.title, summary: item.summary } },
  };
}
