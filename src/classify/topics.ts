// Finds the topics of a relevant item by its words, cited articles, event type and publisher.
import type { Topic } from "../domain/event/topic.ts";
import type { EventType } from "../domain/event/event.ts";
import type { CitedArticle } from "./articles/find_articles.ts";
import type { TopicRule } from "./data.ts";
import type { Item } from "./item.ts";
import { findPhrases, type PhraseHit } from "./phrases/find_phrases.ts";
import type { AiSubject } from "./relevance.ts";
import { indexByLanguage, type PhrasesByLanguage } from "./phrases/phrases_by_language.ts";

/** Maximum number of topics of an item. */
export const MOST_TOPICS = 5;

/** A topic of an item with its score and evidence. */
export interface TopicResult {
  id: string;
  score: number;
  /** The score and the kinds of evidence, for people. */
  why: string;
  words: string[];
}

/** The topics of the rules, in the same order. */
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

/** Points of a topic's first word in each section, of each further one, and the maximum. */
const SECTIONS = {
  title: { first: 3, further: 1, most: 5 },
  opening: { first: 2, further: 0.5, most: 3 },
  rest: { first: 0.5, further: 0.25, most: 1 },
} as const;
const CITED = 3;
const EVENT_TYPE = 3;
const PUBLISHER = 2;
const SOURCE = 2;

/** The kinds of evidence, as shown to people. */
type EvidenceKind = "words" | "cited articles" | "event type" | "publisher" | "source";

/** The evidence of a topic while it is collected. */
interface Weight {
  score: number;
  kinds: Set<EvidenceKind>;
  words: Set<string>;
}

/** Points that a topic needs: one word in the title or in the opening. */
const ENOUGH = 2;

/** A topic needs this share of the highest score. */
const SHARE = 0.3;

/** The facts about an item from which topics follow. */
export interface TopicEvidence {
  item: Item;
  subject: AiSubject;
  eventType: EventType;
  cited: readonly CitedArticle[];
  /** Topics that the config gives to every item of the source. */
  sourceTopics: readonly string[];
}

/**
 * Returns a function that finds the topics of a relevant item, strongest first. Parents are used only if no child
 * matches.
 */
export function createTopicFinder(rules: readonly TopicRule[]): (evidence: TopicEvidence) => TopicResult[] {
  const prepared: PreparedRules = {
    rules,
    words: indexByLanguage(rules.map((rule) => ({ words: rule.words, value: rule }))),
    order: new Map(rules.map((rule, i) => [rule.id, i])),
    leading: new Map(rules.map((rule) => [rule, rule.ledBy.map(canonicalOf)])),
  };
  return (evidence) => findTopics(evidence, prepared);
}

/** The rules with indexes derived from them. */
interface PreparedRules {
  rules: readonly TopicRule[];
  words: PhrasesByLanguage<TopicRule>;
  /** The position of each topic in the taxonomy. */
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
  const add = (rule: TopicRule, score: number, kind: EvidenceKind, words: string) => {
    const weight = weights.get(rule) ?? { score: 0, kinds: new Set(), words: new Set() };
    weight.score += score;
    weight.kinds.add(kind);
    weight.words.add(words);
    weights.set(rule, weight);
  };
  addWords(item, words, (rule, score, words) => add(rule, score, "words", words));
  for (const rule of rules) {
    const references = leading.get(rule) ?? [];
    const lead = cited.find((article) => references.some((reference) => covers(reference, article)));
    if (lead !== undefined) add(rule, CITED, "cited articles", lead.canonical);
    if (rule.eventTypes.includes(eventType) && publishes(rule, item, subject)) {
      add(rule, EVENT_TYPE, "event type", eventType);
    }
    if (isSubjectOf(rule, item, subject)) add(rule, PUBLISHER, "publisher", item.publisher.words);
    if (sourceTopics.includes(rule.id)) add(rule, SOURCE, "source", "set for every item of the source");
  }
  const results = new Map([...weights].map(([rule, weight]) => [rule, resultOf(rule, weight)]));
  return choose(results, prepared, { item, eventType, sourceTopics });
}

function resultOf({ id }: TopicRule, { score, kinds, words }: Weight): TopicResult {
  return { id, score, why: `${score} points from ${[...kinds].join(", ")}`, words: [...words] };
}

/** Whether the event type leads to the topic: from any publisher, or from certain kinds if the item names the AI Act. */
function publishes(rule: TopicRule, item: Item, subject: AiSubject): boolean {
  if (rule.publishers.length === 0) return true;
  return rule.publishers.includes(item.publisher.kind) && subject.namesTheAct !== null;
}

/** Items of data protection authorities are about data protection, unless the title names the AI Act. */
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
    const why = "the default for its publisher, because no other topic matches";
    return [{ id: fallback.id, score: ENOUGH, why, words: [words === "" ? kind : `${kind}: ${words}`] }];
  }
  const chosen = children.length > 0 ? children : strong.map(([, result]) => result).slice(0, 1);
  const best = Math.max(...chosen.map((result) => result.score));
  const ranked = chosen.filter((result) => result.score >= SHARE * best || isOfSource(result))
    .sort((a, b) => b.score - a.score || (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0));
  // The source's topics are kept even if others score higher.
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
  const counts = new Map<TopicRule, Record<keyof typeof SECTIONS, Set<number>>>();
  const openingEnd = item.opening.words.length;
  for (const [part, text] of [["title", item.title], ["summary", item.summary]] as const) {
    for (const hit of withoutInner(findPhrases(index, text))) {
      const section = part === "title" ? "title" : hit.start < openingEnd ? "opening" : "rest";
      if (hit.value.titleOnly && section !== "title") continue;
      const count = counts.get(hit.value) ?? { title: new Set(), opening: new Set(), rest: new Set() };
      counts.set(hit.value, count);
      // Overlapping words ("AI model", "AI models") count once.
      if (count[section].has(hit.start)) continue;
      count[section].add(hit.start);
      const points = SECTIONS[section];
      const before = count[section].size - 1;
      const total = points.first + points.further * before;
      if (total <= points.most) add(hit.value, before === 0 ? points.first : points.further, hit.phrase);
    }
  }
}

/**
 * Drops phrases that are the start of a longer phrase of another topic: "AI Security" in "AI Security Institute" is
 * part of a name.
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

/** Whether a reference equals the cited one or contains it. */
function covers(whole: string, { canonical }: CitedArticle): boolean {
  return canonical.startsWith(whole) &&
    (canonical.length === whole.length || canonical[whole.length] === "(");
}
