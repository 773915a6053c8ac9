// One source from fetch to record: every document, every item, each with its outcome.
import type { NewId } from "../domain/ids.ts";
import type { Clock } from "../domain/ports.ts";
import type { IdentityRule, SourceSettings, SourceState } from "../domain/source.ts";
import type { RecordDecision, Store } from "../domain/store.ts";
import { fetchDocuments, type FetchedDocument, FetchError, type FetchOptions } from "./fetch.ts";
import { type DocumentOrigin, originOf } from "./origin.ts";
import { type IdentifiedItem, identifyItems } from "./identify.ts";
import { type NormalisedItem, normaliseItem } from "./normalise/item.ts";
import { DocumentError, parseDocument } from "./parse/document.ts";
import { type Classified, decideRevision } from "./revise.ts";

/** Items of one document at most. */
export const MAX_ITEMS = 20_000;
/** Publications recorded in one transaction, so that other work gets its turn between two. */
const RECORD_BATCH = 200;

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

/** What processing a source needs. */
export interface ProcessOptions extends FetchOptions {
  store: Pick<Store, "recordPublications" | "previewPublications">;
  clock: Clock;
  newId: NewId;
  classify(request: ClassifyRequest): Classified;
  /** The version of the classifier's rules. */
  rulesVersion: string;
}

/** An item or a document that was not taken, and why. */
export interface Refusal {
  /** Its title, id, file name or position. */
  item: string;
  reason: string;
}

/** An item with what became of it. */
export interface DecidedItem {
  item: NormalisedItem;
  /** What the classifier is given of it; made when it is asked for. */
  request(): ClassifyRequest;
  decision: RecordDecision;
}

/** What a fetch of a source came to. */
export interface ProcessedSource {
  decided: DecidedItem[];
  refused: Refusal[];
  /** For the next fetch, once this one is finished. */
  cursor: string | null;
  identityRule: IdentityRule;
}

/** How much of the work is kept: all of it, or nothing (a dry run, which also reads what has not changed). */
export type ProcessMode = "record" | "preview";

/** Fetches the source and deals with each item. Throws {@link FetchError} when nothing could be read. */
export async function processSource(
  source: SourceSettings,
  state: SourceState,
  mode: ProcessMode,
  options: ProcessOptions,
): Promise<ProcessedSource> {
  const fetched = await fetchDocuments(source, mode === "record" ? state.cursor : null, options);
  const result: ProcessedSource = {
    decided: [],
    refused: [],
    cursor: null,
    identityRule: state.identityRule,
  };
  const unfinished = new Set<string>();
  let read = 0;
  let failure: FetchError | null = null;
  for (const { name, read: readOne } of fetched.documents) {
    try {
      const document = await readOne();
      const isWhole = await processDocument(document, { source, state, mode, options, result });
      if (!isWhole) unfinished.add(name);
      read++;
    } catch (error) {
      if (!(error instanceof DocumentError) && !(error instanceof FetchError)) throw error;
      if (error instanceof FetchError) unfinished.add(name);
      failure = new FetchError(error.message);
      result.refused.push({ item: name, reason: error.message });
    }
  }
  // A feed that is no feed is a failure of its source; one bad file of a folder is not.
  if (failure !== null && read === 0) throw failure;
  return { ...result, cursor: fetched.cursor(unfinished) };
}

interface DocumentRun {
  source: SourceSettings;
  state: SourceState;
  mode: ProcessMode;
  options: ProcessOptions;
  result: ProcessedSource;
}

/** Deals with every item of a document; false when the document as a whole has a fault: it breaks off, it is too long. */
async function processDocument(document: FetchedDocument, run: DocumentRun): Promise<boolean> {
  const { source, result } = run;
  const parsed = parseDocument(document.bytes, { contentType: document.contentType, maxItems: MAX_ITEMS });
  result.refused.push(...parsed.problems);
  const items: NormalisedItem[] = [];
  for (const [position, item] of parsed.items.entries()) {
    const outcome = normaliseItem(item, {
      document: parsed,
      documentUrl: document.url,
      baseUrl: source.baseUrl,
      timezone: source.timezone,
      position,
    });
    if (outcome.ok) items.push(outcome.item);
    else result.refused.push({ item: outcome.item, reason: outcome.reason });
  }
  const identified = identifyItems(items, result.identityRule);
  result.identityRule = identified.rule;
  for (const older of identified.older) {
    result.refused.push({ item: older.title, reason: "the same document holds a newer edition of it" });
  }
  const statedLanguages = [...(parsed.language === null ? [] : [parsed.language]), ...source.languages];
  await decideAll(identified.items, { statedLanguages, origin: originOf(document) }, run);
  return !parsed.problems.some(({ item }) => item === "document");
}

async function decideAll(
  identified: readonly IdentifiedItem[],
  { statedLanguages, origin }: { statedLanguages: readonly string[]; origin: DocumentOrigin },
  { source, state, mode, options, result }: DocumentRun,
): Promise<void> {
  const nowMs = options.clock.nowMs();
  const requestOf = ({ item }: IdentifiedItem): ClassifyRequest => ({
    title: item.title,
    summary: item.summary,
    url: item.link,
    categories: item.categories,
    statedLanguages: [...new Set([...item.language === null ? [] : [item.language], ...statedLanguages])],
    sourceId: source.id,
  });
  const context = {
    sourceId: source.id,
    keepAll: source.relevance === "all",
    notify: state.firstSuccessAtMs !== null || source.notifyFirstFetch,
    nowMs,
    newEventId: () => options.newId("event"),
    classify: (item: IdentifiedItem) => options.classify(requestOf(item)),
    provenance: (item: IdentifiedItem) => {
      const request = requestOf(item);
      return {
        rules_version: options.rulesVersion,
        categories: [...request.categories],
        stated_languages: [...request.statedLanguages],
        ...origin,
      };
    },
  };
  const decide = mode === "record" ? options.store.recordPublications : options.store.previewPublications;
  for (let start = 0; start < identified.length; start += RECORD_BATCH) {
    const batch = identified.slice(start, start + RECORD_BATCH);
    const decisions = await decide(source.id, batch, (item, stored) => decideRevision(item, stored, context));
    batch.forEach((one, index) => {
      const decision = decisions[index];
      if (decision !== undefined) {
        result.decided.push({ item: one.item, request: () => requestOf(one), decision });
      }
    });
  }
}
