// Explains a classification to people.
import type { Reason } from "../domain/event/explanation.ts";
import type { CitedArticle, OmittedReference } from "./articles/find_articles.ts";
import type { EventTypeResult } from "./event_type.ts";
import type { LanguageResult } from "./language.ts";
import type { RelevanceResult } from "./relevance.ts";
import type { SeverityResult } from "./severity.ts";
import type { TopicResult } from "./topics.ts";

export interface Decisions {
  relevance: RelevanceResult;
  language: LanguageResult;
  eventType: EventTypeResult;
  topics: TopicResult[];
  severity: SeverityResult;
  articles: CitedArticle[];
  omitted: OmittedReference[];
}

/**
 * Returns the reasons for every value: one per topic and article, and one per group of evidence for relevance. For an
 * article that is cited but omitted, the value is `not Art. 50`.
 */
export function explain(decisions: Decisions): Reason[] {
  const { relevance, language, eventType: { type, why, signal }, severity } = decisions;
  return [
    ...relevance.grounds.map((ground): Reason => ({
      field: "relevant",
      value: String(relevance.relevant),
      ...ground,
    })),
    { field: "language", value: language.language, why: language.why, words: language.words },
    signal === null
      ? { field: "event_type", value: type, why, words: [] }
      : { field: "event_type", value: type, why: `${why} (${signal.field})`, words: [signal.words] },
    ...decisions.topics.map(({ id, why, words }): Reason => ({ field: "topics", value: id, why, words })),
    { field: "severity", value: severity.severity, why: severity.why, words: severity.words },
    ...decisions.articles.map(({ canonical, words }): Reason => ({
      field: "ai_act_articles",
      value: canonical,
      why: "cited as an article of the AI Act",
      words: [words],
    })),
    ...decisions.omitted.map(({ canonical, why, words }): Reason => ({
      field: "ai_act_articles",
      value: `not ${canonical}`,
      why,
      words: [words],
    })),
  ];
}
