// What the feed shows: rows by day, in the viewer's language, and the active filters.
import type { RegEvent } from "../../../domain/event/event.ts";
import { SEVERITIES, type Severity } from "../../../domain/event/severity.ts";
import { utcDay } from "../../../domain/utc_day.ts";
import type { Format } from "../../texts/format.ts";
import type { Language, Texts } from "../../texts/texts.ts";
import type { Vocabulary } from "../vocabulary.ts";
import { type FeedQuery, feedUrl, type FilterName, withFilters } from "./feed_query.ts";

export interface FeedRow {
  id: string;
  severity: Severity;
  severityName: string;
  typeName: string;
  title: string;
  /** The language of the title, which may differ from that of the page. */
  titleLanguage: string;
  sourceName: string;
  /** The time of day in UTC; null if the source states only the date. */
  time: string | null;
  articles: string[];
  topicNames: string[];
  /** Greater than 1 for a revision. */
  version: number;
  isWithdrawn: boolean;
  /** Whether a later version of the publication is on the same page. */
  isSuperseded: boolean;
  isNew: boolean;
}

export interface FeedDay {
  /** `YYYY-MM-DD`. */
  day: string;
  rows: FeedRow[];
}

interface Reader {
  language: Language;
  vocabulary: Vocabulary;
  format: Format;
}

/** Returns the title and summary in the reader's language, or in English, or in the original language. */
export function textsFor(
  event: RegEvent,
  language: string,
): { title: string; summary: string; language: string } {
  const own = Object.hasOwn(event.translations, language) ? event.translations[language] : undefined;
  if (own !== undefined) return { ...own, language };
  const english = event.language_versions.includes("en") ? "en" : event.language;
  return { title: event.title_en, summary: event.summary_en, language: english };
}

/** Returns the date on which an event was published, as its source states it. */
export function dayOf(event: Pick<RegEvent, "published_at" | "published_on">): string {
  return event.published_on ?? utcDay(event.published_at);
}

/**
 * Groups a page of events by day: by publication, newest first, or by arrival, in the order given. Within a day, the
 * order is kept.
 */
export function feedDays(
  events: readonly RegEvent[],
  { newIds, by }: { newIds: ReadonlySet<string>; by: "publication" | "arrival" },
  reader: Reader,
): FeedDay[] {
  const groups = Map.groupBy(
    events,
    (event) => by === "arrival" ? utcDay(event.ingested_at) : dayOf(event),
  );
  const newest = new Map<string, number>();
  for (const event of events) {
    newest.set(publicationOf(event), Math.max(event.version, newest.get(publicationOf(event)) ?? 0));
  }
  const days = [...groups].map(([day, group]) => ({
    day,
    rows: group.map((event) => ({
      ...rowOf(event, reader),
      isNew: newIds.has(event.id),
      isSuperseded: event.version < (newest.get(publicationOf(event)) ?? 0),
    })),
  }));
  // A source in another time zone may state a date that is a day off, so the days may not be in order.
  return by === "arrival" ? days : days.sort((a, b) => (a.day < b.day ? 1 : -1));
}

function publicationOf({ source_id, external_id }: RegEvent): string {
  return JSON.stringify([source_id, external_id]);
}

function rowOf(
  event: RegEvent,
  { language, vocabulary, format }: Reader,
): Omit<FeedRow, "isNew" | "isSuperseded"> {
  const { title, language: titleLanguage } = textsFor(event, language);
  return {
    id: event.id,
    severity: event.severity,
    severityName: vocabulary.severityName(event.severity),
    typeName: vocabulary.eventTypeName(event.event_type),
    title,
    titleLanguage,
    sourceName: sourceNameOf(event, vocabulary),
    time: event.published_at_precision === "time" ? format.time(event.published_at) : null,
    articles: event.ai_act_articles,
    topicNames: event.topics.map(vocabulary.topicName),
    version: event.version,
    isWithdrawn: event.status === "withdrawn",
  };
}

/** Returns the configured name, or, for a source that is no longer configured, the name when the event was stored. */
export function sourceNameOf({ source }: RegEvent, { sourceName }: Vocabulary): string {
  const name = sourceName(source.id);
  return name === source.id ? source.name : name;
}

export interface FeedChip {
  label: string;
  /** The feed without this filter. */
  without: FeedQuery;
}

/** Returns a chip for each active filter, and for each value of a list. */
export function feedChips(query: FeedQuery, texts: Texts, { vocabulary, format }: Reader): FeedChip[] {
  const { chips } = texts.feed;
  const labels: Readonly<Record<FilterName, (value: string) => string>> = {
    q: chips.q,
    topics: (id) => chips.topic(vocabulary.topicName(id)),
    severity_min: (id) => {
      const name = vocabulary.severityName(id);
      return id === SEVERITIES.at(-1) ? chips.highestSeverity(name) : chips.severity(name);
    },
    event_type: (id) => chips.type(vocabulary.eventTypeName(id)),
    article: chips.article,
    source: (id) => chips.source(vocabulary.sourceName(id)),
    language: (code) => chips.language(vocabulary.languageName(code)),
    since: (value) => chips.since(timeText(value, format)),
    until: (value) => chips.until(timeText(value, format)),
    latest: (value) => value === "false" ? chips.allVersions : chips.latest,
    after: () => chips.after,
  };
  return [...query.filters].flatMap(([name, values]) =>
    values.map((value) => ({
      label: labels[name](value),
      without: withFilters(query, { [name]: values.filter((one) => one !== value) }),
    }))
  );
}

/** Returns a date or a time of the API in words, or the text itself if it is in another form. */
function timeText(value: string, format: Format): string {
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return Number.isNaN(Date.parse(value)) ? value : format.date(value);
  const ms = /^-?\d{11,15}$/.test(value) ? Number(value) : Date.parse(value);
  return Number.isNaN(ms) || !/\d{4}/.test(value) ? value : format.dateTime(ms);
}

interface Shortcut {
  label: string;
  href: string;
  isCurrent: boolean;
}

/** Filters that many readers want, each added to the current ones or removed from them. */
export function feedShortcuts(query: FeedQuery, texts: Texts, nowMs: number): Shortcut[] {
  const { shortcuts } = texts.feed;
  const daysAgo = (days: number) => utcDay(nowMs - days * 86_400_000);
  const rows: [label: string, name: FilterName, value: string][] = [
    [shortcuts.week, "since", daysAgo(7)],
    [shortcuts.month, "since", daysAgo(30)],
    [shortcuts.important, "severity_min", "high"],
    [shortcuts.latest, "latest", "true"],
  ];
  return rows.map(([label, name, value]) => {
    const isCurrent = query.filters.get(name)?.[0] === value;
    return { label, href: feedUrl(withFilters(query, { [name]: isCurrent ? [] : [value] })), isCurrent };
  });
}
