// The ingest loop: claims due sources, processes them, finishes each with its next run.
import type { Log } from "../domain/ports.ts";
import type { SourceSettings, SourceState } from "../domain/source.ts";
import type { Store } from "../domain/store.ts";
import { FetchError } from "./fetched.ts";
import { createPassedOver } from "./passed_over.ts";
import {
  type DecidedItem,
  type ProcessedSource,
  type ProcessOptions,
  processSource,
  type Refusal,
} from "./process.ts";
import { longestFetchMs } from "./walk.ts";
import { nextAfterFailure, nextRun } from "./schedule.ts";

/** Characters of an item's name in the log. */
const MAX_LOGGED = 100;
/** How long the loop sleeps when nothing is due, ms. */
const IDLE_MS = 500;
/** How long it waits after the store failed, ms. */
const PAUSE_MS = 5_000;
/**
 * A lease ends this long after the time that a fetch may take, ms: recording fits in. Were it to end sooner, the source
 * would be fetched twice at worst, and the second fetch would find everything unchanged.
 */
const LEASE_MARGIN_MS = 30_000;

/** What a fetch of one source came to, as the command line prints it. */
export interface IngestReport {
  id: string;
  ok: boolean;
  new: number;
  revised: number;
  unchanged: number;
  /** Items that do not concern AI regulation. */
  passed_over: number;
  refused: Refusal[];
  /** Why the source could not be fetched. */
  error?: string;
}

/** What the loop needs. */
export interface IngestOptions extends Omit<ProcessOptions, "passedOver"> {
  store: ProcessOptions["store"] & Pick<Store, "claimSources" | "finishFetch">;
  /** The enabled sources. */
  sources: readonly SourceSettings[];
  log: Log;
  /** Sources fetched at the same time. */
  concurrency: number;
}

/** The options with what the loop remembers. */
type Remembering = IngestOptions & ProcessOptions;

/** A dry run of one source. */
export interface IngestPreview {
  report: IngestReport;
  decided: DecidedItem[];
}

/** The ingest loop. */
export interface Ingest {
  /** Fetches the due sources, or the named ones due or not, to the end. Sources that another process holds are left out. */
  ingest(ids?: readonly string[]): Promise<IngestReport[]>;
  /** What a fetch of the source would store now; nothing is kept. */
  preview(source: SourceSettings, state: SourceState): Promise<IngestPreview>;
  /** Fetches what is due until the signal aborts; settles when the fetches under way are done. */
  run(signal: AbortSignal): Promise<void>;
}

/** Builds the loop. */
export function createIngest(given: IngestOptions): Ingest {
  const options: Remembering = { ...given, passedOver: createPassedOver() };
  const settings = new Map(options.sources.map((source) => [source.id, source]));
  const leaseMs = longestFetchMs(options.sources, options.timeoutMs) + LEASE_MARGIN_MS;

  const claim = async (limit: number, ids?: readonly string[]): Promise<SourceState[]> =>
    await options.store.claimSources({
      nowMs: options.clock.nowMs(),
      leaseMs,
      limit,
      ids: ids ?? [...settings.keys()],
      due: ids === undefined ? "only" : "any",
    });

  const fetchOne = async (state: SourceState): Promise<IngestReport> => {
    const source = settings.get(state.id);
    if (source === undefined) throw new Error(`the store gave a source that is not configured: ${state.id}`);
    return await ingestSource(source, state, options);
  };

  return {
    async ingest(ids) {
      const reports: IngestReport[] = [];
      while (true) {
        const rest = ids?.filter((id) => !reports.some((report) => report.id === id));
        const claimed = rest?.length === 0 ? [] : await claim(options.concurrency, rest);
        if (claimed.length === 0) return reports;
        reports.push(...await Promise.all(claimed.map(fetchOne)));
      }
    },

    async preview(source, state) {
      const { log: _, ...quiet } = options;
      try {
        const processed = await processSource(source, state, "preview", quiet);
        const report = reportOf(source.id, processed);
        const { failure, decided } = processed;
        return {
          report: failure === null ? report : { ...report, ok: false, error: failure.message },
          decided,
        };
      } catch (error) {
        if (!(error instanceof FetchError)) throw error;
        return { report: failed(source.id, error.message), decided: [] };
      }
    },

    async run(signal) {
      const underWay = new Set<Promise<void>>();
      while (!signal.aborted) {
        let waitMs = IDLE_MS;
        try {
          const claimed = await claim(options.concurrency - underWay.size);
          for (const state of claimed) {
            const work: Promise<void> = fetchOne(state)
              .then(() => {}, (error) => logFailure(options.log, "source not finished", error, state.id))
              .finally(() => underWay.delete(work));
            underWay.add(work);
          }
        } catch (error) {
          logFailure(options.log, "sources not claimed", error);
          waitMs = PAUSE_MS;
        }
        await options.clock.sleep(waitMs, signal);
      }
      await Promise.all(underWay);
    },
  };
}

async function ingestSource(
  source: SourceSettings,
  state: SourceState,
  options: Remembering,
): Promise<IngestReport> {
  const { clock, store, log } = options;
  try {
    const processed = await processSource(source, state, "record", options);
    if (processed.failure !== null) {
      await finishFailed(source, state, processed.failure, options);
      return { ...reportOf(source.id, processed), ok: false, error: processed.failure.message };
    }
    const atMs = clock.nowMs();
    await store.finishFetch({
      sourceId: source.id,
      atMs,
      nextDueAtMs: nextRun(source, atMs),
      success: { cursor: processed.cursor, identityRule: processed.identityRule },
      error: null,
    });
    const report = reportOf(source.id, processed);
    const hasBrought = report.new + report.revised + report.refused.length > 0;
    log[hasBrought ? "info" : "debug"]("source fetched", {
      source: source.id,
      new: report.new,
      revised: report.revised,
      unchanged: report.unchanged,
      passed_over: report.passed_over,
      refused: report.refused.length,
    });
    const [first] = report.refused;
    if (first !== undefined) {
      log.warn("not everything could be taken; `source test` shows all of it", {
        source: source.id,
        refused: report.refused.length,
        first: first.item.slice(0, MAX_LOGGED),
        cause: first.reason,
      });
    }
    return report;
  } catch (error) {
    if (!(error instanceof FetchError)) logFailure(log, "source stopped", error, source.id);
    const failure = error instanceof FetchError
      ? error
      : new FetchError("stopped by an error inside; see the log");
    await finishFailed(source, state, failure, options);
    return failed(source.id, failure.message);
  }
}

async function finishFailed(
  source: SourceSettings,
  state: SourceState,
  { message, retryAtMs }: FetchError,
  { clock, store, log }: Remembering,
): Promise<void> {
  const atMs = clock.nowMs();
  const failures = state.consecutiveFailures + 1;
  await store.finishFetch({
    sourceId: source.id,
    atMs,
    nextDueAtMs: nextAfterFailure(source, { nowMs: atMs, failures, retryAtMs }),
    success: null,
    error: message,
  });
  log.warn("source failed", { source: source.id, failures, cause: message });
}

function reportOf(id: string, { decided, refused }: ProcessedSource): IngestReport {
  const report: IngestReport = { id, ok: true, new: 0, revised: 0, unchanged: 0, passed_over: 0, refused };
  for (const { decision } of decided) {
    if (decision.kind === "passed_over") report.passed_over++;
    else if (decision.kind !== "record") report.unchanged++;
    else if (decision.event.version === 1) report.new++;
    else report.revised++;
  }
  return report;
}

function failed(id: string, error: string): IngestReport {
  return { id, ok: false, new: 0, revised: 0, unchanged: 0, passed_over: 0, refused: [], error };
}

function logFailure(log: Log, message: string, error: unknown, source?: string): void {
  const cause = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  log.error(message, { cause, ...(source === undefined ? {} : { source }) });
}
