// The filters of events in the bodies of requests: their validation, and the filter that they stand for.
import type * as z from "zod";
import { canonicalArticle } from "../../domain/event/article.ts";
import type { EventType } from "../../domain/event/event.ts";
import { type EventFilter, toSearch } from "../../domain/event/event_filter.ts";
import type { Severity } from "../../domain/event/severity.ts";
import type { Topic } from "../../domain/event/topic.ts";
import type { sentExclusions } from "../../wire/event_filter.ts";
import {
  type KnownSources,
  searchProblems,
  unknownArticles,
  unknownLanguages,
  unknownSources,
  unknownTopics,
} from "./field_problems.ts";
import type { Finding } from "../../http/invalid_fields.ts";
import { definedFields } from "./without_undefined.ts";

interface SentFilter {
  topics?: string[] | undefined;
  source_filter?: string[] | undefined;
  severity_min?: Severity | undefined;
  event_type?: EventType[] | undefined;
  article?: string[] | undefined;
  event_language?: string[] | undefined;
  q?: string | null | undefined;
  exclude?: z.infer<typeof sentExclusions> | undefined;
}

/** What a filter can refer to. */
interface KnownValues extends KnownSources {
  topics: readonly Topic[];
}

/** Returns the values of a filter that refer to nothing known. */
export async function verifyFilter(
  { topics, source_filter, article, event_language, q, exclude }: SentFilter,
  known: KnownValues,
): Promise<Finding[]> {
  return [
    ...unknownTopics("topics", topics ?? [], known.topics),
    ...await unknownSources("source_filter", source_filter ?? [], known),
    ...unknownArticles("article", article ?? []),
    ...unknownLanguages("event_language", event_language ?? []),
    ...searchProblems("q", q),
    ...unknownTopics("exclude.topics", exclude?.topics ?? [], known.topics),
    ...await unknownSources("exclude.source", exclude?.source ?? [], known),
    ...unknownArticles("exclude.article", exclude?.article ?? []),
    ...searchProblems("exclude.q", exclude?.q),
  ];
}

/** Returns the parts of the filter that a verified request contains. */
export function toFilter(sent: SentFilter): Partial<EventFilter> {
  const { exclude } = sent;
  return definedFields({
    topics: sent.topics && unique(sent.topics),
    sources: sent.source_filter && unique(sent.source_filter),
    severityMin: sent.severity_min,
    eventTypes: sent.event_type && unique(sent.event_type),
    articles: sent.article && canonical(sent.article),
    eventLanguages: sent.event_language && unique(sent.event_language),
    search: sent.q === undefined ? undefined : toSearch(sent.q),
    exclude: exclude && {
      topics: unique(exclude.topics),
      sources: unique(exclude.source),
      eventTypes: unique(exclude.event_type),
      articles: canonical(exclude.article),
      search: toSearch(exclude.q),
    },
  });
}

function unique<T extends string>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

function canonical(references: readonly string[]): string[] {
  return unique(references.map((text) => canonicalArticle(text) ?? text));
}
