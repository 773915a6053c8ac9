// Describes what a fetch of a source would store.
import type { Classifier } from "../classify/classify.ts";
import type { Reason } from "../domain/event/explanation.ts";
import type { PreviewedItem, SourcePreview } from "../domain/source/source_preview.ts";
import type { IngestPreview } from "../ingest/ingest.ts";

type Decided = IngestPreview["decided"][number];

type Values = Omit<PreviewedItem, "outcome" | "title" | "url" | "notes" | "event" | "reasons">;

interface PreviewOptions {
  classifier: Classifier;
  /** The languages that the config sets for the source. */
  configuredLanguages: readonly string[];
  withReasons: boolean;
}

/** Returns the reasons for an item's values; for a skipped item, only those for skipping it. */
function reasonsOf(
  { request, decision }: Decided,
  { classifier, configuredLanguages }: PreviewOptions,
): Reason[] {
  const { reasons } = classifier.classify({ ...request(), configuredLanguages });
  return decision.kind === "irrelevant" ? reasons.filter(({ field }) => field === "relevant") : reasons;
}

/** Returns the values that would be stored; for an item that would not be stored, the values by the current rules. */
function valuesOf({ item, decision, request }: Decided, { classifier }: PreviewOptions): Values {
  if (decision.kind === "record") {
    const { published_at, published_at_precision, published_on, ...event } = decision.event;
    const { language, event_type, severity, topics, ai_act_articles } = event;
    const dates = { published_at, published_at_precision, published_on };
    return { ...dates, language, event_type, severity, topics, ai_act_articles };
  }
  const { language, eventType, severity, topics, aiActArticles } = classifier.classify(request());
  return {
    published_at: item.publishedAtMs ?? item.updatedAtMs,
    published_at_precision: item.publishedPrecision,
    published_on: item.publishedOn,
    language,
    event_type: eventType,
    severity,
    topics,
    ai_act_articles: aiActArticles,
  };
}

export function describePreview({ report, decided }: IngestPreview, options: PreviewOptions): SourcePreview {
  const items = decided.map((one): PreviewedItem => ({
    outcome: outcomeOf(one.decision),
    title: one.item.title,
    url: one.item.link,
    notes: one.notes,
    ...valuesOf(one, options),
    ...(one.decision.kind === "record" ? { event: one.decision.event } : {}),
    ...(options.withReasons ? { reasons: reasonsOf(one, options) } : {}),
  }));
  return { ...report, items };
}

function outcomeOf(decision: Decided["decision"]): PreviewedItem["outcome"] {
  if (decision.kind === "irrelevant") return "passed over";
  if (decision.kind === "translated" || decision.kind === "joined") return "translated";
  if (decision.kind !== "record") return "unchanged";
  return decision.event.version === 1 ? "new" : "revised";
}
