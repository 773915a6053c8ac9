// Classifies one item and gives the reasons for each value. Pure and deterministic.
import type { Additions } from "../domain/event/classification.ts";
import type { EventType } from "../domain/event/event.ts";
import type { Reason } from "../domain/event/explanation.ts";
import type { Severity } from "../domain/event/severity.ts";
import type { Topic } from "../domain/event/topic.ts";
import { NO_ADDITIONS, topicRules, versionWith } from "./configured_rules.ts";
import { findArticles, findOmitted } from "./articles/find_articles.ts";
import { type EventTypeResult, findEventType } from "./event_type.ts";
import { type ClassifyInput, Item, wholeText } from "./item.ts";
import { lazy } from "./memoize.ts";
import { createConfiguredSeverity } from "./configured_severity.ts";
import { explain } from "./reasons.ts";
import { decideRelevance, findAiSubject } from "./relevance.ts";
import { findSeverity, NOT_RELEVANT, type SeverityResult } from "./severity.ts";
import { createTopicFinder, type TopicResult, topicsOf } from "./topics.ts";

export type { ClassifyInput } from "./item.ts";

/** The version of the rules. Increased with every change that may cause an item to be classified differently. */
export const RULES_VERSION = "3";

/** All values except `relevant` and `language` are computed on first use, because most items are not relevant. */
export interface Classification {
  readonly relevant: boolean;
  /** ISO 639-1 code. */
  readonly language: string;
  readonly eventType: EventType;
  /** Topic ids, at most five, strongest first; empty if the item is not relevant. */
  readonly topics: string[];
  readonly severity: Severity;
  /** Canonical references to the AI Act, sorted, without duplicates. */
  readonly aiActArticles: string[];
  readonly reasons: Reason[];
}

export interface Classifier {
  classify(input: ClassifyInput): Classification;
  /** Every topic, including parents, in the order of the taxonomy, followed by the operator's topics. */
  topics: readonly Topic[];
  /** {@link RULES_VERSION}. If there are additions, `+` and a short hash of them follow. */
  rulesVersion: string;
}

/** Creates a classifier. The additions must be valid (see `findAdditionProblems`). Takes a few milliseconds. */
export function createClassifier(additions: Additions): Classifier {
  const rules = topicRules(additions);
  const topics = topicsOf(rules);
  const defaults = new Map(additions.sources.map((source) => [source.sourceId, source]));
  const findTopics = createTopicFinder(rules);
  const findConfiguredSeverity = createConfiguredSeverity(additions.severityRules, topics);
  const prepared: Rules = { defaults, findTopics, findConfiguredSeverity };
  return {
    topics,
    rulesVersion: versionWith(RULES_VERSION, additions),
    classify: (input) => classify(input, prepared),
  };
}

interface Rules {
  defaults: ReadonlyMap<string, Additions["sources"][number]>;
  findTopics: ReturnType<typeof createTopicFinder>;
  findConfiguredSeverity: ReturnType<typeof createConfiguredSeverity>;
}

/** Decides relevance and language at once and everything else on first use. */
function classify(input: ClassifyInput, rules: Rules): Classification {
  const item = new Item(input);
  const subject = findAiSubject(item);
  const ownType = lazy(() => findEventType(item));
  // The source's default type says nothing about the relevance of this item.
  const relevance = decideRelevance(item, subject, ownType);
  const { relevant } = relevance;
  const source = rules.defaults.get(input.sourceId ?? "");
  const eventType = lazy(() => withDefault(ownType(), source?.eventType ?? null));
  const articles = lazy(() => subject.namesTheAct === null ? [] : findArticles(wholeText(item)));
  const topics = lazy((): TopicResult[] => {
    if (!relevant) return [];
    const evidence = { item, subject, eventType: eventType().type, cited: articles() };
    return rules.findTopics({ ...evidence, sourceTopics: source?.topics ?? [] });
  });
  const severity = lazy((): SeverityResult => {
    if (!relevant) return NOT_RELEVANT;
    const { type } = eventType();
    const evidence = { item, eventType: type, topics: topics(), cited: articles() };
    return rules.findConfiguredSeverity({ ...evidence, sourceId: input.sourceId ?? null }) ??
      findSeverity(item, subject, type);
  });
  return {
    relevant,
    get language() {
      return item.language.language;
    },
    get eventType() {
      return eventType().type;
    },
    get topics() {
      return topics().map((topic) => topic.id);
    },
    get severity() {
      return severity().severity;
    },
    get aiActArticles() {
      return articles().map((article) => article.canonical);
    },
    get reasons() {
      return explain({
        relevance,
        language: item.language,
        eventType: eventType(),
        topics: topics(),
        severity: severity(),
        articles: articles(),
        omitted: findOmitted(wholeText(item), subject.namesTheAct !== null),
      });
    },
  };
}

/** Returns the event type that a rule found, or otherwise the source's default type if there is one. */
function withDefault(found: EventTypeResult, type: EventType | null): EventTypeResult {
  if (found.signal !== null || type === null) return found;
  return { type, why: "the event type that the config sets for its source", signal: null };
}

const WITHOUT_ADDITIONS = createClassifier(NO_ADDITIONS);

export const TOPICS: readonly Topic[] = WITHOUT_ADDITIONS.topics;

export const classifyItem: Classifier["classify"] = WITHOUT_ADDITIONS.classify;
