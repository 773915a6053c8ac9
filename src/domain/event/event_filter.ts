// The filter of events that subscriptions store, and which events pass it.
import { searchedText } from "../plans/search_text.ts";
import { wholesOf } from "./article.ts";
import type { EventType, RegEvent } from "./event.ts";
import { foldSearched, parseSearch, searchMatcher, type SearchTerm } from "./search.ts";
import { isAtLeast, SEVERITIES, type Severity } from "./severity.ts";
import type { Topic } from "./topic.ts";

/** A full-text search as its author wrote it, and the terms that it stands for. */
export interface Search {
  text: string;
  terms: SearchTerm[];
}

/** Which events are left out: those that match any of these values. */
export interface Exclusions {
  topics: string[];
  sources: string[];
  eventTypes: EventType[];
  articles: string[];
  search: Search | null;
}

/**
 * Filters, combined with AND, with the meanings that they have in event lists. A list matches any of its values. An empty
 * list, or a search that is null, matches everything.
 */
export interface EventFilter {
  /** A parent topic also matches its child topics. */
  topics: string[];
  sources: string[];
  severityMin: Severity;
  eventTypes: EventType[];
  /** Canonical references. A reference also matches the references within it. */
  articles: string[];
  /** The event is available in one of these languages. */
  eventLanguages: string[];
  search: Search | null;
  exclude: Exclusions;
}

export const NO_EXCLUSIONS: Exclusions = {
  topics: [],
  sources: [],
  eventTypes: [],
  articles: [],
  search: null,
};

/** The filter that every event passes. */
export const EVERY_EVENT: EventFilter = {
  topics: [],
  sources: [],
  severityMin: "info",
  eventTypes: [],
  articles: [],
  eventLanguages: [],
  search: null,
  exclude: NO_EXCLUSIONS,
};

/** Returns the search that a valid text stands for, or null for null. Throws if {@link parseSearch} finds a problem. */
export function toSearch(text: string | null): Search | null {
  if (text === null) return null;
  const parsed = parseSearch(text);
  if ("problem" in parsed) throw new Error(`not a valid search: it ${parsed.problem}`);
  return { text, terms: parsed.terms };
}

export type FilteredEvent = Pick<
  RegEvent,
  | "topics"
  | "source_id"
  | "severity"
  | "event_type"
  | "ai_act_articles"
  | "language_versions"
  | "title_en"
  | "summary_en"
  | "translations"
>;

/** Returns a test for the filters that the event passes. The texts are read only if a filter has a search. */
export function passesOf(
  event: FilteredEvent,
  taxonomy: readonly Topic[],
): (filter: EventFilter) => boolean {
  const topics = new Set<string>(event.topics);
  for (const { id, parent } of taxonomy) {
    if (parent !== null && event.topics.includes(id)) topics.add(parent);
  }
  const reached = new Set(SEVERITIES.filter((severity) => isAtLeast(event.severity, severity)));
  const articles = new Set(event.ai_act_articles.flatMap(wholesOf));
  let matcher: ReturnType<typeof searchMatcher> | null = null;
  const finds = ({ terms }: Search) => (matcher ??= searchMatcher(searchedText(event)))(terms);
  const anyIn = (wanted: readonly string[], own: ReadonlySet<string>) =>
    wanted.some((value) => own.has(value));
  const isExcluded = (exclude: Exclusions) =>
    exclude.sources.includes(event.source_id) ||
    exclude.eventTypes.includes(event.event_type) ||
    anyIn(exclude.topics, topics) ||
    anyIn(exclude.articles, articles) ||
    (exclude.search !== null && finds(exclude.search));
  return (filter) =>
    reached.has(filter.severityMin) &&
    (filter.sources.length === 0 || filter.sources.includes(event.source_id)) &&
    (filter.topics.length === 0 || anyIn(filter.topics, topics)) &&
    (filter.eventTypes.length === 0 || filter.eventTypes.includes(event.event_type)) &&
    (filter.articles.length === 0 || anyIn(filter.articles, articles)) &&
    (filter.eventLanguages.length === 0 ||
      filter.eventLanguages.some((code) => event.language_versions.includes(code))) &&
    (filter.search === null || finds(filter.search)) &&
    !isExcluded(filter.exclude);
}

/** Returns a value that is equal for filters that differ only in the order or the repetition of their values. */
export function canonicalFilter(filter: EventFilter): unknown {
  const { topics, sources, severityMin, eventTypes, articles, eventLanguages, search, exclude } = filter;
  const lists = [topics, sources, eventTypes, articles, eventLanguages].map(inOrder);
  const excluded = [exclude.topics, exclude.sources, exclude.eventTypes, exclude.articles].map(inOrder);
  return [...lists, severityMin, canonicalSearch(search), ...excluded, canonicalSearch(exclude.search)];
}

function inOrder(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}

function canonicalSearch(search: Search | null): string[] {
  return inOrder(
    (search?.terms ?? []).map(({ words, isPrefix }) =>
      `${words.map(foldSearched).join(" ")}${isPrefix ? "*" : ""}`
    ),
  );
}
