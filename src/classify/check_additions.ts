// Validates the operator's additions to the classification: every name exists and every rule can match.
import {
  type AddedSeverityRule,
  type AddedTopic,
  type Additions,
  KEYWORD_LISTS,
  type KeywordList,
  type Keywords,
} from "../domain/event/classification.ts";
import { expandTopics, type Topic } from "../domain/event/topic.ts";
import { topicRules } from "./additions.ts";
import { ARTICLE_DATA, type PhraseLists, TOPIC_RULES } from "./data.ts";
import { beginsWithPhrase, coversPhrase, includesPhrase, phraseProblem } from "./phrases/check_phrase.ts";
import { topicsOf } from "./topics.ts";

/** A problem with an addition. */
export interface AdditionProblem {
  /** The key in the config: `["topics", 0, "parent"]`; a source is named by its id: `["sources", "board", "topics"]`. */
  path: (string | number)[];
  /** What is wrong and what to do; continues a sentence that starts with the key. */
  message: string;
}

/** All problems with the additions; empty if they are valid. `sourceIds` are the sources of the config. */
export function findAdditionProblems(additions: Additions, sourceIds: readonly string[]): AdditionProblem[] {
  const topics = topicsOf(topicRules(additions));
  return [
    ...additions.topics.flatMap((topic, index) => topicProblems(topic, index, additions.topics)),
    ...additions.topics.flatMap(({ keywords }, index) =>
      keywordProblems(keywords, new Map(), ["topics", index])
    ),
    ...additions.keywords.flatMap(({ topic, keywords }, index) => [
      ...unknownTopics([topic], topics).map(({ message }) => ({
        path: ["topic_keywords", index, "topic"],
        message,
      })),
      ...emptyProblems(keywords, ["topic_keywords", index]),
      ...keywordProblems(keywords, knownWords(topic, additions, index), ["topic_keywords", index]),
    ]),
    ...additions.severityRules.flatMap((rule, index) => ruleProblems(rule, { topics, sourceIds, index })),
    ...additions.severityRules.flatMap((rule, index) =>
      shadowProblems(rule, additions.severityRules.slice(0, index), { topics, index })
    ),
    ...additions.sources.flatMap((source) =>
      [...unknownTopics(source.topics, topics), ...repeated(source.topics)].map(({ position, message }) => ({
        path: ["sources", source.sourceId, "topics", position],
        message,
      }))
    ),
  ];
}

function topicProblems(topic: AddedTopic, index: number, added: readonly AddedTopic[]): AdditionProblem[] {
  const problems: AdditionProblem[] = [];
  const add = (key: string | [string, number], message: string) =>
    problems.push({ path: ["topics", index, ...[key].flat()], message });
  if (TOPIC_RULES.some(({ id }) => id === topic.id)) {
    add("id", `is "${topic.id}", a built-in topic: choose another id, or add to it with [[topic_keywords]]`);
  } else if (added.slice(0, index).some(({ id }) => id === topic.id)) {
    add("id", `is "${topic.id}", which another of [[topics]] has too: choose another id`);
  }
  if (topic.parent !== null) {
    const parent = [...TOPIC_RULES, ...added].find(({ id }) => id === topic.parent);
    if (parent === undefined) {
      add("parent", `is "${topic.parent}", which is not a topic; GET /v1/topics and [[topics]] list them`);
    } else if (parent === topic || parent.parent !== null) {
      add("parent", `is "${topic.parent}", which cannot be a parent: topics have two levels`);
    }
  }
  for (const [position, article] of topic.articles.entries()) {
    if (!ARTICLE_DATA.articles.has(article)) {
      add(
        ["articles", position],
        `is "${article}", which is not an article of the AI Act; write a number such as "26"`,
      );
    }
  }
  const isParent = added.some(({ parent }) => parent === topic.id);
  if (problems.length === 0 && !isParent && topic.articles.length === 0 && isEmpty(topic.keywords)) {
    add("id", `is "${topic.id}", a topic that can never match: add keywords or articles`);
  }
  return problems;
}

function unknownTopics(
  ids: readonly string[],
  topics: readonly Topic[],
): { position: number; message: string }[] {
  return [...ids.entries()].filter(([, id]) => !topics.some((topic) => topic.id === id))
    .map(([position, id]) => ({
      position,
      message: `is "${id}", which is not a topic; GET /v1/topics and [[topics]] list them`,
    }));
}

function repeated(values: readonly string[]): { position: number; message: string }[] {
  return [...values.entries()].filter(([position, value]) => values.indexOf(value) < position)
    .map(([position, value]) => ({ position, message: `is "${value}", a duplicate: remove it` }));
}

function isEmpty(keywords: Keywords): boolean {
  return KEYWORD_LISTS.every((list) => keywords[list].length === 0);
}

function emptyProblems(keywords: Keywords, path: AdditionProblem["path"]): AdditionProblem[] {
  if (!isEmpty(keywords)) return [];
  return [{
    path: [...path, "topic"],
    message: "has no keywords: add keywords_en or another list",
  }];
}

/** The words of a topic before the keywords at this index are added. */
function knownWords(topic: string, additions: Additions, index: number): PhraseLists {
  const before = { ...additions, keywords: additions.keywords.slice(0, index) };
  return topicRules(before).find(({ id }) => id === topic)?.words ?? new Map();
}

function keywordProblems(
  keywords: Keywords,
  known: PhraseLists,
  path: AdditionProblem["path"],
): AdditionProblem[] {
  return KEYWORD_LISTS.flatMap((list) =>
    keywords[list].flatMap((keyword, position) => {
      const before = [
        ...known.get(list) ?? [],
        ...keywords[list].slice(0, position),
        ...wordsBeside(list, keywords, known),
      ];
      const other = before.find((one) => beginsWithPhrase(keyword, one));
      const message = phraseProblem(keyword) ??
        (other === undefined
          ? null
          : `is "${keyword}", which has no effect: the topic already has "${other}"`);
      return message === null ? [] : [{ path: [...path, `keywords_${list}`, position], message }];
    })
  );
}

/** The words of the other lists that apply to the same items: items in a language without a list also use English. */
function wordsBeside(list: KeywordList, keywords: Keywords, known: PhraseLists): readonly string[] {
  const others: readonly KeywordList[] = list === "any" ? [] : list === "other" ? ["any", "en"] : ["any"];
  return others.flatMap((other) => [...known.get(other) ?? [], ...keywords[other]]);
}

function ruleProblems(
  rule: AddedSeverityRule,
  { topics, sourceIds, index }: { topics: readonly Topic[]; sourceIds: readonly string[]; index: number },
): AdditionProblem[] {
  const problems: AdditionProblem[] = [];
  const add = (key: string, position: number | null, message: string) =>
    problems.push({
      path: ["severity_rules", index, key, ...(position === null ? [] : [position])],
      message,
    });
  for (const [position, id] of rule.sources.entries()) {
    if (!sourceIds.includes(id)) add("sources", position, `is "${id}", which is not a source of this config`);
  }
  for (const { position, message } of unknownTopics(rule.topics, topics)) add("topics", position, message);
  for (const [position, article] of rule.articles.entries()) {
    if (!isOfTheAct(article)) add("articles", position, notOfTheAct(article));
  }
  for (const key of ["words", "without"] as const) {
    for (const [position, phrase] of rule[key].entries()) {
      const other = rule[key].slice(0, position).find((one) => coversPhrase(one, phrase));
      const message = phraseProblem(phrase) ??
        (other === undefined ? null : `is "${phrase}", which has no effect: "${other}" already covers it`);
      if (message !== null) add(key, position, message);
    }
  }
  for (const [key, values] of Object.entries(listsOf(rule))) {
    for (const { position, message } of repeated(values)) add(key, position, message);
  }
  for (const [position, word] of rule.words.entries()) {
    const excluding = rule.without.find((phrase) => includesPhrase(word, phrase));
    if (excluding !== undefined) {
      add("words", position, `is "${word}", which can never match: it contains "${excluding}" of without`);
    }
  }
  if (!hasCondition(rule)) {
    add("severity", null, "has no condition: add sources, event_types, topics, articles or words");
  }
  return problems;
}

function hasCondition({ sources, eventTypes, topics, articles, words }: AddedSeverityRule): boolean {
  return [sources, eventTypes, topics, articles, words].some((values) => values.length > 0);
}

/** The lists of a rule, except phrases, by key. */
function listsOf(
  { sources, eventTypes, topics, articles }: AddedSeverityRule,
): Record<string, readonly string[]> {
  return { sources, event_types: eventTypes, topics, articles };
}

/** Whether a canonical reference has a number that exists in the Act and at most four parts. */
function isOfTheAct(canonical: string): boolean {
  const [, kind, number = "", path = ""] =
    /^(Art\.|Annex|Recital) ([0-9a-zIVX]+)((?:\([^()]+\))*)$/.exec(canonical) ?? [];
  const parts = path === "" ? [] : path.slice(1, -1).split(")(");
  if (parts.length > 4 || !parts.every((part) => /^(?:[0-9a-z]{1,4}|[A-E])$/.test(part))) return false;
  if (kind === "Art.") return ARTICLE_DATA.articles.has(number);
  if (kind === "Annex") return ARTICLE_DATA.annexes.has(number);
  return kind === "Recital" && Number(number) >= 1 && Number(number) <= ARTICLE_DATA.recitals;
}

function notOfTheAct(reference: string): string {
  return `is "${reference}", which is not in the AI Act; write "Art. 26", "Annex III" or "Recital 60"`;
}

/** Reports a rule that can never apply because an earlier one matches everything that it matches. */
function shadowProblems(
  rule: AddedSeverityRule,
  earlier: readonly AddedSeverityRule[],
  { topics, index }: { topics: readonly Topic[]; index: number },
): AdditionProblem[] {
  const position = earlier.findIndex((other) => hasCondition(other) && isShadowedBy(rule, other, topics));
  if (position < 0) return [];
  return [{
    path: ["severity_rules", index, "severity"],
    message:
      `belongs to a rule that can never apply, because severity_rules[${position}] matches everything that it ` +
      "matches: move this rule up, or narrow the other",
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
