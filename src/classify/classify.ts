// The classification of one item: pure, deterministic, and explained by the words and rules behind each value.
import type { Additions } from "../domain/classification.ts";
import type { EventType } from "../domain/event.ts";
import type { Severity } from "../domain/severity.ts";
import type { Topic } from "../domain/topic.ts";
import { NO_ADDITIONS, topicRules, versionWith } from "./additions.ts";
import { type CitedArticle, findArticles } from "./articles/find_articles.ts";
import { type EventTypeResult, findEventType } from "./event_type.ts";
import { Item, wholeText } from "./item.ts";
import type { LanguageResult } from "./language.ts";
import { createOwnSeverity } from "./configured_severity.ts";
import { explain, type Reason } from "./reasons.ts";
import { type AiSubject, decideRelevance, findAiSubject, type RelevanceResult } from "./relevance.ts";
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

  const prepared: Rules = { defaults, findTopics, findOwnSeverity };
  return {
    topics,
    rulesVersion: versionWith(RULES_VERSION, additions),
    classify: (input) => new ItemClassification(input, prepared),
  };
}

/** What the parts of a classification are decided by. */
interface Rules {
  /** What is said of whole sources. */
  defaults: ReadonlyMap<string, Additions["sources"][number]>;
  findTopics: ReturnType<typeof createTopicFinder>;
  findOwnSeverity: ReturnType<typeof createOwnSeverity>;
}

/** What is decided of an item: whether it is relevant at once, everything else when it is first asked for. */
class ItemClassification implements Classification {
  readonly #input: ClassifyInput;
  readonly #rules: Rules;
  readonly #item: Item;
  readonly #subject: AiSubject;
  readonly #relevance: RelevanceResult;
  #found: EventTypeResult | null = null;
  #cited: CitedArticle[] | null = null;
  #topics: TopicResult[] | null = null;
  #severity: SeverityResult | null = null;

  constructor(input: ClassifyInput, rules: Rules) {
    this.#input = input;
    this.#rules = rules;
    this.#item = new Item(input);
    this.#subject = findAiSubject(this.#item);
    // What is said of a whole source says nothing of whether this item speaks of rules.
    this.#relevance = decideRelevance(this.#item, this.#subject, () => this.#foundType);
  }

  get relevant(): boolean {
    return this.#relevance.relevant;
  }

  get language(): string {
    return this.#item.language.language;
  }

  get eventType(): EventType {
    return this.#eventType.type;
  }

  get topics(): string[] {
    return this.#ownTopics.map((topic) => topic.id);
  }

  get severity(): Severity {
    return this.#ownSeverity.severity;
  }

  get aiActArticles(): string[] {
    return this.#articles.map((article) => article.canonical);
  }

  get reasons(): Reason[] {
    return explain({
      relevance: this.#relevance,
      language: this.#item.language,
      eventType: this.#eventType,
      topics: this.#ownTopics,
      severity: this.#ownSeverity,
      articles: this.#articles,
    });
  }

  get #source(): Additions["sources"][number] | undefined {
    return this.#rules.defaults.get(this.#input.sourceId ?? "");
  }

  get #foundType(): EventTypeResult {
    return this.#found ??= findEventType(this.#item);
  }

  get #eventType(): EventTypeResult {
    return withDefault(this.#foundType, this.#source?.eventType ?? null);
  }

  get #articles(): CitedArticle[] {
    return this.#cited ??= this.#subject.namesTheAct === null ? [] : findArticles(wholeText(this.#item));
  }

  get #ownTopics(): TopicResult[] {
    return this.#topics ??= !this.relevant ? [] : this.#rules.findTopics({
      item: this.#item,
      subject: this.#subject,
      eventType: this.eventType,
      cited: this.#articles,
      sourceTopics: this.#source?.topics ?? [],
    });
  }

  get #ownSeverity(): SeverityResult {
    return this.#severity ??= !this.relevant ? NOT_RELEVANT : this.#rules.findOwnSeverity({
      item: this.#item,
      sourceId: this.#input.sourceId ?? null,
      eventType: this.eventType,
      topics: this.#ownTopics,
      cited: this.#articles,
    }) ?? findSeverity(this.#item, this.#subject, this.eventType);
  }
}

/** The source's kind where no rule knows a better one. */
function withDefault(found: EventTypeResult, type: EventType | null): EventTypeResult {
  if (found.signal !== null || type === null) return found;
  return { type, why: "its source's kind of publication, as the config says", signal: null };
}

const WITHOUT_ADDITIONS = createClassifier(NO_ADDITIONS);

/** The topics of the taxonomy. */
export const TOPICS: readonly Topic[] = WITHOUT_ADDITIONS.topics;

/** Classifies an item by the rules of ./data alone; see {@link Classifier.classify}. */
export const classifyItem: Classifier["classify"] = WITHOUT_ADDITIONS.classify;
