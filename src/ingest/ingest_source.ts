// Ingests one source: fetches and parses its documents, decides what to do with each item, and records the decisions.
import type { SourceSettings, SourceState } from "../domain/source/source.ts";
import { NO_TRACER } from "../domain/ports/tracer.ts";
import { decideDocument } from "./revise/decide_document.ts";
import { fetchDocuments } from "./fetch/fetch.ts";
import {
  type DocumentFingerprint,
  type Fetched,
  type FetchedDocument,
  FetchError,
  type PlannedDocument,
  type ReadDocument,
} from "./fetch/fetch_types.ts";
import { laterOf } from "./schedule/freshness.ts";
import { type Identity, identityOf } from "./identify/identity_rule.ts";
import { fingerprintOf, NO_FINGERPRINTS } from "./fetch/document_fingerprints.ts";
import { isShort, type ItemCounts, shortLanguages, shortReason } from "./min_items.ts";
import { originOf } from "./fetch/document_provenance.ts";
import { type DocumentContents, statedLanguages } from "./parse/parse_pipeline.ts";
import { DocumentError } from "./parse/document.ts";
import { createDryRunStore } from "./record/dry_run_store.ts";
import { HostCircuitBreaker } from "./fetch/host_circuit_breaker.ts";
import { LanguageMerge } from "./revise/merge_languages.ts";
import { recordMergedLanguages } from "./record/record_languages.ts";
import { createYield } from "./yield_to_event_loop.ts";
import type { DocumentResult, IngestResult } from "./model.ts";
import type { DocumentRun, SourceIngestMode, SourceIngestOptions } from "./run_context.ts";

const OLDER_EDITION = "the same document contains another version, which is used instead";

/** Fetches the source and records its items. Throws {@link FetchError} if the first document cannot be read. */
export async function ingestSource(
  source: SourceSettings,
  state: SourceState,
  mode: SourceIngestMode,
  options: SourceIngestOptions,
): Promise<IngestResult> {
  const identity = identityOf(source, state);
  const previewPublications = createDryRunStore(options.store);
  const run: DocumentRun = {
    ...{ source, state, mode, identity },
    parser: options.createParser({ timeoutMs: source.parseTimeoutMs, signal: options.signal }),
    options: mode === "record" ? options : { ...options, store: { ...options.store, previewPublications } },
    languageMerge: identity.languages === null ? null : new LanguageMerge(identity.languages),
    pause: createYield(options.clock),
  };
  const breaker = new HostCircuitBreaker();
  const fetched = await fetchFor(run, breaker);
  const read = await ingestDocuments(fetched, run);
  const { decisions, seen } = await recordMergedLanguages(run);
  const documents = read.documents.map((document) => ({
    ...document,
    decided: document.decided.map((one) => ({ ...one, ...decisions.get(one.item) })),
  }));
  return combine({ run, fetched, read: { ...read, documents }, seenMerged: seen, refusal: breaker.refusal });
}

/** Fetches the changed documents, or all documents in a dry run. */
async function fetchFor(
  { source, state, mode, options, parser }: DocumentRun,
  breaker: HostCircuitBreaker,
): Promise<Fetched> {
  const isRecord = mode === "record";
  const fingerprints = isRecord ? options.fingerprints.take(state) : NO_FINGERPRINTS;
  const known = {
    cursor: isRecord ? state.cursor : null,
    moves: state.moves,
    fingerprintOf: (name: string) => fingerprints.get(name),
  };
  return await fetchDocuments(source, known, {
    ...options,
    parser,
    // Stops requests to a host that has refused or throttled this fetch.
    pace: async (host, signal) => {
      breaker.check(host);
      await options.pace(host, signal);
    },
    noteResponse: (host, error) => breaker.note(host, error),
  });
}

interface DocumentsResult {
  documents: readonly DocumentResult[];
  /** The identity rules in effect after the last document. */
  identity: Identity;
  /** Whether every document was complete. */
  isWhole: boolean;
  /** False if a planned document was skipped because it had not changed. */
  isAllRead: boolean;
  /** The names of the documents that could not be fetched or read. */
  refused: ReadonlySet<string>;
  counts: ItemCounts;
  /** The last ttl that a document states, in minutes, or null if none states one. */
  ttlMinutes: number | null;
  /** The failure that ended the fetch after its first document, or null if there was none. */
  failure: FetchError | null;
}

/** Ingests the planned documents and those to which they lead, such as further pages, one at a time. */
async function ingestDocuments(fetched: Fetched, run: DocumentRun): Promise<DocumentsResult> {
  const { source, options: { tracer = NO_TRACER, signal, onDocument } } = run;
  const queue: PlannedDocument[] = [...fetched.documents];
  const documents: DocumentResult[] = [];
  const refused = new Set<string>();
  const counts: ItemCounts = new Map();
  let { identity } = run;
  let isWhole = true;
  let isAllRead = true;
  let ttlMinutes: number | null = null;
  let failure: FetchError | null = null;
  for (let at = 0; at < queue.length && failure === null; at++) {
    const planned = queue[at] as PlannedDocument;
    signal.throwIfAborted();
    try {
      const document = await tracer.act("fetch document", { source: source.id }, () => planned.read());
      let read = UNCHANGED;
      if (document === null) isAllRead &&= planned.isEmptyIfNull === true;
      else {
        onDocument?.(document);
        const ingested = await ingestDocument(document, planned, { ...run, identity });
        read = ingested.read;
        documents.push(ingested.result);
        identity = ingested.result.identity;
        const language = planned.language ?? null;
        counts.set(language, (counts.get(language) ?? 0) + read.items);
        ttlMinutes = ingested.ttlMinutes ?? ttlMinutes;
        isWhole &&= ingested.isWhole;
      }
      if (fetched.following !== undefined) queue.push(...fetched.following(read, planned));
    } catch (error) {
      if (!(error instanceof DocumentError) && !(error instanceof FetchError)) throw error;
      if (planned.onFailure === "fail") {
        const cause = error instanceof FetchError ? error : new FetchError(error.message);
        if (at === 0) throw cause;
        failure = new FetchError(`${planned.name}: ${cause.message}`, cause);
      } else {
        documents.push(failedDocument(error, planned, identity));
        refused.add(planned.name);
      }
    }
    await run.pause();
  }
  return { documents, identity, isWhole, isAllRead, refused, counts, ttlMinutes, failure };
}

const UNCHANGED: ReadDocument = {
  document: null,
  next: null,
  keys: [],
  items: 0,
  isKnown: true,
  newestMs: null,
};

function failedDocument(
  error: DocumentError | FetchError,
  planned: PlannedDocument,
  identity: Identity,
): DocumentResult {
  const { name, reading } = planned;
  const reason = error.message;
  const isGone = error instanceof DocumentError || error.status === 404 || error.status === 410;
  return {
    ...{ decided: [], identity, seen: new Set(), needsConfirmation: false, notes: [] },
    ...{ origin: null, content: null },
    refused: [{ item: name, reason }],
    // A page is a single item, so only that item is missing.
    partialFailures: reading?.kind === "page" && isGone ? [] : [{ part: name, reason }],
  };
}

interface IngestedDocument {
  result: DocumentResult;
  read: ReadDocument;
  /** Whether the document is complete, that is, neither truncated nor too long. */
  isWhole: boolean;
  ttlMinutes: number | null;
}

function ingestDocument(
  document: FetchedDocument,
  planned: PlannedDocument,
  run: DocumentRun,
): Promise<IngestedDocument> {
  const { source, options: { tracer = NO_TRACER } } = run;
  const attributes = { source: source.id, bytes: document.bytes.length };
  return tracer.act("ingest document", attributes, async (span) => {
    const { bytes, sha256, contentType, url } = document;
    const contents = await run.parser.parse({
      ...{ bytes, contentType, url, reading: planned.reading, identity: run.identity },
      language: planned.language ?? null,
      ...{ timezone: source.timezone, baseUrl: source.baseUrl },
      ...{ sourceId: source.id, sourceLanguages: source.languages },
    });
    await run.pause();
    const { items, notes, classified } = contents;
    const origin = originOf(document);
    const shared = {
      ...{ origin, notes, classified, isReread: document.isReread ?? false },
      statedLanguages: statedLanguages(contents.language, source.languages),
      language: planned.language ?? null,
    };
    const decisions = await decideDocument(items, shared, { ...run, identity: contents.identity });
    span.set({ items: contents.itemCount });
    return {
      result: {
        ...decisions,
        ...faultsOf(contents, planned),
        origin,
        content: planned.isAlone === true ? { name: planned.name, sha256, contentType, url } : null,
      },
      read: {
        document,
        next: contents.next,
        keys: items.map(({ key }) => key),
        items: contents.itemCount,
        isKnown: decisions.decided.every(({ decision: { kind } }) =>
          kind !== "record" && kind !== "translated"
        ),
        newestMs: contents.newestMs,
      },
      isWhole: !contents.problems.some(({ item }) => item === "document"),
      ttlMinutes: contents.ttlMinutes,
    };
  });
}

function faultsOf(
  { problems, refused, older }: DocumentContents,
  { name, reading }: PlannedDocument,
): Pick<DocumentResult, "refused" | "partialFailures"> {
  return {
    refused: [
      ...problems.map(({ item, reason }) => ({ item, reason })),
      ...refused,
      ...older.map(({ item }) => ({ item: item.title, reason: OLDER_EDITION })),
    ],
    // A page is a single item, so its problems are those of the item.
    partialFailures: problems
      .filter(({ item, isMeant }) => item === "document" && !isMeant && reading?.kind !== "page")
      .map(({ reason }) => ({ part: name, reason })),
  };
}

interface IngestSteps {
  run: DocumentRun;
  fetched: Fetched;
  read: DocumentsResult;
  seenMerged: ReadonlySet<string>;
  /** The refusal by which a host ended the fetch early, or null if there was none. */
  refusal: FetchError | null;
}

function combine({ run, fetched, read, seenMerged, refusal }: IngestSteps): IngestResult {
  const { source, state, options } = run;
  const { documents } = read;
  const { repeated = [] } = fetched;
  const decided = documents.flatMap((document) => document.decided);
  const lateFailures = [
    ...fetched.leftOut?.() ?? [],
    ...shortLanguages(source, read.counts, state.partialFailures),
  ];
  const refused = [
    ...fetched.unreadable.map(({ name, reason }) => ({ item: name, reason })),
    ...documents.flatMap((document) => document.refused),
    ...lateFailures.map(({ part, reason }) => ({ item: part, reason })),
  ];
  const itemCount = [...read.counts.values()].reduce((sum, items) => sum + items, 0);
  const short = isShort(source, read.counts)
    ? new FetchError(shortReason(itemCount, source.minItems ?? 0), { state: "empty" })
    : null;
  const failure = read.failure ?? refusal ?? short;
  const origin = documents.findLast((document) => document.origin !== null)?.origin ?? null;
  const needsConfirmation = documents.some((document) => document.needsConfirmation) ||
    needsAllLanguages(source, read);
  return {
    decided,
    refused,
    repeated: {
      unchanged: repeated.reduce((sum, { fingerprint }) => sum + fingerprint.known, 0),
      irrelevant: repeated.reduce((sum, { fingerprint }) => sum + fingerprint.irrelevant, 0),
    },
    fingerprints: fingerprintsOf(fetched, documents),
    partialFailures: [
      ...fetched.unreadable.filter(({ isItem }) => isItem !== true)
        .map(({ name, reason }) => ({ part: name, reason })),
      ...documents.flatMap((one) => one.partialFailures),
      ...lateFailures,
    ],
    notes: [...fetched.notes?.() ?? [], ...documents.flatMap((document) => document.notes)],
    cursor: fetched.cursor({
      isWhole: read.isWhole && !needsConfirmation,
      refused: read.refused,
      ttlMinutes: read.ttlMinutes,
    }),
    identity: read.identity,
    seen: new Set([...documents.flatMap((document) => [...document.seen]), ...seenMerged]),
    origin,
    isComplete: read.isAllRead && read.isWhole && !fetched.isUnchanged && failure === null &&
      refused.every(({ reason }) => reason === OLDER_EDITION),
    failure,
    isCutShort: read.failure === null && refusal !== null,
    progress: fetched.progress?.() ?? null,
    goesOn: fetched.goesOn?.() ?? false,
    freshUntilMs: laterOf(fetched.freshUntilMs, read.ttlMinutes, options.clock.nowMs()),
    redirects: fetched.redirects(read.refused),
  };
}

/**
 * Whether the next fetch must read all languages, because unchanged documents may have translations of new items, or
 * because removals are found only if every document is read.
 */
function needsAllLanguages(
  { urls, removals }: SourceSettings,
  { documents, isAllRead, refused }: DocumentsResult,
): boolean {
  if (urls === undefined) return false;
  const hasNew = documents.some(({ decided }) =>
    decided.some(({ decision }) => decision.kind === "record" && decision.event.version === 1)
  );
  const hasRead = documents.some(({ origin }) => origin !== null);
  return hasNew || (removals === true && hasRead && (!isAllRead || refused.size > 0));
}

function fingerprintsOf(
  { repeated = [] }: Fetched,
  documents: readonly DocumentResult[],
): Map<string, DocumentFingerprint> {
  return new Map([
    ...repeated.map(({ name, fingerprint }) => [name, fingerprint] as const),
    ...documents.flatMap(({ content, decided, refused }) => {
      const fingerprint = content === null ? null : fingerprintOf(content, { decided, refused });
      return content === null || fingerprint === null ? [] : [[content.name, fingerprint] as const];
    }),
  ]);
}
