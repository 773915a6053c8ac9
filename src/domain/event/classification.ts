// The operator's additions to the classification: topics, keywords, severity rules, and defaults per source.
import type { EventType } from "./event.ts";
import type { Severity } from "./severity.ts";
import type { Topic } from "./topic.ts";

/** The lists of keywords: `any` holds in every language, `other` in every one without a list of its own. */
export const KEYWORD_LISTS = ["any", "en", "de", "fr", "other"] as const;

/** See {@link KEYWORD_LISTS}. */
export type KeywordList = typeof KEYWORD_LISTS[number];

/**
 * Keywords by list, as a reader would write them: `*` at the end of a word stands for any ending, a word in capitals
 * matches only in capitals, hyphens and apostrophes count as spaces.
 */
export type Keywords = Readonly<Record<KeywordList, readonly string[]>>;

/** A topic of the operator's own. Its articles are led to by their citation. */
export interface AddedTopic extends Topic {
  keywords: Keywords;
}

/** Further keywords of a topic. */
export interface AddedKeywords {
  topic: string;
  keywords: Keywords;
}

/**
 * A rule for the severity of relevant items. Every condition that is not empty must hold, by any of its values; of
 * `without` none may. The first rule that fits decides, before the rules that Regfeed brings.
 */
export interface AddedSeverityRule {
  severity: Severity;
  /** The reason, in words, as explanations show it. */
  why: string;
  /** Source ids. */
  sources: string[];
  eventTypes: EventType[];
  /** Topic ids; a parent stands for its children. */
  topics: string[];
  /** Canonical references; one stands for its parts. */
  articles: string[];
  /** Keywords in the title or at the beginning of the summary. */
  words: string[];
  without: string[];
}

/** What is true of every item of a source. */
export interface SourceDefaults {
  sourceId: string;
  /** The kind of the items that no rule knows; null without one. */
  eventType: EventType | null;
  /** Topics of every relevant item. */
  topics: string[];
}

/** Everything that is added. */
export interface Additions {
  topics: AddedTopic[];
  keywords: AddedKeywords[];
  severityRules: AddedSeverityRule[];
  /** Only sources that have defaults. */
  sources: SourceDefaults[];
}
