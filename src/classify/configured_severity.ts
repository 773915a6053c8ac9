// The severity rules of the config, which take precedence over those in data/severity.json.
import type { AddedSeverityRule } from "../domain/event/classification.ts";
import { expandTopics, type Topic } from "../domain/event/topic.ts";
import type { EventType } from "../domain/event/event.ts";
import { type CitedArticle, coversReference } from "./articles/find_articles.ts";
import type { Item } from "./item.ts";
import { buildPhraseIndex, findPhrases } from "./phrases/find_phrases.ts";
import type { SeverityResult } from "./severity.ts";
import type { TopicResult } from "./topics.ts";

/** The facts about a relevant item that the rules use. */
interface SeverityEvidence {
  item: Item;
  sourceId: string | null;
  eventType: EventType;
  topics: readonly TopicResult[];
  cited: readonly CitedArticle[];
}

/** Returns a function that applies the first matching rule. It returns null if no rule matches. */
export function createConfiguredSeverity(
  rules: readonly AddedSeverityRule[],
  topics: readonly Topic[],
): (evidence: SeverityEvidence) => SeverityResult | null {
  const prepared = rules.map((rule) => ({
    rule,
    topics: expandTopics(topics, rule.topics),
    words: indexOf(rule.words),
    without: indexOf(rule.without),
  }));
  return (evidence) => {
    for (const one of prepared) {
      const found = match(one, evidence);
      if (found !== null) return { severity: one.rule.severity, why: one.rule.why, words: found };
    }
    return null;
  };
}

type PreparedRule = {
  rule: AddedSeverityRule;
  topics: ReadonlySet<string>;
  words: ReturnType<typeof indexOf>;
  without: ReturnType<typeof indexOf>;
};

/** Returns the evidence for each condition of the rule, or null if a condition is not met. */
function match({ rule, topics, words, without }: PreparedRule, evidence: SeverityEvidence): string[] | null {
  const { item, sourceId, eventType, cited } = evidence;
  const conditions: [asked: readonly string[], found: string | undefined][] = [
    [rule.sources, rule.sources.find((id) => id === sourceId)],
    [rule.eventTypes, rule.eventTypes.find((type) => type === eventType)],
    [rule.topics, evidence.topics.find(({ id }) => topics.has(id))?.id],
    [
      rule.articles,
      cited.find(({ canonical }) => rule.articles.some((one) => coversReference(one, canonical)))?.canonical,
    ],
    [rule.words, firstPhrase(words, item)],
  ];
  if (conditions.some(([asked, found]) => asked.length > 0 && found === undefined)) return null;
  if (firstPhrase(without, item) !== undefined) return null;
  return conditions.flatMap(([, found]) => found ?? []);
}

function indexOf(phrases: readonly string[]) {
  return buildPhraseIndex(phrases.map((phrase) => ({ phrase, value: true })));
}

function firstPhrase(index: ReturnType<typeof indexOf>, item: Item): string | undefined {
  return (findPhrases(index, item.title)[0] ?? findPhrases(index, item.opening)[0])?.phrase;
}
