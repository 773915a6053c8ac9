// The classification of one item: pure, deterministic, and explained by the words and rules behind each value.
import type { Additions } from "../domain/classification.ts";
import type { EventType } from "../domain/event.ts";
import type { Severity } from "../domain/severity.ts";
import type { Topic } from "../domain/topic.ts";
import { NO_ADDITIONS, topicRules, versionWith } from "./additions.ts";
import { type CitedArticle, findArticles } from "./articles.ts";
import { type EventTypeResult, findEventType } from "./event_type.ts";
import { type Item, readItem, wholeText } from "./item.ts";
import type { LanguageResult } from "./language.ts";
import { once } from "./once.ts";
import { createOwnSeverity } from "./own_severity.ts";
import { explain, type Reason } from "./reasons.ts";
import { decideRelevance, findAiSubject, type RelevanceResult } from "./relevance.ts";
import { findSeverity, NOT_RELEVANT, type SeverityResult } from "./severity.ts";
import { createTopicFinder, type TopicResult, topicsOf } from "./topics.ts";

export type { Reason } from "./reasons.ts";

/** The version of the rules and words of ./data: it changes when the same item may be classified otherwise. */
export const RULES_VERSION = "2";

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
  /** The source that it comes from, for what is said of whole sources. */
  sourceId?: string;
}

/** What an item is. All but `relevant` is decided when it is first read: most items are passed over. */
export interface Classification {
  /** Whether it concerns AI regulation. */
  readonly relevant: boolean;
  /** ISO 639-1. */
  readonly language: string;
  readonly eventType: EventType;
  /** Topic ids, at most five, the strongest first; none for what is not relevant, for every topic is one of AI. */
  readonly topics: string[];
  readonly severity: Severity;
  /** Canonical references to the AI Act, sorted, each once. */
  readonly aiActArticles: string[];
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

/** The classification by one set of rules. */
export interface Classifier {
  /** Classifies an item. The same input always gives the same result; any text is taken. */
  classify(input: ClassifyInput): Classification;
  /** Every topic that an item can have, parents too, in the order of the taxonomy; added ones at its end. */
  topics: readonly Topic[];
  /** {@link RULES_VERSION}, with `+` and a short hash where something is added to the rules. */
  rulesVersion: string;
}

/** Makes a classifier with additions that hold together (see `findAdditionProblems`). Costs some milliseconds. */
export function createClassifier(additions: Additions): Classifier {
  const rules = topicRules(additions);
  const topics = topicsOf(rules);
  const defaults = new Map(additions.sources.map((source) => [source.sourceId, source]));
  const findTopics = createTopicFinder(rules);
  const findOwnSeverity = createOwnSeverity(additions.severityRules, topics);

  const decide = (input: ClassifyInput): Decided => {
    const item = readItem(input);
    const source = defaults.get(input.sourceId ?? "");
    const subject = findAiSubject(item);
    const found = once(() => findEventType(item));
    // What is said of a whole source says nothing of whether this item speaks of rules.
    const relevance = decideRelevance(item, subject, found);
    const eventType = once(() => withDefault(found(), source?.eventType ?? null));
    const cited = once(() => subject.namesTheAct === null ? [] : findArticles(wholeText(item)));
    const itsTopics = once(() =>
      !relevance.relevant ? [] : findTopics({
        item,
        subject,
        eventType: eventType().type,
        cited: cited(),
        sourceTopics: source?.topics ?? [],
      })
    );
    const severity = once(() =>
      !relevance.relevant ? NOT_RELEVANT : findOwnSeverity({
        item,
        sourceId: input.sourceId ?? null,
        eventType: eventType().type,
        topics: itsTopics(),
        cited: cited(),
      }) ?? findSeverity(item, subject, eventType().type)
    );
    return { item, relevance, eventType, cited, topics: itsTopics, severity };
  };

  return {
    topics,
    rulesVersion: versionWith(RULES_VERSION, additions),
    classify: (input) => classification(decide(input)),
  };
}

/** What is decided of an item, each part when it is first asked for. */
interface Decided {
  item: Item;
  relevance: RelevanceResult;
  eventType(): EventTypeResult;
  cited(): CitedArticle[];
  topics(): TopicResult[];
  severity(): SeverityResult;
}

function classification({ item, relevance, eventType, cited, topics, severity }: Decided): Classification {
  return {
    relevant: relevance.relevant,
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
      return cited().map((article) => article.canonical);
    },
    get reasons() {
      return explain({
        relevance,
        language: item.language,
        eventType: eventType(),
        topics: topics(),
        severity: severity(),
        articles: cited(),
      });
    },
  };
}

/** The source's kind where no rule knows a better one. */
function withDefault(found: EventTypeResult, type: EventType | null): EventTypeResult {
  if (found.clue !== null || type === null) return found;
  return { type, why: "its source's kind of publication, as the config says", clue: null };
}

const WITHOUT_ADDITIONS = createClassifier(NO_ADDITIONS);

/** The topics of the taxonomy. */
export const TOPICS: readonly Topic[] = WITHOUT_ADDITIONS.topics;

/** Classifies an item by the rules of ./data alone; see {@link Classifier.classify}. */
export const classifyItem: Classifier["classify"] = WITHOUT_ADDITIONS.classify;
