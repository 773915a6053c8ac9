// The indexed text of an event: its words, and tags for the other filters.
import { wholesOf } from "../event/article.ts";
import type { RegEvent } from "../event/event.ts";
import { SEVERITIES, severityRank } from "../event/severity.ts";

/** The filters that use tags, and the prefix of each filter's tags. */
const TAG_LETTERS = {
  source: "s",
  severity: "v",
  topic: "p",
  type: "t",
  article: "a",
  language: "l",
} as const;

export type TagKind = keyof typeof TAG_LETTERS;

/** Encodes a tag as one alphanumeric token, which full-text search does not split; `x` is the escape character. */
export function tagOf(kind: TagKind, value: string): string {
  const escape = (sign: string): string =>
    Array.from(new TextEncoder().encode(sign), (byte) => `x${byte.toString(16).padStart(2, "0")}`).join("");
  return TAG_LETTERS[kind] + value.replace(/[^a-wyz0-9]+/g, escape);
}

/**
 * Returns an event's tags. They include the parents of each reference (`Art. 50` for `Art. 50(2)`), and every severity
 * up to the event's own, so that the filter for a minimum severity is one tag. `info` needs none: every event has it.
 */
export function tagsOf(event: RegEvent): string[] {
  const tags = new Set([
    tagOf("source", event.source_id),
    ...SEVERITIES.slice(1, severityRank(event.severity) + 1).map((severity) => tagOf("severity", severity)),
    tagOf("type", event.event_type),
  ]);
  for (const topic of event.topics) tags.add(tagOf("topic", topic));
  for (const language of event.language_versions) tags.add(tagOf("language", language));
  for (const whole of event.ai_act_articles.flatMap(wholesOf)) tags.add(tagOf("article", whole));
  return [...tags];
}

/** Returns the titles and summaries in all languages, separated by line breaks, without duplicates. */
export function searchedText(
  event: Pick<RegEvent, "title_en" | "summary_en" | "translations">,
): string {
  const translated = Object.values(event.translations).flatMap(({ title, summary }) => [title, summary]);
  return [...new Set([event.title_en, event.summary_en, ...translated])].join("\n");
}
