// Checks the operator's additions to the classification: every name must exist, and every rule must be able to match.
import { AI_ACT, canonicalArticle, isInAct } from "../domain/event/article.ts";
import {
  type AddedSeverityRule,
  type AddedTopic,
  type Additions,
  KEYWORD_LISTS,
  type KeywordList,
  type Keywords,
} from "../domain/event/classification.ts";
import { expandTopics, type Topic } from "../domain/event/topic.ts";
import { topicRules } from "./configured_rules.ts";
import { coversReference } from "./articles/find_articles.ts";
import { type PhraseLists, TOPIC_RULES } from "./data.ts";
import { beginsWithPhrase, coversPhrase, includesPhrase, phraseProblem } from "./phrases/check_phrase.ts";
import { topicsOf } from "./topics.ts";

interface AdditionProblem {
  /** The key in the config: `["topics", 0, "parent"]`. A source is given by its id: `["sources", "b", "topics"]`. */
  path: (string | number)[];
  /** The problem and its solution, as the continuation of a sentence that starts with the key. */
  message: string;
}

/** Returns all problems with the additions. `sourceIds` are the ids of all sources in the config. */
export function findAdditionProblems(additions: Additions, sourceIds: readonly string[]): AdditionProblem[] {
  const { keywords, severityRules, sources } = additions;
  const topics = topicsOf(topicRules(additions));
  const unknownTopic = (id: string): string | null =>
    topics.some((topic) => topic.id === id)
      ? null
      : `is "${id}", which is not a topic; GET /v1/topics and [[topics]] list the topics`;
  return [
    ...additions.topics.flatMap((topic, index) =>
      under(["topics", index], topicProblems(topic, index, additions.topics))
    ),
    ...additions.topics.flatMap((topic, index) =>
      under(["topics", index], keywordProblems(topic.keywords, new Map()))
    ),
    ...keywords.flatMap(({ topic, keywords: own }, index) =>
      under(["topic_keywords", index], [
        ...problem("topic", unknownTopic(topic)),
        ...problem("topic", isEmpty(own) ? "has no keywords: add keywords_en or another list" : null),
        ...keywordProblems(own, knownWords(topic, additions, index)),
      ])
    ),
    ...severityRules.flatMap((rule, index) =>
      under(["severity_rules", index], ruleProblems(rule, { unknownTopic, sourceIds }))
    ),
    ...severityRules.flatMap((rule, index) =>
      under(["severity_rules", index], shadowProblems(rule, severityRules.slice(0, index), topics))
    ),
    ...sources.flatMap(({ sourceId, topics: own }) =>
      under(["sources", sourceId], [...inList("topics", own, unknownTopic), ...repeated("topics", own)])
    ),
  ];
}

function under(path: AdditionProblem["path"], problems: readonly AdditionProblem[]): AdditionProblem[] {
  return problems.map((problem) => ({ ...problem, path: [...path, ...problem.path] }));
}

function problem(key: string, message: string | null): AdditionProblem[] {
  return message === null ? [] : [{ path: [key], message }];
}

function inList(
  key: string,
  values: readonly string[],
  messageOf: (value: string, position: number) => string | null,
): AdditionProblem[] {
  return values.flatMap((value, position) => {
    const message = messageOf(value, position);
    return message === null ? [] : [{ path: [key, position], message }];
  });
}

function repeated(key: string, values: readonly string[]): AdditionProblem[] {
  return inList(
    key,
    values,
    (value, position) => values.indexOf(value) < position ? `is "${value}", a duplicate: remove it` : null,
  );
}

function topicProblems(topic: AddedTopic, index: number, added: readonly AddedTopic[]): AdditionProblem[] {
  const { id, articles, keywords } = topic;
  const problems = [
    ...problem("id", idProblem(id, added.slice(0, index))),
    ...problem("parent", parentProblem(topic, added)),
    ...inList(
      "articles",
      articles,
      (article) =>
        AI_ACT.articles.has(article)
          ? null
          : `is "${article}", which is not an article of the AI Act; write a number such as "26"`,
    ),
  ];
  const isParent = added.some(({ parent }) => parent === id);
  if (problems.length > 0 || isParent || articles.length > 0 || !isEmpty(keywords)) return problems;
  return problem("id", `is "${id}", a topic that can never match: add keywords or articles`);
}

function idProblem(id: string, before: readonly AddedTopic[]): string | null {
  if (TOPIC_RULES.some((rule) => rule.id === id)) {
    return `is "${id}", a built-in topic: choose another id, or extend it with [[topic_keywords]]`;
  }
  if (!before.some((topic) => topic.id === id)) return null;
  return `is "${id}", which another topic in [[topics]] already has: choose another id`;
}

function parentProblem(topic: AddedTopic, added: readonly AddedTopic[]): string | null {
  if (topic.parent === null) return null;
  const parent = [...TOPIC_RULES, ...added].find(({ id }) => id === topic.parent);
  if (parent === undefined) {
    return `is "${topic.parent}", which is not a topic; GET /v1/topics and [[topics]] list the topics`;
  }
  if (parent !== topic && parent.parent === null) return null;
  return `is "${topic.parent}", which cannot be a parent: topics have two levels`;
}

function isEmpty(keywords: Keywords): boolean {
  return KEYWORD_LISTS.every((list) => keywords[list].length === 0);
}

/** Returns the words that a topic has before the keywords at this index are added. */
function knownWords(topic: string, additions: Additions, index: number): PhraseLists {
  const before = { ...additions, keywords: additions.keywords.slice(0, index) };
  return topicRules(before).find(({ id }) => id === topic)?.words ?? new Map();
}

function keywordProblems(keywords: Keywords, known: PhraseLists): AdditionProblem[] {
  return KEYWORD_LISTS.flatMap((list) => {
    // Items in a language without its own list also use the English list.
    const others: readonly KeywordList[] = list === "any" ? [] : list === "other" ? ["any", "en"] : ["any"];
    const beside = others.flatMap((other) => [...known.get(other) ?? [], ...keywords[other]]);
    return inList(`keywords_${list}`, keywords[list], (keyword, position) => {
      const before = [...known.get(list) ?? [], ...keywords[list].slice(0, position), ...beside];
      const other = before.find((one) => beginsWithPhrase(keyword, one));
      return phraseProblem(keyword) ??
        (other === undefined
          ? null
          : `is "${keyword}", which has no effect: the topic already has "${other}"`);
    });
  });
}

function ruleProblems(
  rule: AddedSeverityRule,
  { unknownTopic, sourceIds }: {
    unknownTopic(id: string): string | null;
    sourceIds: readonly string[];
  },
): AdditionProblem[] {
  const { sources, eventTypes, topics, articles, words, without } = rule;
  return [
    ...inList(
      "sources",
      sources,
      (id) => sourceIds.includes(id) ? null : `is "${id}", which is not a source in this config`,
    ),
    ...inList("topics", topics, unknownTopic),
    ...inList(
      "articles",
      articles,
      (reference) =>
        canonicalArticle(reference) === reference && isInAct(reference)
          ? null
          : `is "${reference}", which is not in the AI Act; write "Art. 26", "Annex III" or "Recital 60"`,
    ),
    ...phraseProblems("words", words),
    ...phraseProblems("without", without),
    ...repeated("sources", sources),
    ...repeated("event_types", eventTypes),
    ...repeated("topics", topics),
    ...repeated("articles", articles),
    ...inList("words", words, (word) => {
      const excluding = without.find((phrase) => includesPhrase(word, phrase));
      if (excluding === undefined) return null;
      return `is "${word}", which can never match: it contains "${excluding}", which is in without`;
    }),
    ...problem(
      "severity",
      hasCondition(rule) ? null : "has no condition: add sources, event_types, topics, articles or words",
    ),
  ];
}

function phraseProblems(key: string, phrases: readonly string[]): AdditionProblem[] {
  return inList(key, phrases, (phrase, position) => {
    const other = phrases.slice(0, position).find((one) => coversPhrase(one, phrase));
    return phraseProblem(phrase) ??
      (other === undefined ? null : `is "${phrase}", which has no effect: "${other}" already covers it`);
  });
}

function hasCondition({ sources, eventTypes, topics, articles, words }: AddedSeverityRule): boolean {
  return [sources, eventTypes, topics, articles, words].some((values) => values.length > 0);
}

/** Reports a rule that can never apply because an earlier rule matches everything that this rule matches. */
function shadowProblems(
  rule: AddedSeverityRule,
  earlier: readonly AddedSeverityRule[],
  topics: readonly Topic[],
): AdditionProblem[] {
  const position = earlier.findIndex((other) => hasCondition(other) && isShadowedBy(rule, other, topics));
  if (position < 0) return [];
  return problem(
    "severity",
    `belongs to a rule that can never apply, because severity_rules[${position}] matches everything ` +
      "that this rule matches: move this rule up, or narrow the earlier one",
  );
}

function isShadowedBy(rule: AddedSeverityRule, other: AddedSeverityRule, topics: readonly Topic[]): boolean {
  const same = (whole: string, part: string) => whole === part;
  const conditions: [whole: readonly string[], part: readonly string[], covers: typeof same][] = [
    [other.sources, rule.sources, same],
    [other.eventTypes, rule.eventTypes, same],
    [[...expandTopics(topics, other.topics)], rule.topics, same],
    [other.articles, rule.articles, coversReference],
    [other.words, rule.words, (whole, part) => includesPhrase(part, whole)],
  ];
  return conditions.every(([whole, part, covers]) =>
    whole.length === 0 ||
    (part.length > 0 && part.every((one) => whole.some((value) => covers(value, one))))
  ) && other.without.every((phrase) => rule.without.some((one) => includesPhrase(phrase, one)));
}
