// The classification of one item: pure, deterministic, and explained by the words and rules behind each value.
import type { EventType } from "../domain/event.ts";
import type { Severity } from "../domain/severity.ts";
import { type CitedArticle, findArticles } from "./articles.ts";
import { type EventTypeResult, findEventType } from "./event_type.ts";
import { readItem, wholeText } from "./item.ts";
import type { LanguageResult } from "./language.ts";
import { explain, type Reason } from "./reasons.ts";
import { decideRelevance, findAiSubject, type RelevanceResult } from "./relevance.ts";
import { findSeverity, NOT_RELEVANT, type SeverityResult } from "./severity.ts";
import { findTopics, type TopicResult } from "./topics.ts";

export { TOPICS } from "./topics.ts";
export type { Reason } from "./reasons.ts";

/** The version of rules and words: it changes when the same item may be classified otherwise. */
export const RULES_VERSION = "1";

/** What an item says of itself. */
export interface ClassifyInput {
  /** Plain text; the first {@link TITLE_LIMIT} characters are read. */
  title: string;
  /** Plain text, may be empty; the first {@link SUMMARY_LIMIT} characters are read. */
  summary: string;
  url: string;
  categories: readonly string[];
  /**
   * What item, document or source state of the language, the most specific first (BCP 47 tags or codes); may be empty
   * or wrong (a German item in an "en" feed).
   */
  statedLanguages: readonly string[];
}

/** What an item is. */
export interface Classification {
  /** Whether it concerns AI regulation. */
  relevant: boolean;
  /** ISO 639-1. */
  language: string;
  eventType: EventType;
  /** Topic ids, at most five, the strongest first; none for what is not relevant, for every topic is one of AI. */
  topics: string[];
  severity: Severity;
  /** Canonical references to the AI Act, sorted, each once. */
  aiActArticles: string[];
  /** The words, rules and articles behind each value; made when they are read. */
  readonly reasons: Reason[];
}

/** Everything that was decided, with its evidence. */
export interface Findings {
  relevance: RelevanceResult;
  language: LanguageResult;
  eventType: EventTypeResult;
  topics: TopicResult[];
  severity: SeverityResult;
  articles: CitedArticle[];
}

/** Classifies an item. The same input always gives the same result; any text is taken. */
export function classifyItem(input: ClassifyInput): Classification {
  const findings = findAll(input);
  return {
    relevant: findings.relevance.relevant,
    language: findings.language.language,
    eventType: findings.eventType.type,
    topics: findings.topics.map((topic) => topic.id),
    severity: findings.severity.severity,
    aiActArticles: findings.articles.map((article) => article.canonical),
    get reasons() {
      return explain(findings);
    },
  };
}

function findAll(input: ClassifyInput): Findings {
  const item = readItem(input);
  const { language } = item;
  const eventType = findEventType(item);
  const subject = findAiSubject(item);
  const relevance = decideRelevance(item, subject, eventType);
  const articles = subject.namesTheAct === null ? [] : findArticles(wholeText(item));
  if (!relevance.relevant) {
    return { relevance, language, eventType, articles, topics: [], severity: NOT_RELEVANT };
  }
  const topics = findTopics(item, subject, eventType.type, articles);
  const severity = findSeverity(item, subject, eventType.type);
  return { relevance, language, eventType, articles, topics, severity };
}
