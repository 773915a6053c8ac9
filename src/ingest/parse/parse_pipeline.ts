// Turns the bytes of a document into classified items. Runs in the parse worker, without side effects.
import { formatCount } from "../../domain/format_count.ts";
import type { Reading } from "../../domain/source/extraction_rules.ts";
import { type Classify, classifyRequest } from "../revise/classifier_input.ts";
import { type IdentifiedItem, identifyItems, itemLanguage } from "../identify/identify.ts";
import type { Identity } from "../identify/identity_rule.ts";
import { type NormalisedItem, normaliseItem } from "../normalise/item.ts";
import { MAX_TAG_CHARACTERS } from "../normalise/language.ts";
import { type ParsedDocument, parseDocument, type ParseProblem } from "./document.ts";
import type { Classified } from "../revise/decide_revision.ts";

export const MAX_ITEMS = 20_000;
/** Maximum total length of a document's items in characters. Relative links can repeat a long base URL. */
export const MAX_CHARACTERS = 32 * 1024 * 1024;
const TOO_LONG = `the items of the document have more than ${MAX_CHARACTERS} characters in total`;
/** Maximum number of refused items that are reported individually. */
const MAX_REPORTED = 1_000;

/** A document and the settings of its source, as structured-cloneable values. */
export interface ParseRequest {
  bytes: Uint8Array;
  contentType: string | null;
  /** The URL of the document, or null for a file. */
  url: string | null;
  /** How the items are found, or null for a feed. */
  reading: Reading | null;
  /** IANA time zone of dates that state none. */
  timezone: string;
  baseUrl: string;
  sourceId: string;
  sourceLanguages: readonly string[];
  /** The language of the document if the source has a URL per language; otherwise null. */
  language: string | null;
  identity: Identity;
}

export interface DocumentContents extends Pick<ParsedDocument, "language" | "next" | "ttlMinutes"> {
  problems: ParseProblem[];
  itemCount: number;
  /** The latest date of an item in Unix ms, or null if no item has a date. */
  newestMs: number | null;
  /** The identity of the request, or one with a later rule if it does not distinguish the items. */
  identity: Identity;
  items: IdentifiedItem[];
  /** Items left out because the document has another edition of them that is not older. */
  older: IdentifiedItem[];
  refused: ParseProblem[];
  notes: Map<NormalisedItem, readonly string[]>;
  classified: Map<NormalisedItem, Classified>;
}

/** Parses, normalises, identifies and classifies the items of a document. Throws `DocumentError`. */
export function parseContents(request: ParseRequest, classify: Classify): DocumentContents {
  const { bytes, contentType, url, reading, timezone, baseUrl, sourceId } = request;
  const document = parseDocument(bytes, {
    ...{ contentType, maxItems: MAX_ITEMS, timezone, reading, url },
    mayQuote: url !== null, // a file put in the folder by mistake may be secret
  });
  // The language is stored with every item, so its length is limited.
  const isTag = (document.language?.length ?? 0) <= MAX_TAG_CHARACTERS;
  const language = isTag ? document.language : null;
  const normalised: NormalisedItem[] = [];
  const refused: ParseProblem[] = [];
  const notes: DocumentContents["notes"] = new Map();
  let characters = 0;
  for (const [position, parsed] of document.items.entries()) {
    const outcome = normaliseItem(parsed, { document, documentUrl: url, baseUrl, timezone, position });
    if (!outcome.ok) {
      refused.push({ item: outcome.item, reason: outcome.reason });
      continue;
    }
    const { item } = outcome;
    characters += lengthOf(item);
    if (characters > MAX_CHARACTERS) refused.push({ item: item.title, reason: TOO_LONG });
    else {
      normalised.push(item);
      if (outcome.notes.length > 0) notes.set(item, outcome.notes);
    }
  }
  const { identity, items, older } = identifyItems(normalised, request.identity, request.language);
  const stated = {
    sourceId,
    statedLanguages: statedLanguages(language, request.sourceLanguages),
  };
  const classified = new Map(normalised.map((item) => {
    const own = itemLanguage(item, identity, request.language);
    return [item, everyField(classify(classifyRequest(item, { ...stated, language: own })))];
  }));
  const { problems } = document;
  return {
    language,
    next: document.next,
    ttlMinutes: document.ttlMinutes,
    problems: limited(problems),
    itemCount: document.items.length + problems.filter(({ item }) => item !== "document").length,
    newestMs: newestOf(normalised),
    identity,
    items,
    older,
    refused: limited(refused),
    notes,
    classified,
  };
}

function lengthOf({ guid, link, title, summary, categories }: NormalisedItem): number {
  const ofCategories = categories.reduce((sum, { length }) => sum + length, 0);
  return (guid?.length ?? 0) + link.length + title.length + summary.length + ofCategories;
}

export function statedLanguages(ofDocument: string | null, ofSource: readonly string[]): string[] {
  return [...(ofDocument === null ? [] : [ofDocument]), ...ofSource];
}

/** Reads every field of a classification, because fields are computed lazily and another thread needs them all. */
function everyField(
  { relevant, language, eventType, topics, severity, aiActArticles }: Classified,
): Classified {
  return { relevant, language, eventType, topics, severity, aiActArticles };
}

function newestOf(items: readonly NormalisedItem[]): number | null {
  let newestMs: number | null = null;
  for (const { publishedAtMs, updatedAtMs } of items) {
    const dateMs = updatedAtMs ?? publishedAtMs;
    if (dateMs !== null && dateMs > (newestMs ?? -Infinity)) newestMs = dateMs;
  }
  return newestMs;
}

/** Limits the number of problems with items, but keeps all problems with the document. */
function limited(problems: readonly ParseProblem[]): ParseProblem[] {
  const left = problems.length - MAX_REPORTED;
  if (left <= 0) return [...problems];
  return [
    ...problems.slice(0, MAX_REPORTED),
    {
      item: formatCount(left, "more item"),
      reason: `only the first ${MAX_REPORTED} are listed`,
    },
    ...problems.slice(MAX_REPORTED).filter(({ item }) => item === "document"),
  ];
}
