// Decides whether a publication is new, revised, unchanged or irrelevant, and builds its record.
import type { EventType, LocalizedText, RegEvent } from "../../domain/event/event.ts";
import type { Provenance } from "../../domain/event/provenance.ts";
import type { Severity } from "../../domain/event/severity.ts";
import type { RecordDecision, StoredPublication } from "../../domain/ports/store/publications.ts";
import { type IdentifiedItem, isSameButForDate, isSameDate, isSameText } from "../identify/identify.ts";
import { textsIn } from "../identify/language_urls.ts";
import { cleanUrl } from "../normalise/links.ts";

const DAY_MS = 86_400_000;
/** Maximum number of revisions of a publication in which only the date changes. Further changes are ignored. */
const MAX_DATE_MOVES = 2;

export interface Classified {
  /** Whether the item concerns AI regulation. */
  relevant: boolean;
  /** ISO 639-1 code. */
  language: string;
  eventType: EventType;
  topics: string[];
  severity: Severity;
  aiActArticles: string[];
}

export interface RevisionContext {
  source: RegEvent["source"];
  /** Whether irrelevant items are recorded as well. */
  keepAll: boolean;
  notify: boolean;
  nowMs: number;
  /** The keys of all items in the document. */
  keys: ReadonlySet<string>;
  /** When a changed date is a revision. `ask`: decided later; `keep`: never; `again`: if seen twice; `now`: at once. */
  movedDates: "ask" | "keep" | "again" | "now";
  /** Whether the document was read before, in which case its items may be older than the stored ones. */
  isReread: boolean;
  /** Whether an irrelevant item was skipped before the source changed to relevance = "all". */
  wasIrrelevant(item: IdentifiedItem["item"]): boolean;
  newEventId(): string;
  /** Classifies an item. Called only to decide whether it is relevant or to build its record. */
  classify(identified: IdentifiedItem): Classified;
  provenance(identified: IdentifiedItem): Provenance;
}

/** Decides what to do with an item. A known publication is revised even if it is no longer relevant. */
export function decideRevision(
  identified: IdentifiedItem,
  found: StoredPublication | null,
  context: RevisionContext,
): RecordDecision {
  if (found?.contentHash === identified.contentHash && !found.withdrawn) return { kind: "unchanged" };
  const stored = found === null || isAnother(found, identified, context) ? null : found;
  if (stored === null) {
    // A publication that an earlier identity rule merged with another is recorded without a notification.
    const isSplit = found?.foundBy === "alias" && found.externalId !== identified.replaces &&
      isAlike(identified, found.event);
    return decideNew(identified, context, { isNew: !isSplit });
  }
  if (context.isReread && !stored.withdrawn) return { kind: "unchanged" };
  if (isHashedOtherwise(identified, stored)) return { kind: "unchanged", hashedAnew: true };
  const inLanguage = decideLanguage(identified, stored, context);
  if (inLanguage !== null) return inLanguage;
  if (!stored.withdrawn && hasOnlyDateChanged(identified, stored)) {
    if (isSameDate(identified.item, stored.event)) return { kind: "unchanged", hashedAnew: true };
    const decision = decideDate(identified, stored, context.movedDates);
    if (decision !== null) return decision;
  }
  return version(identified, revisedEvent(identified, stored.event, context), context);
}

function version(
  identified: IdentifiedItem,
  event: RegEvent,
  { provenance, notify }: RevisionContext,
): RecordDecision {
  return {
    kind: "record",
    event,
    provenance: provenance(identified),
    notify: notify ? "after_fetch" : false,
  };
}

function decideNew(
  identified: IdentifiedItem,
  context: RevisionContext,
  { isNew }: { isNew: boolean },
): RecordDecision {
  const classified = context.classify(identified);
  if (!context.keepAll && !classified.relevant) return { kind: "irrelevant" };
  const isNotified = isNew && (classified.relevant || !context.wasIrrelevant(identified.item));
  const event = buildEvent(identified, { previous: null, classified, context });
  return version(identified, event, { ...context, notify: context.notify && isNotified });
}

/** Whether the stored publication belongs to another listed item, or shares an alias but neither URL nor title. */
function isAnother(
  stored: StoredPublication,
  identified: IdentifiedItem,
  { keys }: RevisionContext,
): boolean {
  if (stored.foundBy === "alias" && !isAlike(identified, stored.event)) return true;
  if (stored.externalId === identified.key) return false;
  // If the document has several ids of the publication, it belongs to the item with the first.
  const owner = stored.keys.find((key) => keys.has(key));
  return owner !== undefined && owner !== identified.key;
}

/** Whether an item equals its record despite different hashes, because the rules for cleaning URLs have changed. */
function isHashedOtherwise({ item, textHash, language }: IdentifiedItem, stored: StoredPublication): boolean {
  // If the text hash is the same, only the date differs.
  if (stored.withdrawn || stored.textHash === null || stored.textHash === textHash) return false;
  const event = stored.event;
  if (language !== undefined && language !== event.language) return false;
  const stated = item.publishedAtMs ?? item.updatedAtMs;
  const isDated = event.published_at_estimated ? stated === null : isSameDate(item, event);
  return isDated && isSameButForDate(item, textsIn(event, event.language));
}

function isAlike({ item, language }: IdentifiedItem, event: RegEvent): boolean {
  return cleanUrl(item.link) === cleanUrl(event.url_official) ||
    isSameText(item.title, textsIn(event, language).title_en);
}

function hasOnlyDateChanged(identified: IdentifiedItem, stored: StoredPublication): boolean {
  return stored.textHash === null
    ? isSameButForDate(identified.item, stored.event)
    : stored.textHash === identified.textHash;
}

/** Decides on an item whose date alone has changed. Returns null if the change is a revision. */
function decideDate(
  { contentHash }: IdentifiedItem,
  { pendingHash, dateMoves }: StoredPublication,
  movedDates: RevisionContext["movedDates"],
): RecordDecision | null {
  if (movedDates === "ask" || movedDates === "keep") return { kind: "date_changed" };
  if (pendingHash === contentHash) return null;
  if (dateMoves >= MAX_DATE_MOVES) return { kind: "unchanged" };
  return movedDates === "now" ? null : { kind: "date_changed", isPending: true };
}

/**
 * Decides on an item that adds, revises or repeats a text in a language other than the record's. Returns null for other
 * items.
 */
function decideLanguage(
  identified: IdentifiedItem,
  stored: StoredPublication,
  context: RevisionContext,
): RecordDecision | null {
  const { language, textHash } = identified;
  if (language === undefined) return null;
  if (stored.languages.get(language) === textHash && !stored.withdrawn) {
    return stored.textHash === textHash ? null : { kind: "unchanged" };
  }
  const event = stored.event;
  if (event.language === language) return null;
  const { title, summary } = identified.item;
  // Some sites repeat the text of another language at the URL of a language that has no translation.
  if (hasText(event, identified.item) && !stored.withdrawn) return repetition(event, language);
  if (!stored.withdrawn && !Object.hasOwn(event.translations, language)) {
    return translation(identified, context);
  }
  return version(identified, withText(nextVersion(event, context), language, { title, summary }), context);
}

/** Returns the decision to add an item to its record as a translation. */
export function translation(
  identified: IdentifiedItem,
  context: Pick<RevisionContext, "provenance" | "nowMs">,
): Extract<RecordDecision, { kind: "translated" }> {
  const { title, summary, link } = identified.item;
  return {
    kind: "translated",
    words: { title, summary },
    url: link,
    provenance: context.provenance(identified),
    atMs: context.nowMs,
  };
}

/** Returns the decision on an item whose text its record already has in another language. */
export function repetition(event: RegEvent, language: string): RecordDecision {
  return Object.hasOwn(event.translations, language)
    ? { kind: "unchanged", repeats: true }
    : { kind: "unchanged", untranslated: true };
}

/** Whether a record has this text in any language. */
export function hasText({ translations }: RegEvent, { title, summary }: LocalizedText): boolean {
  return Object.values(translations).some((words) =>
    isSameText(words.title, title) && isSameText(words.summary, summary)
  );
}

function nextVersion(previous: RegEvent, context: RevisionContext): RegEvent {
  return {
    ...previous,
    id: context.newEventId(),
    source: context.source,
    version: previous.version + 1,
    supersedes: previous.id,
    ingested_at: context.nowMs,
    status: null,
  };
}

/** Returns the record with this text in the language, which is added if the record does not have it. */
export function withText(
  event: RegEvent,
  language: string,
  words: { title: string; summary: string },
): RegEvent {
  const translations = { ...event.translations, [language]: words };
  const shown = translations["en"] ?? translations[event.language] ?? words;
  return {
    ...event,
    title_en: shown.title,
    summary_en: shown.summary,
    language_versions: Object.keys(translations),
    translations,
  };
}

function revisedEvent(identified: IdentifiedItem, previous: RegEvent, context: RevisionContext): RegEvent {
  const own = buildEvent(identified, { previous, classified: context.classify(identified), context });
  if (identified.language === undefined) return own;
  const { title, summary } = identified.item;
  // The texts of the other languages stay until their own items change.
  return withText({ ...own, translations: previous.translations }, own.language, { title, summary });
}

function buildEvent(
  { item, key, language }: IdentifiedItem,
  { previous, classified, context }: {
    previous: RegEvent | null;
    classified: Classified;
    context: RevisionContext;
  },
): RegEvent {
  const stated = item.publishedAtMs ?? item.updatedAtMs;
  const isUsable = stated !== null && stated <= context.nowMs + DAY_MS;
  const own = language ?? classified.language;
  return {
    id: context.newEventId(),
    source_id: context.source.id,
    source: context.source,
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
    // Without a usable date, a publication keeps the date of its previous version. A new one gets the current time.
    published_at: isUsable ? stated : previous?.published_at ?? context.nowMs,
    published_at_precision: isUsable ? item.publishedPrecision : previous?.published_at_precision ?? "time",
    published_on: isUsable ? item.publishedOn : previous?.published_on ?? null,
    published_at_estimated: !isUsable,
    ingested_at: context.nowMs,
    language: own,
    language_versions: [own],
    translations: { [own]: { title: item.title, summary: item.summary } },
    status: null,
  };
}

/** Whether a new record causes no notification because its item was skipped before. */
export function suppressesNotification(
  { item }: IdentifiedItem,
  decision: RecordDecision,
  { notify, wasIrrelevant }: RevisionContext,
): boolean {
  return notify && decision.kind === "record" && decision.notify === false && wasIrrelevant(item);
}
