// Builds the input of the classifier for an item.
import type { NormalisedItem } from "../normalise/item.ts";
import type { Classified } from "./decide_revision.ts";

export interface ClassifyRequest {
  title: string;
  summary: string;
  url: string;
  categories: readonly string[];
  /** The languages stated by the item, the document and the source, most specific first. */
  statedLanguages: readonly string[];
  sourceId: string;
}

/** Classifies one item. Parts of the result may be computed only when they are first read. */
export type Classify = (request: ClassifyRequest) => Classified;

/** Builds the request for an item. `language` is the item's language if the source has several. */
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
