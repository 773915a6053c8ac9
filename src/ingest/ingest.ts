// The ingest loop: claims due sources whose hosts are free, and fetches them.
import { createHostRateLimit } from "./schedule/host_rate_limit.ts";
import { NO_METRICS } from "../domain/ports/metrics.ts";
import type { SourceSettings, SourceState } from "../domain/source/source.ts";
import type { RegisteredSource } from "../domain/ports/store/sources.ts";
import type { Store } from "../domain/ports/store/store.ts";
import { NO_TRACER } from "../domain/ports/tracer.ts";
import { type FetchedDocument, FetchError } from "./fetch/fetch_types.ts";
import { type CountFetch, createIngestMetrics } from "./ingest_metrics.ts";
import { redactingLog } from "./redacting_log.ts";
import { failureOf, withCleanReasons } from "./fetch/failure_reason.ts";
import { DocumentFingerprints } from "./fetch/document_fingerprints.ts";
import { describeRedirects } from "./fetch/permanent_redirects.ts";
import { describeCursors } from "./fetch/describe_cursor.ts";
import type { DecidedItem } from "./model.ts";
import { failed, type IngestReport, reportOf } from "./report.ts";
import { nameOf, nextRun } from "./schedule/schedule.ts";
import { hostOf } from "./schedule/source_hosts.ts";
import { type FetchJobOptions, LEASE_MS, loadIngestSource, logFailure, runFetchJob } from "./fetch_job.ts";

export type { IngestReport } from "./report.ts";

/** Time between two claims, in ms. PAUSE_MS applies after the store has failed. */
const IDLE_MS = 500;
const PAUSE_MS = 5_000;
const HOST_POLL_MS = 100;
const NEVER = new AbortController().signal;
/** Maximum backward step of the clock that does not count as a rollback, in ms. */
const CLOCK_TOLERANCE_MS = 1_000;

interface IngestOptions extends
  Omit<
    FetchJobOptions,
    "store" | "fingerprints" | "pace" | "scheduleOf" | "spacingOf" | "count" | "signal"
  > {
  store: FetchJobOptions["store"] & Pick<Store, "claimSources" | "listSources" | "registerSources">;
  sources: readonly SourceSettings[];
  /** Maximum number of concurrent fetches, in total and per host. */
  concurrency: number;
  hostConcurrency: number;
  /** Minimum time between two requests to a host, in ms, unless one of its sources sets a crawl delay. */
  hostSpacingMs: number;
  /** Maximum delay of a scheduled run, in ms. Different delays keep the sources from starting all at once. */
  jitterMs: number;
  count?: CountFetch;
}

export interface IngestPreview {
  report: IngestReport;
  decided: readonly DecidedItem[];
  /** All fetched documents, including those that could not be parsed. */
  documents: FetchedDocument[];
}

interface IngestOnceOptions {
  wait: boolean;
  /** Called when a fetch starts or ends, with the number of finished fetches and the sources being fetched. */
  onProgress?(finished: number, running: readonly string[]): void;
}

export interface Ingest {
  /** Registers the sources in the store. New sources are due at once, and changed schedules take effect immediately. */
  register(): Promise<void>;
  /** Fetches each named source, or else each due one. Skips leased sources and, without `wait`, those on busy hosts. */
  ingest(ids?: readonly string[], options?: IngestOnceOptions): Promise<IngestReport[]>;
  /** Predicts the result of a fetch without storing anything. */
  preview(source: SourceSettings, state: SourceState): Promise<IngestPreview>;
  /**
   * Fetches due sources until `signal` aborts, then waits for running fetches. These are interrupted if `stopping`
   * aborts: recorded items stay, and the sources are fetched again at the next start.
   */
  run(signal: AbortSignal, stopping: AbortSignal): Promise<void>;
}

export function createIngest(given: IngestOptions): Ingest {
  const { tracer = NO_TRACER } = given;
  const settings = new Map(given.sources.map((source) => [source.id, source]));
  const spacingOf = createSpacing(given);
  const options: IngestOptions & FetchJobOptions = {
    ...given,
    log: redactingLog(given.log),
    fingerprints: new DocumentFingerprints(),
    spacingOf,
    pace: createHostRateLimit(given.clock, spacingOf),
    count: given.count ?? createIngestMetrics(NO_METRICS),
    signal: NEVER,
    scheduleOf: ({ id, schedule, timezone }) => ({
      ...{ schedule, timezone },
      jitter: { seed: id, maxMs: given.jitterMs },
    }),
  };
  const { clock, store } = options;
  const register = () => {
    const nowMs = clock.nowMs();
    const sources = options.sources.map((source): RegisteredSource => {
      const schedule = options.scheduleOf(source);
      const nextRunAtMs = nextRun(schedule, nowMs);
      return { id: source.id, host: hostOf(source), schedule: nameOf(schedule), nextRunAtMs };
    });
    return store.registerSources(sources, nowMs);
  };

  let lastMs = -Infinity;
  /** After a clock rollback, makes every source due no later than at its next scheduled run. */
  const adjustForClockRollback = async () => {
    const nowMs = clock.nowMs();
    const wasSetBack = nowMs < lastMs - CLOCK_TOLERANCE_MS;
    lastMs = nowMs;
    if (wasSetBack) await register();
  };

  /** The sources being fetched. None is claimed again, even if its lease expires while the process is suspended. */
  const running = new Set<string>();
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
      ids: wanted.filter((id) => !running.has(id)),
      due,
      perHost: options.hostConcurrency,
      spacingOf,
    });
  };

  const fetchSource = async (state: SourceState, signal = NEVER): Promise<IngestReport> => {
    const source = settings.get(state.id);
    if (source === undefined) throw new Error(`the store returned an unconfigured source: ${state.id}`);
    running.add(source.id);
    try {
      return await tracer.act("fetch source", { source: source.id }, async (span) => {
        const report = await runFetchJob(source, state, { ...options, signal });
        span.set({ new: report.new, revised: report.revised, unchanged: report.unchanged });
        if (report.error !== undefined) span.fail("the fetch failed; the log says why");
        return report;
      });
    } finally {
      running.delete(source.id);
    }
  };

  return {
    register,
    ingest: (ids, once = { wait: false }) =>
      ingestOnce(ids ?? [...settings.keys()], {
        ...options,
        ...once,
        claim: (limit, rest) => claim(limit, rest, ids === undefined ? "only" : "any"),
        fetchSource,
      }),

    preview: (source, state) => previewSource(source, state, options),

    run: (signal, stopping) =>
      runLoop(signal, {
        ...options,
        claim: (limit) => claim(limit, [...settings.keys()], "only"),
        fetchSource: (state) => fetchSource(state, stopping),
      }),
  };
}

async function previewSource(
  source: SourceSettings,
  state: SourceState,
  options: FetchJobOptions,
): Promise<IngestPreview> {
  const documents: FetchedDocument[] = [];
  try {
    const onDocument = (document: FetchedDocument) => documents.push(document);
    const { ingestSource } = await loadIngestSource();
    const result = withCleanReasons(
      source,
      await ingestSource(source, state, "preview", { ...options, onDocument }),
    );
    const notes = [
      ...result.notes,
      ...describeRedirects(result.redirects),
      ...describeCursors(source, state, options.clock.nowMs()),
    ];
    const report = reportOf(source.id, { ...result, notes });
    const { failure, decided } = result;
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

async function runLoop(
  signal: AbortSignal,
  { clock, log, concurrency, claim, fetchSource }: IngestOptions & {
    claim(limit: number): Promise<SourceState[]>;
    fetchSource(state: SourceState): Promise<IngestReport>;
  },
): Promise<void> {
  const underWay = new Set<Promise<void>>();
  while (!signal.aborted) {
    let waitMs = IDLE_MS;
    try {
      for (const state of await claim(concurrency - underWay.size)) {
        const work: Promise<void> = fetchSource(state)
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

async function ingestOnce(
  ids: readonly string[],
  { sources, clock, concurrency, spacingOf, wait, onProgress, claim, fetchSource }:
    & IngestOptions
    & FetchJobOptions
    & IngestOnceOptions
    & {
      claim(limit: number, ids: readonly string[]): Promise<SourceState[]>;
      fetchSource(state: SourceState): Promise<IngestReport>;
    },
): Promise<IngestReport[]> {
  const reports: IngestReport[] = [];
  const remaining = new Set(ids);
  const hosts = new Map(sources.map((source) => [source.id, hostOf(source)]));
  const underWay = new Map<string, Promise<void>>();
  const showProgress = () => onProgress?.(reports.length, [...underWay.keys()]);
  // If a source cannot be claimed even after its host's spacing, it is not due, or another process has leased it.
  let waitedMs = 0;
  while (remaining.size > 0) {
    const claimed = await claim(concurrency - underWay.size, [...remaining]);
    for (const state of claimed) {
      remaining.delete(state.id);
      const work = fetchSource(state)
        .then((report) => void reports.push(report))
        // Deleted after the report is added, because the loop waits only for fetches in this map.
        .finally(() => {
          underWay.delete(state.id);
          showProgress();
        });
      underWay.set(state.id, work);
    }
    if (claimed.length > 0) showProgress();
    if (underWay.size > 0) {
      await Promise.race(underWay.values());
      waitedMs = 0;
    } else if (claimed.length === 0) {
      const spacings = [...remaining].map((id) => hosts.get(id)).map((host) => host ? spacingOf(host) : 0);
      if (!wait || waitedMs > Math.max(0, ...spacings)) break;
      await clock.sleep(HOST_POLL_MS);
      waitedMs += HOST_POLL_MS;
    }
  }
  await Promise.all(underWay.values());
  return reports;
}

/** Returns a function that gives a host's spacing: the longest crawl delay of its sources, or the default. */
function createSpacing({ sources, hostSpacingMs }: IngestOptions): (host: string) => number {
  const longest = new Map<string, number>();
  for (const source of sources) {
    const host = hostOf(source);
    if (host === null || source.crawlDelayMs === undefined) continue;
    longest.set(host, Math.max(longest.get(host) ?? 0, source.crawlDelayMs));
  }
  return (host) => longest.get(host) ?? hostSpacingMs;
}
