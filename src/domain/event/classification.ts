// The operator's additions to the classification: topics, keywords, severity rules, and defaults per source.
import type { EventType } from "./event.ts";
import type { Severity } from "./severity.ts";
import type { Topic } from "./topic.ts";

/** Lists of keywords. `any` applies to every language, `other` to languages without a list of their own. */
export const KEYWORD_LISTS = ["any", "en", "de", "fr", "other"] as const;

export type KeywordList = typeof KEYWORD_LISTS[number];

/** Keywords by list. `*` matches any ending; capitals match only capitals; hyphens and apostrophes count as spaces. */
export type Keywords = Readonly<Record<KeywordList, readonly string[]>>;

/** A topic that the operator adds. Citations of its articles also assign the topic. */
export interface AddedTopic extends Topic {
  keywords: Keywords;
}

interface AddedKeywords {
  topic: string;
  keywords: Keywords;
}

/**
 * A rule for the severity of relevant items. For each non-empty condition, one of its values must match, and no word of
 * `without` may match. The first matching rule decides; Regfeed's own rules come after all added ones.
 */
export interface AddedSeverityRule {
  severity: Severity;
  /** The reason, which explanations show. */
  why: string;
  sources: string[];
  eventTypes: EventType[];
  /** Topic ids. A parent includes its children. */
  topics: string[];
  /** Canonical references. A reference includes its parts. */
  articles: string[];
  /** Keywords in the title or at the beginning of the summary. */
  words: string[];
  without: string[];
}

interface SourceDefaults {
  sourceId: string;
  /** The event type of items that no rule matches, or null if there is none. */
  eventType: EventType | null;
  /** Topics that every relevant item gets. */
  topics: string[];
}

export interface Additions {
  topics: AddedTopic[];
  keywords: AddedKeywords[];
  severityRules: AddedSeverityRule[];
  sources: SourceDefaults[];
}
