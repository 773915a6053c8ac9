// The rules with what an operator adds to them: further topics and keywords, and the version that says so.
import { createHash } from "node:crypto";
import { type AddedTopic, type Additions, KEYWORD_LISTS, type Keywords } from "../domain/classification.ts";
import { TOPIC_RULES, type TopicRule, type WordLists } from "./data.ts";

/** Nothing added. */
export const NO_ADDITIONS: Additions = { topics: [], keywords: [], severityRules: [], sources: [] };

/** Characters of the hash in a version. */
const HASH_LENGTH = 8;

/** The topics of the taxonomy and the added ones, with all their keywords. */
export function topicRules({ topics, keywords }: Additions): TopicRule[] {
  const rules = [...TOPIC_RULES, ...topics.map(ownRule)];
  return rules.map((rule) => {
    const more = keywords.filter(({ topic }) => topic === rule.id);
    return more.length === 0 ? rule : { ...rule, words: more.reduce(withKeywords, rule.words) };
  });
}

function ownRule({ keywords, ...topic }: AddedTopic): TopicRule {
  return {
    ...topic,
    ledBy: topic.articles,
    eventTypes: [],
    publishers: [],
    fallbackFor: [],
    fromPublishers: [],
    titleOnly: false,
    words: withKeywords(new Map(), { keywords }),
  };
}

function withKeywords(words: WordLists, { keywords }: { keywords: Keywords }): WordLists {
  const all = new Map(words);
  for (const list of KEYWORD_LISTS) {
    if (keywords[list].length > 0) all.set(list, [...words.get(list) ?? [], ...keywords[list]]);
  }
  return all;
}

/** The version of the rules with these additions: `1` without any, else `1+` and a hash of them. */
export function versionWith(version: string, additions: Additions): string {
  const { topics, keywords, severityRules, sources } = additions;
  if ([topics, keywords, severityRules, sources].every((list) => list.length === 0)) return version;
  const text = JSON.stringify([topics, keywords, severityRules, sources]);
  return `${version}+${createHash("sha256").update(text).digest("hex").slice(0, HASH_LENGTH)}`;
}
