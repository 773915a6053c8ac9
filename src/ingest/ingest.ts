// The ingest loop: claims due sources whose hosts are free, and visits each.
import { createPace } from "./schedule/host_rate_limit.ts";
import { NO_METRICS } from "../domain/ports/metrics.ts";
import type { Clock } from "../domain/ports/ports.ts";
import type { SourceSettings, SourceState } from "../domain/source/source.ts";
import type { RegisteredSource, Store } from "../domain/ports/store/store.ts";
import { NO_TRACER, type Tracer } from "../domain/ports/tracer.ts";
import { type FetchedDocument, FetchError } from "./fetch/fetch_types.ts";
import { type CountVisit, createIngestMetrics } from "./ingest_metrics.ts";
import { discreetLog } from "./redacting_log.ts";
import { cleanReasons, failureOf } from "./fetch/failure_reason.ts";
import { createDocumentFingerprints } from "./fetch/document_fingerprints.ts";
import { describeRedirects } from "./fetch/permanent_redirects.ts";
import { describeCursors } from "./fetch/describe_cursor.ts";
import type { DecidedItem } from "./model.ts";
import { failed, type IngestReport, reportOf } from "./report.ts";
import { nameOf, nextRun, type Schedule } from "./schedule/schedule.ts";
import { hostOf } from "./schedule/source_hosts.ts";
import { LEASE_MS, loadReaders, logFailure, type VisitOptions, visitSource } from "./fetch_job.ts";

export type { IngestReport } from "./report.ts";

/** How long the loop sleeps when nothing is due, ms. */
const IDLE_MS = 500;
/** How long it waits after the store failed, ms. */
const PAUSE_MS = 5_000;
/** How long a call waits between two looks at whether a host has become free, ms. */
const LOOK_MS = 100;
/** The signal of a call that nothing stops. */
const NEVER = new AbortController().signal;
/** A clock that goes back by more than this was set back, ms. */
const CLOCK_TOLERANCE_MS = 1_000;

/** What the loop needs. */
export interface IngestOptions
  extends
    Omit<VisitOptions, "store" | "fingerprints" | "pace" | "scheduleOf" | "spacingOf" | "count" | "signal"> {
  store: VisitOptions["store"] & Pick<Store, "claimSources" | "listSources" | "registerSources">;
  /** The enabled sources. */
  sources: readonly SourceSettings[];
  /** Sources fetched at the same time. */
  concurrency: number;
  /** The same for one host. */
  hostConcurrency: number;
  /** Between two requests to one host at least, ms, where no source of it wants longer. */
  hostSpacingMs: number;
  /** The longest time by which a run is put off so that not all sources begin at once, ms. */
  jitterMs: number;
  /** Hears of each visit that is over. */
  count?: CountVisit;
}

/** A dry run of one source. */
export interface IngestPreview {
  report: IngestReport;
  decided: DecidedItem[];
  /** The documents as they came, those that could not be read included. */
  documents: FetchedDocument[];
}

/** The ingest loop. */
export interface Ingest {
  /** Makes the sources known to the store: new ones are due at once, changed schedules count from now on. */
  register(): Promise<void>;
  /**
   * Fetches the due sources, or the named ones due or not, to the end, each once. Sources that another process holds
   * are left out, and so are those whose hosts are not free, unless `wait` says to wait for them.
   */
  ingest(ids?: readonly string[], options?: { wait: boolean }): Promise<IngestReport[]>;
  /** What a fetch of the source would store now; nothing is kept. */
  preview(source: SourceSettings, state: SourceState): Promise<IngestPreview>;
  /**
   * Fetches what is due until the first signal aborts; settles when the fetches under way are done. The second signal
   * ends those: what they recorded stays, and their sources are fetched again at the next start.
   */
  run(signal: AbortSignal, stopping: AbortSignal): Promise<void>;
}

/** Builds the loop. */
export function createIngest(given: IngestOptions): Ingest {
  const { tracer = NO_TRACER } = given;
  const settings = new Map(given.sources.map((source) => [source.id, source]));
  const spacingOf = createSpacing(given);
  const options: IngestOptions & VisitOptions = {
    ...given,
    log: discreetLog(given.log),
    fingerprints: createDocumentFingerprints(),
    spacingOf,
    pace: createPace(given.clock, spacingOf),
    count: given.count ?? createIngestMetrics(NO_METRICS),
    signal: NEVER,
    scheduleOf: (source) => scheduleOf(source, given.jitterMs),
  };
  const { clock, store } = options;
  const register = () =>
    store.registerSources(options.sources.map((source) => registered(source, options)), clock.nowMs());
  const adjustForClockRollback = createClockAdjuster(clock, register);

  /** A process that slept through its leases must not take over its own fetches. */
  const visiting = new Set<string>();
  const claim = async (
    limit: number,
    wanted: readonly string[],
    due: "only" | "any",
  ): Promise<SourceState[]> => {
    await adjustForClockRollback();
    return await store.claimSources({
      nowMs: clock.nowMs(),
      leaseMs: LEASE_MS,
      holder: options.holder,
      limit,
      ids: wanted.filter((id) => !visiting.has(id)),
      due,
      perHost: options.hostConcurrency,
      spacingOf,
    });
  };

  const visit = async (state: SourceState, signal = NEVER): Promise<IngestReport> => {
    const source = settings.get(state.id);
    if (source === undefined) throw new Error(`the store gave a source that is not configured: ${state.id}`);
    visiting.add(source.id);
    return await traceVisit(source.id, tracer, () => visitSource(source, state, { ...options, signal }))
      .finally(() => visiting.delete(source.id));
  };

  return {
    register,
    ingest: (ids, { wait } = { wait: false }) =>
      ingestOnce(ids ?? [...settings.keys()], {
        ...options,
        wait,
        claim: (limit, rest) => claim(limit, rest, ids === undefined ? "only" : "any"),
        visit,
      }),

    preview: (source, state) => previewSource(source, state, options),

    run: (signal, stopping) =>
      runLoop(signal, {
        ...options,
        claim: (limit) => claim(limit, [...settings.keys()], "only"),
        visit: (state) => visit(state, stopping),
      }),
  };
}

function registered(source: SourceSettings, { clock, scheduleOf }: VisitOptions): RegisteredSource {
  const schedule = scheduleOf(source);
  return {
    id: source.id,
    host: hostOf(source),
    schedule: nameOf(schedule),
    nextRunAtMs: nextRun(schedule, clock.nowMs()),
  };
}

function traceVisit(
  source: string,
  tracer: Tracer,
  visit: () => Promise<IngestReport>,
): Promise<IngestReport> {
  return tracer.act("fetch source", { source }, async (span) => {
    const report = await visit();
    const { new: fresh, revised, unchanged, error } = report;
    span.set({ new: fresh, revised, unchanged });
    if (error !== undefined) span.fail("the fetch failed; the log says why");
    return report;
  });
}

async function previewSource(
  source: SourceSettings,
  state: SourceState,
  options: VisitOptions,
): Promise<IngestPreview> {
  const documents: FetchedDocument[] = [];
  try {
    const onDocument = (document: FetchedDocument) => documents.push(document);
    const { ingestSource } = await loadReaders();
    const processed = await ingestSource(source, state, "preview", { ...options, onDocument });
    cleanReasons(source, processed);
    const notes = [
      ...processed.notes,
      ...describeRedirects(processed.redirects),
      ...describeCursors(source, state, options.clock.nowMs()),
    ];
    const report = reportOf(source.id, { ...processed, notes });
    const { failure, decided } = processed;
    return {
      report: failure === null ? report : { ...report, ok: false, error: failure.message },
      decided,
      documents,
    };
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    return { report: failed(source.id, failureOf(error, source).message), decided: [], documents };
  }
}

/** Claims and visits until the signal aborts, and then waits for the visits under way. */
async function runLoop(
  signal: AbortSignal,
  { clock, log, concurrency, claim, visit }: IngestOptions & {
    claim(limit: number): Promise<SourceState[]>;
    visit(state: SourceState): Promise<IngestReport>;
  },
): Promise<void> {
  const underWay = new Set<Promise<void>>();
  while (!signal.aborted) {
    let waitMs = IDLE_MS;
    try {
      for (const state of await claim(concurrency - underWay.size)) {
        const work: Promise<void> = visit(state)
          .then(() => {}, (error) => logFailure(log, "source not finished", error, state.id))
          .finally(() => underWay.delete(work));
        underWay.add(work);
      }
    } catch (error) {
      logFailure(log, "sources not claimed", error);
      waitMs = PAUSE_MS;
    }
    await clock.sleep(waitMs, signal);
  }
  await Promise.all(underWay);
}

/** Visits each source of a call once, as many at a time as may be. */
async function ingestOnce(
  ids: readonly string[],
  { sources, clock, concurrency, spacingOf, wait, claim, visit }: IngestOptions & VisitOptions & {
    wait: boolean;
    claim(limit: number, ids: readonly string[]): Promise<SourceState[]>;
    visit(state: SourceState): Promise<IngestReport>;
  },
): Promise<IngestReport[]> {
  const reports: IngestReport[] = [];
  const remaining = new Set(ids);
  const hosts = new Map(sources.map((source) => [source.id, hostOf(source)]));
  const underWay = new Set<Promise<void>>();
  // Whoever is still not to be had after a host's whole spacing is held by somebody else, or not due.
  let patienceMs = 0;
  while (remaining.size > 0) {
    const claimed = await claim(concurrency - underWay.size, [...remaining]);
    for (const state of claimed) {
      remaining.delete(state.id);
      const work: Promise<void> = visit(state)
        .then((report) => void reports.push(report))
        .finally(() => underWay.delete(work));
      underWay.add(work);
    }
    if (underWay.size > 0) {
      await Promise.race(underWay);
      patienceMs = 0;
    } else if (claimed.length === 0) {
      const spacings = [...remaining].map((id) => hosts.get(id)).map((host) => host ? spacingOf(host) : 0);
      if (!wait || patienceMs > Math.max(0, ...spacings)) break;
      await clock.sleep(LOOK_MS);
      patienceMs += LOOK_MS;
    }
  }
  await Promise.all(underWay);
  return reports;
}

function scheduleOf({ id, schedule, timezone }: SourceSettings, jitterMs: number): Schedule {
  return { schedule, timezone, jitter: { seed: id, maxMs: jitterMs } };
}

/** What each host wants between two requests: the longest that a source of it names, else the service's own. */
function createSpacing({ sources, hostSpacingMs }: IngestOptions): (host: string) => number {
  const longest = new Map<string, number>();
  for (const source of sources) {
    const host = hostOf(source);
    if (host === null || source.crawlDelayMs === undefined) continue;
    longest.set(host, Math.max(longest.get(host) ?? 0, source.crawlDelayMs));
  }
  return (host) => longest.get(host) ?? hostSpacingMs;
}

/** Looks whether the clock was set back: what was set by it then is due at its next run at the latest. */
function createClockAdjuster(clock: Clock, heal: () => Promise<void>): () => Promise<void> {
  let lastMs = -Infinity;
  return async () => {
    const nowMs = clock.nowMs();
    const wasSetBack = nowMs < lastMs - CLOCK_TOLERANCE_MS;
    lastMs = nowMs;
    if (wasSetBack) await heal();
  };
}
