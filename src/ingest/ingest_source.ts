// One source from fetch to record: every document, every item, each with its outcome.
import type { SourceSettings, SourceState } from "../domain/source/source.ts";
import { NO_TRACER } from "../domain/ports/tracer.ts";
import { decideAll } from "./revise/decide.ts";
import { fetchDocuments } from "./fetch/fetch.ts";
import {
  type Fetched,
  type FetchedDocument,
  FetchError,
  type FetchOptions,
  type PlannedDocument,
  type ReadDocument,
} from "./fetch/fetch_types.ts";
import { laterOf } from "./schedule/freshness.ts";
import type { FailedPart } from "./partial_failures.ts";
import { type Identity, identityOf } from "./identify/identity_rule.ts";
import { fingerprintOf, NO_FINGERPRINTS, recount, repeatResult } from "./fetch/document_fingerprints.ts";
import { isShort, ItemCounts, shortLanguages, shortReason } from "./min_items.ts";
import { originOf } from "./fetch/document_origin.ts";
import { type ParseRequest, statedLanguages } from "./parse/parse_pipeline.ts";
import { DocumentError } from "./parse/document.ts";
import { createDryRunStore } from "./record/dry_run_store.ts";
import { Throttle } from "./fetch/host_circuit_breaker.ts";
import { LanguageMerge } from "./revise/merge_languages.ts";
import { recordMergedLanguages } from "./record/record_together.ts";
import { createYield } from "./yield_to_event_loop.ts";
import type { DecidedItem, IngestResult } from "./model.ts";
import type { DocumentRun, SourceIngestMode, SourceIngestOptions } from "./document_run.ts";

/** Why an item is refused that the document holds in a newer edition: the publication is there all the same. */
const OLDER_EDITION = "the same document contains a newer version of it";

/**
 * Fetches the source and deals with each item. Throws {@link FetchError} when its first document cannot be had or read;
 * a file of a folder that cannot is refused, and its neighbours are not kept from anything by it.
 */
export async function ingestSource(
  source: SourceSettings,
  state: SourceState,
  mode: SourceIngestMode,
  options: SourceIngestOptions,
): Promise<IngestResult> {
  const cursor = mode === "record" ? state.cursor : null;
  const looks = mode === "record" ? options.fingerprints.take(state) : NO_FINGERPRINTS;
  const throttle = new Throttle();
  const parser = options.createParser({ timeoutMs: source.parseTimeoutMs, signal: options.signal });
  const known = { cursor, moves: state.moves, fingerprintOf: (name: string) => looks.get(name) };
  const fetched = await fetchDocuments(source, known, {
    ...options,
    ...throttled(throttle, options),
    parser,
  });
  const result = nothingProcessed(identityOf(source, state));
  for (const { name, reason, isItem } of fetched.unreadable) {
    if (isItem) result.refused.push({ item: name, reason });
    else notePartialFailure(result, { part: name, reason });
  }
  for (const { name, fingerprint: look } of fetched.repeated ?? []) repeatResult(result, name, look);
  const { store } = options;
  const rehearsed = mode === "record"
    ? options
    : { ...options, store: { ...store, previewPublications: createDryRunStore(store) } };
  const run: DocumentRun = {
    ...{ source, state, mode, result, parser, options: rehearsed },
    together: result.identity.languages === null ? null : new LanguageMerge(result.identity.languages),
    pause: createYield(options.clock),
  };
  const outcome = await processDocuments(fetched, run);
  for (const { name, reason } of fetched.leftOut?.() ?? []) {
    notePartialFailure(result, { part: name, reason });
  }
  const isCutShort = result.failure === null && throttle.refusal !== null;
  if (isCutShort) result.failure = throttle.refusal;
  for (const gap of shortLanguages(source, outcome.counts, state.gaps)) notePartialFailure(result, gap);
  if (result.failure === null && isShort(source, outcome.counts)) {
    const reason = shortReason(outcome.counts.items, source.minItems ?? 0);
    result.failure = new FetchError(reason, { state: "empty" });
  }
  // What is new in one language may stand in the document of another since long: that one is read once more.
  const isNew = ({ decision }: DecidedItem) => decision.kind === "record" && decision.event.version === 1;
  if (source.urls !== undefined && result.decided.some(isNew)) result.needsConfirmation = true;
  const { isWhole, refused } = outcome;
  // What is gone shows only where every language is read at once: the next time none may say that it is unchanged.
  const isReadInPart = result.origin !== null && (!result.isComplete || refused.size > 0);
  if (source.urls !== undefined && source.removals === true && isReadInPart) result.needsConfirmation = true;
  result.isCutShort = isCutShort;
  if (
    fetched.isUnchanged || !isWhole || result.failure !== null ||
    result.refused.some(({ reason }) => reason !== OLDER_EDITION)
  ) {
    result.isComplete = false;
  }
  return {
    ...result,
    notes: [...fetched.notes?.() ?? [], ...result.notes],
    progress: fetched.progress?.() ?? null,
    goesOn: fetched.goesOn?.() ?? false,
    cursor: fetched.cursor({
      isWhole: isWhole && !result.needsConfirmation,
      refused,
      ttlMinutes: outcome.ttlMinutes,
    }),
    freshUntilMs: laterOf(fetched.freshUntilMs, outcome.ttlMinutes, options.clock.nowMs()),
    redirects: fetched.redirects(refused),
  };
}

/** What keeps a host that refuses or throttles from being asked further. */
function throttled(
  throttle: Throttle,
  { pace }: SourceIngestOptions,
): Pick<FetchOptions, "pace" | "noteResponse"> {
  return {
    pace: async (host, signal) => {
      throttle.check(host);
      await pace(host, signal);
    },
    noteResponse: (host, error) => throttle.note(host, error),
  };
}

/** What a fetch came to before anything of it was dealt with. */
function nothingProcessed(identity: Identity): IngestResult {
  return {
    decided: [],
    refused: [],
    repeated: { unchanged: 0, irrelevant: 0 },
    fingerprints: new Map(),
    partialFailures: [],
    notes: [],
    cursor: null,
    identity,
    seen: new Set(),
    needsConfirmation: false,
    origin: null,
    isComplete: true,
    failure: null,
    isCutShort: false,
    progress: null,
    goesOn: false,
    freshUntilMs: null,
    redirects: [],
  };
}

/** What became of the documents of a fetch. */
interface DocumentsResult {
  /** Whether no document as a whole had a fault. */
  isWhole: boolean;
  refused: ReadonlySet<string>;
  /** Of the documents that were read. */
  counts: ItemCounts;
  /** For how many minutes the documents say that they stay as they are; null where they say nothing. */
  ttlMinutes: number | null;
}

async function processDocuments(fetched: Fetched, run: DocumentRun): Promise<DocumentsResult> {
  const { source, result, options: { tracer = NO_TRACER } } = run;
  const queue: PlannedDocument[] = [...fetched.documents];
  const refused = new Set<string>();
  let isWhole = true;
  const counts = new ItemCounts();
  let ttlMinutes: number | null = null;
  for (let place = 0; place < queue.length && result.failure === null; place++) {
    const planned = queue[place] as PlannedDocument;
    run.options.signal.throwIfAborted();
    try {
      const document = await tracer.act("fetch document", { source: source.id }, () => planned.read());
      if (document !== null) run.options.onDocument?.(document);
      const read = document === null ? UNCHANGED : await traceDocument(document, planned, run);
      if (document !== null) counts.add(planned.language ?? null, read.items);
      else if (planned.isEmptyIfNull !== true) result.isComplete = false;
      ttlMinutes = read.ttlMinutes ?? ttlMinutes;
      if (!read.isWhole) isWhole = false;
      if (fetched.following !== undefined) queue.push(...fetched.following(read, planned));
    } catch (error) {
      if (!(error instanceof DocumentError) && !(error instanceof FetchError)) throw error;
      if (planned.onFailure === "fail") {
        const failure = error instanceof FetchError ? error : new FetchError(error.message);
        if (place === 0) throw failure;
        result.failure = new FetchError(`${planned.name}: ${failure.message}`, failure);
      } else {
        if (isItemAlone(error, planned)) result.refused.push({ item: planned.name, reason: error.message });
        else notePartialFailure(result, { part: planned.name, reason: error.message });
        refused.add(planned.name);
      }
    }
    await run.pause();
  }
  await recordMergedLanguages(run);
  return { isWhole, refused, counts, ttlMinutes };
}

/** A part of a source that could not be had is told of like an item, and kept as a gap. */
function notePartialFailure(result: IngestResult, { part, reason }: FailedPart): void {
  result.refused.push({ item: part, reason });
  result.partialFailures.push({ part, reason });
}

/** Whether a page of a site is missing by itself: it is gone, or no page. One that the site fails to give is a gap. */
function isItemAlone(error: DocumentError | FetchError, { reading }: PlannedDocument): boolean {
  if (reading?.kind !== "page") return false;
  return error instanceof DocumentError || error.status === 404 || error.status === 410;
}

type DealtWith = ReadDocument & { isWhole: boolean; ttlMinutes: number | null };

const UNCHANGED: DealtWith = {
  document: null,
  next: null,
  keys: [],
  items: 0,
  isKnown: true,
  newestMs: null,
  isWhole: true,
  ttlMinutes: null,
};

/** {@link processDocument} as a trace has it. */
function traceDocument(
  document: FetchedDocument,
  planned: PlannedDocument,
  run: DocumentRun,
): Promise<DealtWith> {
  const { source, options: { tracer = NO_TRACER } } = run;
  const attributes = { source: source.id, bytes: document.bytes.length };
  return tracer.act("ingest document", attributes, async (span) => {
    const read = await processDocument(document, planned, run);
    span.set({ items: read.items });
    return read;
  });
}

function parseRequest(
  { bytes, contentType, url }: FetchedDocument,
  { reading, language }: { reading: PlannedDocument["reading"]; language: string | undefined },
  { source, result }: DocumentRun,
): ParseRequest {
  return {
    ...{ bytes, contentType, url, reading, language: language ?? null },
    ...{ timezone: source.timezone, baseUrl: source.baseUrl },
    ...{ sourceId: source.id, sourceLanguages: source.languages, identity: result.identity },
  };
}

/** Deals with every item of a document. It is not whole when it as a whole has a fault: it breaks off, it is too long. */
async function processDocument(
  document: FetchedDocument,
  { name, reading, language, isAlone = false }: PlannedDocument,
  run: DocumentRun,
): Promise<DealtWith> {
  const { source, result } = run;
  const { isReread = false } = document;
  const contents = await run.parser.parse(parseRequest(document, { reading, language }, run));
  const { items, notes, classified } = contents;
  const [decidedBefore, refusedBefore] = [result.decided.length, result.refused.length];
  for (const { item, reason, isMeant } of contents.problems) {
    result.refused.push({ item, reason });
    // A page is one item: what it is without, it is without by itself.
    if (item === "document" && !isMeant && reading?.kind !== "page") {
      result.partialFailures.push({ part: name, reason });
    }
  }
  result.refused.push(...contents.refused);
  result.identity = contents.identity;
  await run.pause();
  const origin = originOf(document);
  result.origin = origin;
  await decideAll(
    items,
    {
      statedLanguages: statedLanguages(contents.language, source.languages),
      ...{ origin, notes, classified, isReread },
      language: language ?? null,
    },
    run,
  );
  // Which of two editions stands for a publication is known only now.
  for (const { item } of contents.older) result.refused.push({ item: item.title, reason: OLDER_EDITION });
  const decided = result.decided.slice(decidedBefore);
  const refused = result.refused.slice(refusedBefore);
  if (isAlone) {
    result.fingerprints.set(name, fingerprintOf(document, reading, { decided, refused }));
    run.together?.onRecorded(() => recount(result.fingerprints, name, decided));
  }
  return {
    document,
    next: contents.next,
    keys: items.map(({ key }) => key),
    items: contents.itemCount,
    isKnown: decided.every(({ decision: { kind } }) => kind !== "record" && kind !== "translated"),
    newestMs: contents.newestMs,
    isWhole: !contents.problems.some(({ item }) => item === "document"),
    ttlMinutes: contents.ttlMinutes,
  };
}
