// The indexed text of an event: its words, and tags for the other filters.
import type { RegEvent } from "../event/event.ts";

/** The filters by tag, with the prefixes of their tokens. */
const TAG_LETTERS = {
  source: "s",
  severity: "v",
  topic: "p",
  type: "t",
  article: "a",
  language: "l",
} as const;

export type TagKind = keyof typeof TAG_LETTERS;

/** A tag as one token of lower-case letters and digits, which full-text search does not split; `x` escapes the rest. */
export function tagOf(kind: TagKind, value: string): string {
  const escape = (sign: string): string =>
    Array.from(new TextEncoder().encode(sign), (byte) => `x${byte.toString(16).padStart(2, "0")}`).join("");
  return TAG_LETTERS[kind] + value.replace(/[^a-wyz0-9]+/g, escape);
}

/** The tags of an event. A reference also gets those of its parents: `Art. 50(2)` that of `Art. 50`. */
export function tagsOf(event: RegEvent): string[] {
  const tags = new Set([
    tagOf("source", event.source_id),
    tagOf("severity", event.severity),
    tagOf("type", event.event_type),
  ]);
  for (const topic of event.topics) tags.add(tagOf("topic", topic));
  for (const language of event.language_versions) tags.add(tagOf("language", language));
  for (const reference of event.ai_act_articles) {
    for (let whole = reference;; whole = whole.slice(0, whole.lastIndexOf("("))) {
      tags.add(tagOf("article", whole));
      if (!whole.endsWith(")")) break;
    }
  }
  return [...tags];
}

/** Title and summary in every language, each text once. */
export function searchedText(event: RegEvent): string {
  const translated = Object.values(event.translations).flatMap(({ title, summary }) => [title, summary]);
  return [...new Set([event.title_en, event.summary_en, ...translated])].join("\n");
}
