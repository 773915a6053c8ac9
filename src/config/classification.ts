// Builds the classification's additions from [[topics]], [[topic_keywords]], [[severity_rules]] and [[sources]].
import { canonicalArticle } from "../domain/event/article.ts";
import type { Additions, KeywordList, Keywords } from "../domain/event/classification.ts";
import type { CheckedFile } from "./schema.ts";

/** Does not validate the additions: the classification does. */
export function buildAdditions(file: CheckedFile): Additions {
  return {
    topics: file.topics.map((topic) => ({
      id: topic.id,
      name_en: topic.name_en,
      name_de: topic.name_de ?? topic.name_en,
      name_fr: topic.name_fr ?? topic.name_en,
      parent: topic.parent ?? null,
      // Topics name articles by their bare numbers.
      articles: topic.articles.map((text) => canonical(text).replace(/^Art\. /, "")),
      keywords: keywordsOf(topic),
    })),
    keywords: file.topic_keywords.map((added) => ({ topic: added.topic, keywords: keywordsOf(added) })),
    severityRules: file.severity_rules.map((rule) => ({
      severity: rule.severity,
      why: rule.why,
      sources: rule.sources,
      eventTypes: rule.event_types,
      topics: rule.topics,
      articles: rule.articles.map(canonical),
      words: rule.words,
      without: rule.without,
    })),
    sources: file.sources
      .filter((source) => source.event_type !== undefined || source.topics.length > 0)
      .map((source) => ({
        sourceId: source.id,
        eventType: source.event_type ?? null,
        topics: source.topics,
      })),
  };
}

/** Returns the canonical form of a valid reference, or any other text unchanged. */
function canonical(text: string): string {
  return canonicalArticle(text) ?? text;
}

function keywordsOf(lists: Record<`keywords_${KeywordList}`, string[]>): Keywords {
  return {
    any: lists.keywords_any,
    en: lists.keywords_en,
    de: lists.keywords_de,
    fr: lists.keywords_fr,
    other: lists.keywords_other,
  };
}
