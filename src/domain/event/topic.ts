// The two-level taxonomy of topics. A parent includes its children.

export interface Topic {
  /** The id in kebab-case, which never changes. */
  id: string;
  name_en: string;
  name_de: string;
  name_fr: string;
  /** The id of the parent topic, or null if this is a parent. */
  parent: string | null;
  /** The articles of the AI Act that the topic covers, as canonical references such as `Art. 50`. */
  articles: string[];
}

/** Returns the given topics and their children. Unknown ids are kept. */
export function expandTopics(topics: readonly Topic[], ids: readonly string[]): Set<string> {
  const expanded = new Set(ids);
  for (const topic of topics) {
    if (topic.parent !== null && expanded.has(topic.parent)) expanded.add(topic.id);
  }
  return expanded;
}
