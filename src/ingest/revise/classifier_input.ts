// The input of the classifier for an item.
import type { NormalisedItem } from "../normalise/item.ts";
import type { Classified } from "./decide_revision.ts";

export interface ClassifyRequest {
  title: string;
  summary: string;
  url: string;
  categories: readonly string[];
  /** The languages that item, document and source state, the most specific first. */
  statedLanguages: readonly string[];
  sourceId: string;
}

/** Classifies one item; parts of the result may be computed when they are first read. */
export type Classify = (request: ClassifyRequest) => Classified;

/** The request for an item: `language` is its own where the source has several; `statedLanguages` are the source's. */
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
    statedLanguages: [...new Set([language ?? null, item.language, ...statedLanguages])]
      .filter((code) => code !== null),
    sourceId,
  };
}
