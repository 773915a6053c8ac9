// The explanation of a classification, for people.
import type { Findings } from "./classify.ts";

/** Why one value of a classification is what it is. */
export interface Reason {
  /** The value's name in the event record, or `relevant`. */
  field: "relevant" | "language" | "event_type" | "topics" | "severity" | "ai_act_articles";
  /** The value, or one of the list's values. */
  value: string;
  /** The rule, in words. */
  why: string;
  /** The words, articles or parts of the address that it rests on, as the rules have them. */
  words: string[];
}

/** The reasons of each value: one for each topic and article, for relevance one for each thing that was weighed. */
export function explain(findings: Findings): Reason[] {
  const { relevance, language, eventType, severity } = findings;
  return [
    ...relevance.grounds.map((ground): Reason => ({
      field: "relevant",
      value: String(relevance.relevant),
      ...ground,
    })),
    { field: "language", value: language.language, why: language.why, words: language.words },
    {
      field: "event_type",
      value: eventType.type,
      why: eventType.signal === null ? eventType.why : `${eventType.why} (${eventType.signal.field})`,
      words: eventType.signal === null ? [] : [eventType.signal.words],
    },
    ...findings.topics.map((topic): Reason => ({
      field: "topics",
      value: topic.id,
      why: topic.why,
      words: topic.words,
    })),
    { field: "severity", value: severity.severity, why: severity.why, words: severity.words },
    ...findings.articles.map((article): Reason => ({
      field: "ai_act_articles",
      value: article.canonical,
      why: "cited as an article of the AI Act",
      words: [article.words],
    })),
  ];
}
