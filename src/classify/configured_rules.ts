// Combines the built-in topics with the operator's topics and keywords, and derives the rules' version.
import { createHash } from "node:crypto";
import {
  type AddedTopic,
  type Additions,
  KEYWORD_LISTS,
  type Keywords,
} from "../domain/event/classification.ts";
import { NO_TOPIC_RULES, type PhraseLists, TOPIC_RULES, type TopicRule } from "./data.ts";

export const NO_ADDITIONS: Additions = { topics: [], keywords: [], severityRules: [], sources: [] };

/** Length of the hash in a version, in characters. */
const HASH_LENGTH = 8;

export function topicRules({ topics, keywords }: Additions): TopicRule[] {
  const rules = [...TOPIC_RULES, ...topics.map(ruleOf)];
  return rules.map((rule) => {
    const more = keywords.filter(({ topic }) => topic === rule.id);
    return more.length === 0 ? rule : { ...rule, words: more.reduce(withKeywords, rule.words) };
  });
}

function ruleOf({ keywords, ...topic }: AddedTopic): TopicRule {
  return {
    ...NO_TOPIC_RULES,
    ...topic,
    led_by: topic.articles,
    words: withKeywords(new Map(), { keywords }),
  };
}

function withKeywords(words: PhraseLists, { keywords }: { keywords: Keywords }): PhraseLists {
  const all = new Map(words);
  for (const list of KEYWORD_LISTS) {
    if (keywords[list].length > 0) all.set(list, [...words.get(list) ?? [], ...keywords[list]]);
  }
  return all;
}

/** Returns `version`. If there are additions, `+` and a hash of them follow. */
export function versionWith(version: string, additions: Additions): string {
  const { topics, keywords, severityRules, sources } = additions;
  if ([topics, keywords, severityRules, sources].every((list) => list.length === 0)) return version;
  const text = JSON.stringify([topics, keywords, severityRules, sources]);
  return `${version}+${createHash("sha256").update(text).digest("hex").slice(0, HASH_LENGTH)}`;
}
