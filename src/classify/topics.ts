// The topics of a relevant item: by its words, the articles it cites, its kind and its publisher.
import type { Topic } from "../domain/topic.ts";
import type { EventType } from "../domain/event.ts";
import type { CitedArticle } from "./articles/find_articles.ts";
import type { TopicRule } from "./data.ts";
import type { Item } from "./item.ts";
import { findPhrases, type PhraseHit } from "./phrases/find_phrases.ts";
import type { AiSubject } from "./relevance.ts";
import { indexByLanguage, type PhrasesByLanguage } from "./phrases/phrases_by_language.ts";

/** How many topics an item has at most; more would say nothing. */
export const MOST_TOPICS = 5;

/** A topic of an item with its weight and what led to it. */
export interface TopicResult {
  id: string;
  score: number;
  /** The kinds of evidence, and the points that they make. */
  why: string;
  words: string[];
}

/** The topics that rules are about, in their order. */
export function topicsOf(rules: readonly TopicRule[]): Topic[] {
  return rules.map(({ id, name_en, name_de, name_fr, parent, articles }) => ({
    id,
    name_en,
    name_de,
    name_fr,
    parent,
    articles,
  }));
}

/** Points of a word by its place: the first one of a topic there, and each further one. */
const PLACES = {
  title: { first: 3, further: 1, most: 5 },
  opening: { first: 2, further: 0.5, most: 3 },
  rest: { first: 0.5, further: 0.25, most: 1 },
} as const;
const CITED = 3;
const EVENT_TYPE = 3;
const PUBLISHER = 2;
const SOURCE = 2;

/** What leads to topics, in words. */
type Ground = "words" | "cited articles" | "the kind" | "the publisher" | "its source";

/** The points of a topic while they are added up. */
interface Weight {
  score: number;
  grounds: Set<Ground>;
  words: Set<string>;
}

/** Points that a topic needs: a word of the title, or one at the beginning of the summary. */
const ENOUGH = 2;

/** A topic with less than this share of the strongest one's points is a side remark. */
const SHARE = 0.3;

/** What of an item leads to topics. */
export interface TopicEvidence {
  item: Item;
  subject: AiSubject;
  eventType: EventType;
  cited: readonly CitedArticle[];
  /** Topics that every item of its source has. */
  sourceTopics: readonly string[];
}

/** Makes the search for the topics of a relevant item, the strongest first; parents only when no child fits. */
export function createTopicFinder(rules: readonly TopicRule[]): (evidence: TopicEvidence) => TopicResult[] {
  const prepared: PreparedRules = {
    rules,
    words: indexByLanguage(rules.map((rule) => ({ words: rule.words, value: rule }))),
    order: new Map(rules.map((rule, place) => [rule.id, place])),
    leading: new Map(rules.map((rule) => [rule, rule.ledBy.map(canonicalOf)])),
  };
  return (evidence) => findTopics(evidence, prepared);
}

/** The rules with what is made of them once. */
interface PreparedRules {
  rules: readonly TopicRule[];
  words: PhrasesByLanguage<TopicRule>;
  /** The topics' places. */
  order: ReadonlyMap<string, number>;
  /** The references that lead to each topic, in canonical form. */
  leading: ReadonlyMap<TopicRule, readonly string[]>;
}

function findTopics(
  { item, subject, eventType, cited, sourceTopics }: TopicEvidence,
  prepared: PreparedRules,
): TopicResult[] {
  const { rules, words, leading } = prepared;
  const weights = new Map<TopicRule, Weight>();
  const add = (rule: TopicRule, score: number, ground: Ground, words: string) => {
    const weight = weights.get(rule) ?? { score: 0, grounds: new Set(), words: new Set() };
    weight.score += score;
    weight.grounds.add(ground);
    weight.words.add(words);
    weights.set(rule, weight);
  };
  addWords(item, words, (rule, score, words) => add(rule, score, "words", words));
  for (const rule of rules) {
    const references = leading.get(rule) ?? [];
    const lead = cited.find((article) => references.some((reference) => covers(reference, article)));
    if (lead !== undefined) add(rule, CITED, "cited articles", lead.canonical);
    if (rule.eventTypes.includes(eventType) && publishes(rule, item, subject)) {
      add(rule, EVENT_TYPE, "the kind", eventType);
    }
    if (isSubjectOf(rule, item, subject)) add(rule, PUBLISHER, "the publisher", item.publisher.words);
    if (sourceTopics.includes(rule.id)) add(rule, SOURCE, "its source", "every item of its source");
  }
  const results = new Map([...weights].map(([rule, weight]) => [rule, resultOf(rule, weight)]));
  return choose(results, prepared, { item, eventType, sourceTopics });
}

function resultOf({ id }: TopicRule, { score, grounds, words }: Weight): TopicResult {
  return { id, score, why: `${score} points by ${[...grounds].join(", ")}`, words: [...words] };
}

/** Whether the kind of event leads to the topic: any publisher's, or one of some kinds that speaks of the AI Act. */
function publishes(rule: TopicRule, item: Item, subject: AiSubject): boolean {
  if (rule.publishers.length === 0) return true;
  return rule.publishers.includes(item.publisher.kind) && subject.namesTheAct !== null;
}

/** What a data protection authority says of AI is about data protection, unless its title is about the AI Act. */
function isSubjectOf(rule: TopicRule, item: Item, subject: AiSubject): boolean {
  const { kind, dataProtection } = item.publisher;
  return rule.fromPublishers.includes(kind) ||
    (rule.fromPublishers.includes("data-protection") && dataProtection && subject.namesTheAct !== "title");
}

function choose(
  weights: ReadonlyMap<TopicRule, TopicResult>,
  { rules, order }: PreparedRules,
  { item, eventType, sourceTopics }: Pick<TopicEvidence, "item" | "eventType" | "sourceTopics">,
): TopicResult[] {
  const isOfSource = ({ id }: { id: string }) => sourceTopics.includes(id);
  const strong = [...weights].filter(([, result]) => result.score >= ENOUGH);
  const children = strong.filter(([rule]) => rule.parent !== null || isOfSource(rule))
    .map(([, result]) => result);
  const fallback = rules.find((rule) =>
    rule.fallbackFor.includes(item.publisher.kind) &&
    (rule.eventTypes.length === 0 || rule.eventTypes.includes(eventType))
  );
  if (children.length === 0 && fallback !== undefined) {
    const { kind, words } = item.publisher;
    const why = "no other topic fits, and its publisher leads to this one";
    return [{ id: fallback.id, score: ENOUGH, why, words: [words === "" ? kind : `${kind}: ${words}`] }];
  }
  const chosen = children.length > 0 ? children : strong.map(([, result]) => result).slice(0, 1);
  const best = Math.max(...chosen.map((result) => result.score));
  const ranked = chosen.filter((result) => result.score >= SHARE * best || isOfSource(result))
    .sort((a, b) => b.score - a.score || (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0));
  // Those of the source stay, however many others are stronger.
  const room = MOST_TOPICS - ranked.filter(isOfSource).length;
  const others = new Set(ranked.filter((result) => !isOfSource(result)).slice(0, Math.max(0, room)));
  return ranked.filter((result) => isOfSource(result) || others.has(result)).slice(0, MOST_TOPICS);
}

function addWords(
  item: Item,
  words: PhrasesByLanguage<TopicRule>,
  add: (rule: TopicRule, score: number, words: string) => void,
): void {
  const index = words.of(item.language.language);
  const counts = new Map<TopicRule, Record<keyof typeof PLACES, Set<number>>>();
  const openingEnd = item.opening.words.length;
  for (const [part, text] of [["title", item.title], ["summary", item.summary]] as const) {
    for (const hit of withoutInner(findPhrases(index, text))) {
      const place = part === "title" ? "title" : hit.start < openingEnd ? "opening" : "rest";
      if (hit.value.titleOnly && place !== "title") continue;
      const count = counts.get(hit.value) ?? { title: new Set(), opening: new Set(), rest: new Set() };
      counts.set(hit.value, count);
      // Overlapping words ("AI model", "AI models") are one.
      if (count[place].has(hit.start)) continue;
      count[place].add(hit.start);
      const points = PLACES[place];
      const before = count[place].size - 1;
      const total = points.first + points.further * before;
      if (total <= points.most) add(hit.value, before === 0 ? points.first : points.further, hit.phrase);
    }
  }
}

/**
 * Drops words that begin a longer one of another topic: "AI Security" in "AI Security Institute" is part of a name.
 * The hits are in the order of the text, so those that begin together are neighbours.
 */
function withoutInner(hits: readonly PhraseHit<TopicRule>[]): PhraseHit<TopicRule>[] {
  const longest = new Map<number, PhraseHit<TopicRule>>();
  for (const hit of hits) {
    const other = longest.get(hit.start);
    if (other === undefined || hit.end > other.end) longest.set(hit.start, hit);
  }
  return hits.filter((hit) => {
    const outer = longest.get(hit.start);
    return outer === undefined || outer.value === hit.value || outer.end === hit.end;
  });
}

/** A reference of the data ("50", "53(1)(c)", "Annex III") in canonical form. */
function canonicalOf(reference: string): string {
  return reference.startsWith("Annex") ? reference : `Art. ${reference}`;
}

/** Whether a reference is the cited one or contains it. */
function covers(whole: string, { canonical }: CitedArticle): boolean {
  return canonical.startsWith(whole) &&
    (canonical.length === whole.length || canonical[whole.length] === "(");
}
