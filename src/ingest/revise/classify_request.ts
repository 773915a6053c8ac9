// What the classifier is asked about an item.
import type { NormalisedItem } from "../normalise/item.ts";
import type { Classified } from "./revise.ts";

/** What the classifier is given. */
export interface ClassifyRequest {
  title: string;
  summary: string;
  url: string;
  categories: readonly string[];
  /** What item, document and source state of the language, the most specific first. */
  statedLanguages: readonly string[];
  sourceId: string;
}

/** Classifies one item; each part of the answer may be made when it is first read. */
export type Classify = (request: ClassifyRequest) => Classified;

/**
 * The question about an item: `language` is the one that it is identified by, where its source has several;
 * `statedLanguages` is what its document and its source state.
 */
export function classifyRequest(
  item: NormalisedItem,
  { language, statedLanguages, sourceId }: {
    language?: string | undefined;
    statedLanguages: readonly string[];
    sourceId: string;
  },
): ClassifyRequest {
  return {
    title: item.title,
    summary: item.summary,
    url: item.link,
    categories: item.categories,
    statedLanguages: eachOnce([language ?? null, item.language, ...statedLanguages]),
    sourceId,
  };
}

/** The codes that there are, in their order. */
function eachOnce(codes: readonly (string | null)[]): string[] {
  const once: string[] = [];
  for (const code of codes) if (code !== null && !once.includes(code)) once.push(code);
  return once;
}
