// One source from fetch to record: every document, every item, each with its outcome.
import type { NewId } from "../domain/ids.ts";
import type { Clock } from "../domain/ports.ts";
import type { IdentityRule, SourceSettings, SourceState } from "../domain/source.ts";
import type { RecordDecision, Store, StoredPublication } from "../domain/store.ts";
import { fetchDocuments } from "./fetch.ts";
import {
  type Fetched,
  type FetchedDocument,
  FetchError,
  type FetchOptions,
  type PlannedDocument,
  type ReadDocument,
} from "./fetched.ts";
import { type DocumentOrigin, originOf } from "./origin.ts";
import { type IdentifiedItem, identifyItems } from "./identify.ts";
import { adoptedAddress } from "./move.ts";
import { type NormalisedItem, normaliseItem } from "./normalise/item.ts";
import { DocumentError, parseDocument } from "./parse/document.ts";
import type { PassedOver } from "./passed_over.ts";
import { type Classified, decideRevision, type RevisionContext } from "./revise.ts";
import { createTurns } from "./turns.ts";

/** Items of one document at most. */
export const MAX_ITEMS = 20_000;
/** Publications recorded in one transaction, so that other work gets its turn between two. */
const RECORD_BATCH = 200;
/** Items read between two looks at whether it is somebody else's turn. */
const READ_BATCH = 100;
/** So many dates that move at once, while none stands still, say nothing of the publications. */
const CHURNING_DATES = 3;
const MINUTE_MS = 60_000;

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
  passedOver: PassedOver;
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
  /** What was odd about it. */
  notes: readonly string[];
  /** What the classifier is given of it; made when it is asked for. */
  request(): ClassifyRequest;
  /** A date that moved and does not count is "unchanged". */
  decision: Exclude<RecordDecision, { kind: "redated" }>;
}

/** What a fetch of a source came to. */
export interface ProcessedSource {
  decided: DecidedItem[];
  refused: Refusal[];
  /** For the next fetch, once this one is finished. */
  cursor: string | null;
  identityRule: IdentityRule;
  /**
   * Why the fetch as a whole failed although parts of it were recorded: a later page that could not be had, fewer items
   * than the source's minimum. The cursor is then of no use.
   */
  failure: FetchError | null;
  /** Until when the source says that it stays as it is, Unix ms; null where it says nothing. */
  freshUntilMs: number | null;
  /** Where the source's address says that it has moved for good; null when it does not. */
  movedTo: string | null;
}

/** How much of the work is kept: all of it, or nothing (a dry run, which also reads what has not changed). */
export type ProcessMode = "record" | "preview";

/**
 * Fetches the source and deals with each item. Throws {@link FetchError} when its first document cannot be had or read;
 * a file of a folder that cannot is refused, and its neighbours are not kept from anything by it.
 */
export async function processSource(
  source: SourceSettings,
  state: SourceState,
  mode: ProcessMode,
  options: ProcessOptions,
): Promise<ProcessedSource> {
  const cursor = mode === "record" ? state.cursor : null;
  const fetched = await fetchDocuments(source, {
    cursor,
    movedTo: adoptedAddress(state.move, source.location),
  }, options);
  const result: ProcessedSource = {
    decided: [],
    refused: [],
    cursor: null,
    identityRule: state.identityRule,
    failure: null,
    freshUntilMs: null,
    movedTo: null,
  };
  for (const { name, reason } of fetched.unreadable) result.refused.push({ item: name, reason });
  const run: DocumentRun = { source, state, mode, options, result, pause: createTurns(options.clock) };
  const outcome = await processDocuments(fetched, run);
  for (const { name, reason } of fetched.leftOut?.() ?? []) result.refused.push({ item: name, reason });
  if (result.failure === null && outcome.isShort) {
    const least = source.minItems ?? 0;
    const found = outcome.items === 0 ? "no item" : `only ${outcome.items} of at least ${least} items`;
    const reason = `has ${found}: the address or the rules may no longer fit the page`;
    result.failure = new FetchError(reason, { state: "empty" });
  }
  return {
    ...result,
    cursor: fetched.cursor(outcome),
    freshUntilMs: freshUntil(fetched, outcome, options.clock.nowMs()),
    movedTo: fetched.movedTo,
  };
}

/** The later of what the answer and the document itself say. */
function freshUntil(fetched: Fetched, { ttlMinutes }: DocumentsOutcome, nowMs: number): number | null {
  const statedMs = ttlMinutes === null ? 0 : nowMs + ttlMinutes * MINUTE_MS;
  return Math.max(fetched.freshUntilMs ?? 0, statedMs) || null;
}

/** What became of the documents of a fetch. */
interface DocumentsOutcome {
  /** Whether no document as a whole had a fault. */
  isWhole: boolean;
  refused: ReadonlySet<string>;
  items: number;
  /** Whether documents were read and held fewer items than the source's minimum. */
  isShort: boolean;
  /** For how many minutes the documents say that they stay as they are; null where they say nothing. */
  ttlMinutes: number | null;
}

async function processDocuments(fetched: Fetched, run: DocumentRun): Promise<DocumentsOutcome> {
  const { source, result } = run;
  const queue: PlannedDocument[] = [...fetched.documents];
  const refused = new Set<string>();
  let isWhole = true;
  let documents = 0;
  let items = 0;
  let ttlMinutes: number | null = null;
  for (let place = 0; place < queue.length && result.failure === null; place++) {
    const planned = queue[place] as PlannedDocument;
    try {
      const document = await planned.read();
      const read = document === null ? UNCHANGED : await processDocument(document, planned, run);
      if (document !== null) documents++;
      items += read.items;
      ttlMinutes = read.ttlMinutes ?? ttlMinutes;
      if (!read.isWhole) isWhole = false;
      if (fetched.following !== undefined) queue.push(...fetched.following(read));
    } catch (error) {
      if (!(error instanceof DocumentError) && !(error instanceof FetchError)) throw error;
      if (planned.onFailure === "fail") {
        const failure = error instanceof FetchError ? error : new FetchError(error.message);
        if (place === 0) throw failure;
        result.failure = failure;
      } else {
        result.refused.push({ item: planned.name, reason: error.message });
        refused.add(planned.name);
      }
    }
    await run.pause();
  }
  return { isWhole, refused, items, isShort: documents > 0 && items < (source.minItems ?? 0), ttlMinutes };
}

type DealtWith = ReadDocument & { isWhole: boolean; ttlMinutes: number | null };

const UNCHANGED: DealtWith = {
  document: null,
  next: null,
  keys: [],
  items: 0,
  isKnown: true,
  isWhole: true,
  ttlMinutes: null,
};

interface DocumentRun {
  source: SourceSettings;
  state: SourceState;
  mode: ProcessMode;
  options: ProcessOptions;
  result: ProcessedSource;
  /** Gives other work its turn when it is time. */
  pause(): Promise<void>;
}

/** What the items of one document share. */
interface SharedOrigin {
  /** What the document and the source's settings state, the more specific first. */
  statedLanguages: readonly string[];
  origin: DocumentOrigin;
  /** What was odd about an item, where something was. */
  notes: ReadonlyMap<NormalisedItem, readonly string[]>;
}

/** Deals with every item of a document. It is not whole when it as a whole has a fault: it breaks off, it is too long. */
async function processDocument(
  document: FetchedDocument,
  { reading }: Pick<PlannedDocument, "reading">,
  run: DocumentRun,
): Promise<DealtWith> {
  const { source, result } = run;
  const { contentType, url } = document;
  const parsed = parseDocument(document.bytes, { contentType, maxItems: MAX_ITEMS, reading, url });
  const decidedBefore = result.decided.length;
  result.refused.push(...parsed.problems);
  await run.pause();
  const items: NormalisedItem[] = [];
  const notes = new Map<NormalisedItem, readonly string[]>();
  for (const [position, item] of parsed.items.entries()) {
    const outcome = normaliseItem(item, {
      document: parsed,
      documentUrl: document.url,
      baseUrl: source.baseUrl,
      timezone: source.timezone,
      position,
    });
    if (!outcome.ok) {
      result.refused.push({ item: outcome.item, reason: outcome.reason });
    } else {
      items.push(outcome.item);
      if (outcome.notes.length > 0) notes.set(outcome.item, outcome.notes);
    }
    if (position % READ_BATCH === 0) await run.pause();
  }
  const identified = identifyItems(items, result.identityRule);
  result.identityRule = identified.rule;
  for (const older of identified.older) {
    result.refused.push({ item: older.title, reason: "the same document holds a newer edition of it" });
  }
  const statedLanguages = [...(parsed.language === null ? [] : [parsed.language]), ...source.languages];
  await run.pause();
  await decideAll(identified.items, { statedLanguages, origin: originOf(document), notes }, run);
  return {
    document,
    next: parsed.next,
    keys: identified.items.map(({ key }) => key),
    items: parsed.items.length + parsed.problems.filter(({ item }) => item !== "document").length,
    isKnown: result.decided.slice(decidedBefore).every(({ decision }) => decision.kind !== "record"),
    isWhole: !parsed.problems.some(({ item }) => item === "document"),
    ttlMinutes: parsed.ttlMinutes,
  };
}

/**
 * Decides on the items of one document. Dates that moved wait until all of it has been seen: where at least
 * {@link CHURNING_DATES} moved and no stored item is as it was (the feed dates everything "now", the source's time zone
 * was edited), they are no revisions, whatever else has changed.
 */
async function decideAll(
  identified: readonly IdentifiedItem[],
  shared: SharedOrigin,
  run: DocumentRun,
): Promise<void> {
  const requestOf = (one: IdentifiedItem): ClassifyRequest => classifyRequest(one, shared, run);
  const context = revisionContext(identified, { requestOf, origin: shared.origin }, run);
  const decideOne = (one: IdentifiedItem, stored: StoredPublication | null): RecordDecision => {
    if (stored !== null || context.keepAll) return decideRevision(one, stored, context);
    const name = nameRequest(one, requestOf(one));
    if (run.options.passedOver.has(name)) return { kind: "passed_over" };
    const decision = decideRevision(one, stored, context);
    if (decision.kind === "passed_over") run.options.passedOver.add(name);
    return decision;
  };
  const decisions = new Map<IdentifiedItem, DecidedItem["decision"]>();
  const redated: IdentifiedItem[] = [];
  const recorded = new Set<string>();
  let isChurn = true;
  await recordBatches(identified, run, (one, stored) => {
    const decision = decideOne(one, stored);
    if (decision.kind === "redated") {
      redated.push(one);
      return { kind: "passed_over" };
    }
    if (decision.kind === "record") recorded.add(decision.event.external_id);
    // An item that repeats a new one under another id does not show that a date stands still.
    if (decision.kind === "unchanged" && !recorded.has(stored?.externalId ?? "")) isChurn = false;
    decisions.set(one, decision);
    return decision;
  });
  if (redated.length < CHURNING_DATES) isChurn = false;
  await recordBatches(redated, run, (one, stored) => {
    const decision = isChurn ? null : decideRevision(one, stored, { ...context, datesCount: true });
    const isRevision = decision !== null && decision.kind !== "redated";
    decisions.set(one, isRevision ? decision : { kind: "unchanged" });
    return decision ?? { kind: "redated" };
  });
  for (const one of identified) {
    const decision = decisions.get(one);
    if (decision === undefined) throw new Error(`the store decided nothing on ${one.key}`);
    const notes = shared.notes.get(one.item) ?? [];
    run.result.decided.push({ item: one.item, notes, request: () => requestOf(one), decision });
  }
}

/** What the classifier is given, in short: the rules stay as they are while the process runs, and so does its answer. */
function nameRequest(
  { contentHash }: IdentifiedItem,
  { sourceId, categories, statedLanguages }: ClassifyRequest,
): string {
  return [sourceId, contentHash, ...statedLanguages, "", ...categories].join("\n");
}

async function recordBatches(
  identified: readonly IdentifiedItem[],
  { source, mode, options, pause }: DocumentRun,
  decide: (one: IdentifiedItem, stored: StoredPublication | null) => RecordDecision,
): Promise<void> {
  const record = mode === "record" ? options.store.recordPublications : options.store.previewPublications;
  for (let start = 0; start < identified.length; start += RECORD_BATCH) {
    await record(source.id, identified.slice(start, start + RECORD_BATCH), decide);
    await pause();
  }
}

function classifyRequest(
  { item }: IdentifiedItem,
  { statedLanguages }: Pick<SharedOrigin, "statedLanguages">,
  { source }: DocumentRun,
): ClassifyRequest {
  return {
    title: item.title,
    summary: item.summary,
    url: item.link,
    categories: item.categories,
    statedLanguages: [...new Set([...item.language === null ? [] : [item.language], ...statedLanguages])],
    sourceId: source.id,
  };
}

function revisionContext(
  identified: readonly IdentifiedItem[],
  { requestOf, origin }: { requestOf(one: IdentifiedItem): ClassifyRequest; origin: DocumentOrigin },
  { source, state, options }: DocumentRun,
): RevisionContext {
  return {
    sourceId: source.id,
    keepAll: source.relevance === "all",
    notify: state.firstSuccessAtMs !== null || source.notifyFirstFetch,
    nowMs: options.clock.nowMs(),
    keys: new Set(identified.map(({ key }) => key)),
    datesCount: false,
    newEventId: () => options.newId("event"),
    classify: (one) => options.classify(requestOf(one)),
    provenance: (one) => {
      const request = requestOf(one);
      return {
        rules_version: options.rulesVersion,
        categories: [...request.categories],
        stated_languages: [...request.statedLanguages],
        ...origin,
      };
    },
  };
}
