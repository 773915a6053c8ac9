// Whether what an operator adds to the classification holds together: what it names is there, and every rule can match.
import {
  type AddedSeverityRule,
  type AddedTopic,
  type Additions,
  KEYWORD_LISTS,
  type KeywordList,
  type Keywords,
} from "../domain/classification.ts";
import { expandTopics, type Topic } from "../domain/topic.ts";
import { topicRules } from "./additions.ts";
import { ARTICLE_DATA, TOPIC_RULES, type WordLists } from "./data.ts";
import { beginsWithPhrase, coversPhrase, includesPhrase, phraseProblem } from "./phrases/check_phrase.ts";
import { topicsOf } from "./topics.ts";

/** What is wrong with an addition. */
export interface AdditionProblem {
  /** The key in the config: `["topics", 0, "parent"]`; a source is named by its id: `["sources", "board", "topics"]`. */
  path: (string | number)[];
  /** What is wrong and what to do, as it goes on from the key's name. */
  message: string;
}

/** Everything that is wrong with additions; `sourceIds` are those of the config. An empty list: nothing is. */
export function findAdditionProblems(additions: Additions, sourceIds: readonly string[]): AdditionProblem[] {
  const topics = topicsOf(topicRules(additions));
  return [
    ...additions.topics.flatMap((topic, place) => topicProblems(topic, place, additions.topics)),
    ...additions.topics.flatMap(({ keywords }, place) =>
      keywordProblems(keywords, new Map(), ["topics", place])
    ),
    ...additions.keywords.flatMap(({ topic, keywords }, place) => [
      ...unknownTopics([topic], topics).map(({ message }) => ({
        path: ["topic_keywords", place, "topic"],
        message,
      })),
      ...emptyProblems(keywords, ["topic_keywords", place]),
      ...keywordProblems(keywords, knownWords(topic, additions, place), ["topic_keywords", place]),
    ]),
    ...additions.severityRules.flatMap((rule, place) => ruleProblems(rule, { topics, sourceIds, place })),
    ...additions.severityRules.flatMap((rule, place) =>
      shadowProblems(rule, additions.severityRules.slice(0, place), { topics, place })
    ),
    ...additions.sources.flatMap((source) =>
      [...unknownTopics(source.topics, topics), ...repeated(source.topics)].map(({ at, message }) => ({
        path: ["sources", source.sourceId, "topics", at],
        message,
      }))
    ),
  ];
}

function topicProblems(topic: AddedTopic, place: number, added: readonly AddedTopic[]): AdditionProblem[] {
  const problems: AdditionProblem[] = [];
  const add = (key: string | [string, number], message: string) =>
    problems.push({ path: ["topics", place, ...[key].flat()], message });
  if (TOPIC_RULES.some(({ id }) => id === topic.id)) {
    add("id", `is "${topic.id}", which Regfeed has: give another id, or add to it with [[topic_keywords]]`);
  } else if (added.slice(0, place).some(({ id }) => id === topic.id)) {
    add("id", `is "${topic.id}" like that of another of [[topics]]: give one of them another id`);
  }
  if (topic.parent !== null) {
    const parent = [...TOPIC_RULES, ...added].find(({ id }) => id === topic.parent);
    if (parent === undefined) {
      add("parent", `is "${topic.parent}", which is no topic; GET /v1/topics and [[topics]] list them`);
    } else if (parent === topic || parent.parent !== null) {
      add("parent", `is "${topic.parent}", which is no parent itself: topics have two levels`);
    }
  }
  for (const [at, article] of topic.articles.entries()) {
    if (!ARTICLE_DATA.articles.has(article)) {
      add(
        ["articles", at],
        `is "${article}": the AI Act has no such article; write its number, such as "26"`,
      );
    }
  }
  const isParent = added.some(({ parent }) => parent === topic.id);
  if (problems.length === 0 && !isParent && topic.articles.length === 0 && isEmpty(topic.keywords)) {
    add("id", `is "${topic.id}", a topic that no item can have: give it keywords or articles`);
  }
  return problems;
}

function unknownTopics(ids: readonly string[], topics: readonly Topic[]): { at: number; message: string }[] {
  return [...ids.entries()].filter(([, id]) => !topics.some((topic) => topic.id === id))
    .map(([at, id]) => ({
      at,
      message: `is "${id}", which is no topic; GET /v1/topics and [[topics]] list them`,
    }));
}

function repeated(values: readonly string[]): { at: number; message: string }[] {
  return [...values.entries()].filter(([at, value]) => values.indexOf(value) < at)
    .map(([at, value]) => ({ at, message: `is "${value}", which stands before it already: leave one out` }));
}

function isEmpty(keywords: Keywords): boolean {
  return KEYWORD_LISTS.every((list) => keywords[list].length === 0);
}

function emptyProblems(keywords: Keywords, path: AdditionProblem["path"]): AdditionProblem[] {
  if (!isEmpty(keywords)) return [];
  return [{
    path: [...path, "topic"],
    message: "has no keywords beside it: add keywords_en or another list",
  }];
}

/** The words that a topic has already when the keywords at this place are added to it. */
function knownWords(topic: string, additions: Additions, place: number): WordLists {
  const before = { ...additions, keywords: additions.keywords.slice(0, place) };
  return topicRules(before).find(({ id }) => id === topic)?.words ?? new Map();
}

function keywordProblems(
  keywords: Keywords,
  known: WordLists,
  path: AdditionProblem["path"],
): AdditionProblem[] {
  return KEYWORD_LISTS.flatMap((list) =>
    keywords[list].flatMap((keyword, at) => {
      const before = [
        ...known.get(list) ?? [],
        ...keywords[list].slice(0, at),
        ...wordsBeside(list, keywords, known),
      ];
      const other = before.find((one) => beginsWithPhrase(keyword, one));
      const message = phraseProblem(keyword) ??
        (other === undefined ? null : `is "${keyword}", which can add nothing: the topic has "${other}"`);
      return message === null ? [] : [{ path: [...path, `keywords_${list}`, at], message }];
    })
  );
}

/** The words that an item is read with beside those of the list: a language without a list is read with English too. */
function wordsBeside(list: KeywordList, keywords: Keywords, known: WordLists): readonly string[] {
  const beside: readonly KeywordList[] = list === "any" ? [] : list === "other" ? ["any", "en"] : ["any"];
  return beside.flatMap((other) => [...known.get(other) ?? [], ...keywords[other]]);
}

function ruleProblems(
  rule: AddedSeverityRule,
  { topics, sourceIds, place }: { topics: readonly Topic[]; sourceIds: readonly string[]; place: number },
): AdditionProblem[] {
  const problems: AdditionProblem[] = [];
  const add = (key: string, at: number | null, message: string) =>
    problems.push({ path: ["severity_rules", place, key, ...(at === null ? [] : [at])], message });
  for (const [at, id] of rule.sources.entries()) {
    if (!sourceIds.includes(id)) add("sources", at, `is "${id}", which is no source of this config`);
  }
  for (const { at, message } of unknownTopics(rule.topics, topics)) add("topics", at, message);
  for (const [at, article] of rule.articles.entries()) {
    if (!isOfTheAct(article)) add("articles", at, notOfTheAct(article));
  }
  for (const key of ["words", "without"] as const) {
    for (const [at, phrase] of rule[key].entries()) {
      const other = rule[key].slice(0, at).find((one) => coversPhrase(one, phrase));
      const message = phraseProblem(phrase) ??
        (other === undefined ? null : `is "${phrase}", which can add nothing: "${other}" stands before it`);
      if (message !== null) add(key, at, message);
    }
  }
  for (const [key, values] of Object.entries(listsOf(rule))) {
    for (const { at, message } of repeated(values)) add(key, at, message);
  }
  for (const [at, word] of rule.words.entries()) {
    const excluding = rule.without.find((phrase) => includesPhrase(word, phrase));
    if (excluding !== undefined) {
      add("words", at, `is "${word}", which can never match: "${excluding}" of without stands in it`);
    }
  }
  if (!hasCondition(rule)) {
    add("severity", null, "stands without a condition: add sources, event_types, topics, articles or words");
  }
  return problems;
}

function hasCondition({ sources, eventTypes, topics, articles, words }: AddedSeverityRule): boolean {
  return [sources, eventTypes, topics, articles, words].some((values) => values.length > 0);
}

/** The lists of a rule whose values are looked up. */
function listsOf(
  { sources, eventTypes, topics, articles }: AddedSeverityRule,
): Record<string, readonly string[]> {
  return { sources, event_types: eventTypes, topics, articles };
}

/** A reference in canonical form: a number that the Act has and, in brackets, at most four parts. */
function isOfTheAct(canonical: string): boolean {
  const [, kind, number = ""] =
    /^(Art\.|Annex|Recital) ([0-9a-zIVX]+)(?:\((?:[0-9a-z]{1,4}|[A-E])\)){0,4}$/.exec(canonical) ?? [];
  if (kind === "Art.") return ARTICLE_DATA.articles.has(number);
  if (kind === "Annex") return ARTICLE_DATA.annexes.has(number);
  return kind === "Recital" && Number(number) >= 1 && Number(number) <= ARTICLE_DATA.recitals;
}

function notOfTheAct(reference: string): string {
  return `is "${reference}", which the AI Act does not have; write "Art. 26", "Annex III" or "Recital 60"`;
}

/** A rule that an earlier one leaves nothing: whatever fits it fits that one too. */
function shadowProblems(
  rule: AddedSeverityRule,
  earlier: readonly AddedSeverityRule[],
  { topics, place }: { topics: readonly Topic[]; place: number },
): AdditionProblem[] {
  const at = earlier.findIndex((other) => hasCondition(other) && isShadowedBy(rule, other, topics));
  if (at < 0) return [];
  return [{
    path: ["severity_rules", place, "severity"],
    message:
      `belongs to a rule that can never decide: whatever fits it fits severity_rules[${at}] before it; ` +
      "put this one first, or narrow that one",
  }];
}

function isShadowedBy(rule: AddedSeverityRule, other: AddedSeverityRule, topics: readonly Topic[]): boolean {
  const same = (whole: string, part: string) => whole === part;
  const conditions: [whole: readonly string[], part: readonly string[], covers: typeof same][] = [
    [other.sources, rule.sources, same],
    [other.eventTypes, rule.eventTypes, same],
    [[...expandTopics(topics, other.topics)], rule.topics, same],
    [other.articles, rule.articles, (whole, part) => part === whole || part.startsWith(`${whole}(`)],
    [other.words, rule.words, (whole, part) => includesPhrase(part, whole)],
  ];
  return conditions.every(([whole, part, covers]) =>
    whole.length === 0 ||
    (part.length > 0 && part.every((one) => whole.some((value) => covers(value, one))))
  ) && other.without.every((phrase) => rule.without.some((one) => includesPhrase(phrase, one)));
}
