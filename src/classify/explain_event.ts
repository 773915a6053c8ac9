// Explains the classification of a stored event: the reasons by today's rules.
import type { RegEvent } from "../domain/event/event.ts";
import type { Explanation } from "../domain/event/explanation.ts";
import type { Provenance } from "../domain/event/provenance.ts";
import type { Classifier } from "./classify.ts";

/** Classifies the stored input with the current rules. `configuredLanguages` are those of the event's source. */
export function explainEvent(
  { event, provenance }: { event: RegEvent; provenance: Provenance },
  classifier: Classifier,
  configuredLanguages: readonly string[],
): Explanation {
  const words = event.translations[event.language] ?? { title: event.title_en, summary: event.summary_en };
  const today = classifier.classify({
    ...words,
    url: event.url_official,
    categories: provenance.categories,
    statedLanguages: provenance.stated_languages,
    configuredLanguages,
    sourceId: event.source_id,
  });
  return {
    stored_rules_version: provenance.rules_version,
    rules_version: classifier.rulesVersion,
    same_rules: provenance.rules_version === classifier.rulesVersion,
    today: {
      relevant: today.relevant,
      event_type: today.eventType,
      topics: today.topics,
      severity: today.severity,
      ai_act_articles: today.aiActArticles,
      language: today.language,
    },
    reasons: today.reasons,
  };
}
