// Topics of the taxonomy: two levels, a parent includes its children.

export interface Topic {
  /** Kebab-case, stable. */
  id: string;
  name_en: string;
  name_de: string;
  name_fr: string;
  /** The id of the parent topic, null for a parent. */
  parent: string | null;
  /** Articles of the AI Act that the topic covers, as bare numbers ("50", "75a"). */
  articles: string[];
}

/** The given topics and their children; unknown ids are kept. */
export function expandTopics(topics: readonly Topic[], ids: readonly string[]): Set<string> {
  const expanded = new Set(ids);
  for (const topic of topics) {
    if (topic.parent !== null && expanded.has(topic.parent)) expanded.add(topic.id);
  }
  return expanded;
}
