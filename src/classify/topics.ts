// Finds the topics of a relevant item by its words, cited articles, event type and publisher.
import type { Topic } from "../domain/event/topic.ts";
import type { EventType } from "../domain/event/event.ts";
import { type CitedArticle, coversReference } from "./articles/find_articles.ts";
import type { TopicRule } from "./data.ts";
import type { Item } from "./item.ts";
import { findPhrases, type PhraseHit } from "./phrases/find_phrases.ts";
import type { AiSubject } from "./relevance.ts";
import { indexByLanguage, type PhrasesByLanguage } from "./phrases/phrases_by_language.ts";

const MAX_TOPICS = 5;

export interface TopicResult {
  id: string;
  score: number;
  /** The score and the kinds of evidence, for people. */
  why: string;
  words: string[];
}

export function topicsOf(rules: readonly TopicRule[]): Topic[] {
  return rules.map(({ id, name_en, name_de, name_fr, parent, articles }) => ({
    id,
    name_en,
    name_de,
    name_fr,
    parent,
    articles: articles.map((number) => `Art. ${number}`),
  }));
}

/** Points for a topic's first word in each section and for each further word, and the maximum per section. */
const SECTIONS = {
  title: { first: 3, further: 1, most: 5 },
  opening: { first: 2, further: 0.5, most: 3 },
  rest: { first: 0.5, further: 0.25, most: 1 },
} as const;
const CITED = 3;
const EVENT_TYPE = 3;
const PUBLISHER = 2;
const SOURCE = 2;

type EvidenceKind = "words" | "cited articles" | "event type" | "publisher" | "source";

interface Weight {
  score: number;
  kinds: Set<EvidenceKind>;
  words: Set<string>;
}

/** Points that a topic needs. One word in the title or in the opening is enough. */
const ENOUGH = 2;

/** A topic needs at least this share of the highest score. */
const SHARE = 0.3;

/** The facts about an item from which topics follow. */
interface TopicEvidence {
  item: Item;
  subject: AiSubject;
  eventType: EventType;
  cited: readonly CitedArticle[];
  /** Topics that the config gives to every item of the source. */
  sourceTopics: readonly string[];
}

/**
 * Returns a function that finds an item's topics, strongest first. A top-level topic counts only if no second-level
 * topic matches, or if the config gives it to the source.
 */
export function createTopicFinder(rules: readonly TopicRule[]): (evidence: TopicEvidence) => TopicResult[] {
  const words = indexByLanguage(rules.map((rule) => ({ words: rule.words, value: rule })));
  return (evidence) => choose(weigh(evidence, rules, words), rules, evidence);
}

/** Returns the topics with any evidence, in the order in which the evidence was found. */
function weigh(
  { item, subject, eventType, cited, sourceTopics }: TopicEvidence,
  rules: readonly TopicRule[],
  words: PhrasesByLanguage<TopicRule>,
): ReadonlyMap<TopicRule, TopicResult> {
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
    const lead = cited.find((article) =>
      rule.led_by.some((reference) => coversReference(canonicalOf(reference), article.canonical))
    );
    if (lead !== undefined) add(rule, CITED, "cited articles", lead.canonical);
    if (rule.event_types.includes(eventType) && publishes(rule, item, subject)) {
      add(rule, EVENT_TYPE, "event type", eventType);
    }
    if (isSubjectOf(rule, item, subject)) add(rule, PUBLISHER, "publisher", item.publisher.words);
    if (sourceTopics.includes(rule.id)) add(rule, SOURCE, "source", "set for every item of the source");
  }
  return new Map([...weights].map(([rule, weight]) => [rule, resultOf(rule, weight)]));
}

function resultOf({ id }: TopicRule, { score, kinds, words }: Weight): TopicResult {
  return { id, score, why: `${score} points from ${[...kinds].join(", ")}`, words: [...words] };
}

/** Whether the event type counts. If the rule lists publishers, the item must be from one of them and name the Act. */
function publishes(rule: TopicRule, item: Item, subject: AiSubject): boolean {
  if (rule.publishers.length === 0) return true;
  return rule.publishers.includes(item.publisher.kind) && subject.namesTheAct !== null;
}

/** Whether the publisher implies the topic. A data protection authority does not if the title names the AI Act. */
function isSubjectOf(rule: TopicRule, item: Item, subject: AiSubject): boolean {
  const { kind, dataProtection } = item.publisher;
  return rule.from_publishers.includes(kind) ||
    (rule.from_publishers.includes("data-protection") && dataProtection && subject.namesTheAct !== "title");
}

function choose(
  weights: ReadonlyMap<TopicRule, TopicResult>,
  rules: readonly TopicRule[],
  { item, eventType, sourceTopics }: TopicEvidence,
): TopicResult[] {
  const isOfSource = ({ id }: { id: string }) => sourceTopics.includes(id);
  const orderOf = ({ id }: TopicResult) => rules.findIndex((rule) => rule.id === id);
  const strong = [...weights].filter(([, result]) => result.score >= ENOUGH);
  const children = strong.filter(([rule]) => rule.parent !== null || isOfSource(rule))
    .map(([, result]) => result);
  const fallback = rules.find((rule) =>
    rule.fallback_for.includes(item.publisher.kind) &&
    (rule.event_types.length === 0 || rule.event_types.includes(eventType))
  );
  if (children.length === 0 && fallback !== undefined) {
    const { kind, words } = item.publisher;
    const why = "the default for its publisher, because no other topic matches";
    return [{ id: fallback.id, score: ENOUGH, why, words: [words === "" ? kind : `${kind}: ${words}`] }];
  }
  const chosen = children.length > 0 ? children : strong.map(([, result]) => result).slice(0, 1);
  const best = Math.max(...chosen.map((result) => result.score));
  const ranked = chosen.filter((result) => result.score >= SHARE * best || isOfSource(result))
    .sort((a, b) => b.score - a.score || orderOf(a) - orderOf(b));
  // The source's topics are kept even if others score higher.
  const room = MAX_TOPICS - ranked.filter(isOfSource).length;
  const others = new Set(ranked.filter((result) => !isOfSource(result)).slice(0, Math.max(0, room)));
  return ranked.filter((result) => isOfSource(result) || others.has(result)).slice(0, MAX_TOPICS);
}

function addWords(
  item: Item,
  words: PhrasesByLanguage<TopicRule>,
  add: (rule: TopicRule, score: number, words: string) => void,
): void {
  const index = words(item.language.language);
  const openingEnd = item.opening.words.length;
  const inSummary = withoutInner(findPhrases(index, item.summary));
  const hits = {
    title: withoutInner(findPhrases(index, item.title)),
    opening: inSummary.filter(({ start }) => start < openingEnd),
    rest: inSummary.filter(({ start }) => start >= openingEnd),
  };
  for (const section of ["title", "opening", "rest"] as const) {
    const { first, further, most } = SECTIONS[section];
    const starts = new Map<TopicRule, Set<number>>();
    for (const { value: rule, start, phrase } of hits[section]) {
      if (rule.title_only && section !== "title") continue;
      const known = starts.get(rule) ?? new Set();
      // Words that start at the same position ("AI model", "AI model provider") count once.
      if (known.has(start)) continue;
      if (first + further * known.size <= most) add(rule, known.size === 0 ? first : further, phrase);
      starts.set(rule, known.add(start));
    }
  }
}

/** Drops phrases that start a longer phrase of another topic: "AI Security" in "AI Security Institute". */
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

/** Converts a reference of a topic rule ("50", "53(1)(c)", "Annex III") to canonical form. */
function canonicalOf(reference: string): string {
  return reference.startsWith("Annex") ? reference : `Art. ${reference}`;
}
