// What becomes of one publication: new, revised, unchanged or passed over; and the record that is kept of it.
import type { EventType, LocalizedText, RegEvent } from "../../domain/event/event.ts";
import type { Provenance } from "../../domain/event/provenance.ts";
import type { Severity } from "../../domain/event/severity.ts";
import type { RecordDecision, StoredPublication } from "../../domain/ports/store/publications.ts";
import { type IdentifiedItem, isSameButForDate, isSameText } from "../identify/identify.ts";
import { textsIn } from "../identify/language_urls.ts";
import { cleanUrl } from "../normalise/links.ts";

const DAY_MS = 86_400_000;
/** After so many moves of nothing but its date a publication's date counts no more: its source makes it up. */
const MAX_DATE_MOVES = 2;

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
  /**
   * What is made of a date that moved and nothing else: `ask` answers "date_changed" so that the whole document is looked at
   * first, `keep` takes it without a revision, `again` makes it a revision when it is seen a second time, `now` at once.
   */
  movedDates: "ask" | "keep" | "again" | "now";
  /** Whether the document was read before: what is stored of its items may be newer than it. */
  isReread: boolean;
  /** Whether an item that does not concern AI regulation was passed over before the source was told to take everything. */
  wasIrrelevant(item: IdentifiedItem["item"]): boolean;
  newEventId(): string;
  /** Asked only when a record is to be made or passed over. */
  classify(identified: IdentifiedItem): Classified;
  /** What a record of the item is made from. */
  provenance(identified: IdentifiedItem): Provenance;
}

/**
 * Decides on one publication. A publication that is stored stays one, whatever its revision is about. It is "date_changed"
 * when nothing but its date has changed and that does not count, or not yet.
 */
export function decideRevision(
  identified: IdentifiedItem,
  found: StoredPublication | null,
  context: RevisionContext,
): RecordDecision {
  if (found?.contentHash === identified.contentHash && !found.withdrawn) return { kind: "unchanged" };
  const stored = found === null || isAnother(found, identified, context) ? null : found;
  if (stored === null) {
    // What a former rule knew as part of another publication becomes one of its own, and is no news. What only seemed to
    // be an edition of one that is another's after all is news.
    const isSplit = found?.foundBy === "alias" && found.externalId !== identified.replaces &&
      isAlike(identified, found.event);
    return decideNew(identified, context, { isNews: !isSplit });
  }
  if (context.isReread && !stored.withdrawn) return { kind: "unchanged" };
  if (isHashedOtherwise(identified, stored)) return { kind: "unchanged", hashedAnew: true };
  const language = identified.language === undefined
    ? null
    : decideLanguage(identified, { stored, language: identified.language }, context);
  if (language !== null) return language;
  if (!stored.withdrawn && hasOnlyDateChanged(identified, stored)) {
    const decision = decideDate(identified, stored, context.movedDates);
    if (decision !== null) return decision;
  }
  return {
    kind: "record",
    event: revisedEvent(identified, stored.event, context),
    provenance: context.provenance(identified),
    notify: context.notify ? "after_fetch" : false,
  };
}

function decideNew(
  identified: IdentifiedItem,
  context: RevisionContext,
  { isNews }: { isNews: boolean },
): RecordDecision {
  const classified = context.classify(identified);
  if (!context.keepAll && !classified.relevant) return { kind: "irrelevant" };
  const isTold = isNews && (classified.relevant || !context.wasIrrelevant(identified.item));
  return {
    kind: "record",
    event: buildEvent(identified, { previous: null, classified, context }),
    provenance: context.provenance(identified),
    notify: context.notify && isTold ? "after_fetch" : false,
  };
}

/**
 * Whether what is stored belongs to another item of the document: two ids that once held the same content and were one
 * publication are two when they hold different content side by side. Each would revise the other for ever. What a former
 * rule knows is the same only where address or title say so too.
 */
function isAnother(
  stored: StoredPublication,
  identified: IdentifiedItem,
  { keys }: RevisionContext,
): boolean {
  if (stored.foundBy === "alias" && !isAlike(identified, stored.event)) return true;
  if (stored.externalId === identified.key) return false;
  // Of several of its identities in the document the first one has it.
  const owner = stored.keys.find((key) => keys.has(key));
  return owner !== undefined && owner !== identified.key;
}

/** Whether an item is what its record says, and only its hashes are not: what counts of an address has changed meanwhile. */
function isHashedOtherwise({ item, textHash, language }: IdentifiedItem, stored: StoredPublication): boolean {
  // With the same text it is the date that differs.
  if (stored.withdrawn || stored.textHash === null || stored.textHash === textHash) return false;
  const event = stored.event;
  if (language !== undefined && language !== event.language) return false;
  const stated = item.publishedAtMs ?? item.updatedAtMs;
  return stated === (event.published_at_estimated ? null : event.published_at) &&
    isSameButForDate(item, textsIn(event, event.language));
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

/** Null when the moved date is a revision. */
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
 * Decides on an item in another language than the record's own: it comes to the record as a translation, or revises one
 * that is there. Null for the record's own language.
 */
function decideLanguage(
  identified: IdentifiedItem,
  { stored, language }: { stored: StoredPublication; language: string },
  context: RevisionContext,
): RecordDecision | null {
  const known = stored.languages;
  if (known.get(language) === identified.textHash && !stored.withdrawn) {
    const isOwn = stored.textHash === identified.textHash;
    return isOwn ? null : { kind: "unchanged" };
  }
  const event = stored.event;
  if (event.language === language) return null;
  const { title, summary } = identified.item;
  // Sites that have no translation yet repeat the words of another language under the address of this one.
  if (hasText(event, identified.item) && !stored.withdrawn) return repetition(event, language);
  if (!stored.withdrawn && !Object.hasOwn(event.translations, language)) {
    return translation(identified, context);
  }
  return {
    kind: "record",
    event: withText(nextVersion(event, context), language, { title, summary }),
    provenance: context.provenance(identified),
    notify: context.notify ? "after_fetch" : false,
  };
}

/** An item as it comes to the record of its publication in another language. */
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

/**
 * What becomes of an item with words that its record has already. Under a language that has none of its own they are
 * remembered: a page that is behind the one it repeats is no translation either.
 */
export function repetition(event: RegEvent, language: string): RecordDecision {
  return Object.hasOwn(event.translations, language)
    ? { kind: "unchanged", repeats: true }
    : { kind: "unchanged", untranslated: true };
}

/** Whether a record has these words already, in whichever language. */
export function hasText({ translations }: RegEvent, { title, summary }: LocalizedText): boolean {
  return Object.values(translations).some((words) =>
    isSameText(words.title, title) && isSameText(words.summary, summary)
  );
}

function nextVersion({ status: _, ...previous }: RegEvent, context: RevisionContext): RegEvent {
  return {
    ...previous,
    id: context.newEventId(),
    version: previous.version + 1,
    supersedes: previous.id,
    ingested_at: context.nowMs,
  };
}

/** The record with other words in one of its languages. */
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
  // The words of the other languages stand as they are until their own items change.
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
    language: own,
    language_versions: [own],
    translations: { [own]: { title: item.title, summary: item.summary } },
  };
}

/** Whether somebody who is told of new publications is not told of this one, because it is none. */
export function suppressesNotification(
  { item }: IdentifiedItem,
  decision: RecordDecision,
  { notify, wasIrrelevant }: RevisionContext,
): boolean {
  return notify && decision.kind === "record" && decision.notify === false && wasIrrelevant(item);
}
