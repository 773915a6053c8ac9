// Fetches one leased source, and stores the result and the time of the next fetch.
import { NO_SPIKE } from "../domain/source/change_volume.ts";
import { LeaseLostError } from "../domain/source/lease.ts";
import type { Clock, Log } from "../domain/ports/ports.ts";
import { type FetchCounts, NO_COUNTS } from "../domain/source/fetch_record.ts";
import type { FetchResult, PartialFailure, SourceSettings, SourceState } from "../domain/source/source.ts";
import { silentSince } from "../domain/source/source_health.ts";
import type { FetchEnd } from "../domain/ports/store/sources.ts";
import { failureLevel, StorageError } from "../domain/ports/store/storage_fault.ts";
import type { Store } from "../domain/ports/store/store.ts";
import type { CountFetch } from "./ingest_metrics.ts";
import { updateCadence } from "./schedule/publication_cadence.ts";
import { FetchError } from "./fetch/fetch_types.ts";
import { detectSpike } from "./revise/change_spike.ts";
import { failureOf, withCleanReasons } from "./fetch/failure_reason.ts";
import { decidePartialFailures } from "./partial_failures.ts";
import { decideMoves } from "./fetch/permanent_redirects.ts";
import type { SourceIngestOptions } from "./run_context.ts";
import type { IngestResult } from "./model.ts";
import { findRemovals, type Removals } from "./revise/removals.ts";
import { failed, type IngestReport, reportOf } from "./report.ts";
import { narrowUntilAfter } from "./revise/relevance_scope.ts";
import { addressesOf, hostOf, hostsOf } from "./schedule/source_hosts.ts";
import {
  nameOf,
  nextAfterFailure,
  nextAfterSuccess,
  pauseOfHost,
  type Schedule,
} from "./schedule/schedule.ts";

const MAX_LOGGED_CHARACTERS = 100;
/** Duration of a lease, in ms. If a process is killed, its sources are not fetched until their leases expire. */
export const LEASE_MS = 10_000;
const LEASE_EXTENSION_MS = 3_000;
const STORAGE_FAULT_PAUSE_MS = 60_000;

export interface FetchJobOptions extends SourceIngestOptions {
  store: SourceIngestOptions["store"] & Pick<Store, "extendLease" | "finishFetch" | "recordRemovals">;
  clock: Clock;
  log: Log;
  /** Maximum time for which a response counts as fresh, in ms. */
  maxFreshMs: number;
  scheduleOf(source: SourceSettings): Schedule;
  /** Returns the minimum time between two requests to a host, in ms. */
  spacingOf(host: string): number;
  count: CountFetch;
}

/**
 * Fetches a leased source, then ends the lease and schedules the next fetch. Does neither if the fetch was interrupted
 * or has lost its lease.
 */
export async function runFetchJob(
  source: SourceSettings,
  state: SourceState,
  options: FetchJobOptions,
): Promise<IngestReport> {
  const over = new AbortController();
  const beats = holdLease(source, options, over.signal);
  try {
    return await runLeased(source, state, options);
  } catch (error) {
    if (!(error instanceof LeaseLostError)) throw error;
    // Another process has leased the source, and its result may be newer.
    const report = failed(source.id, `the rest of the fetch is not stored: ${error.message}`);
    options.log.warn("fetch lost its lease; the rest is not stored", {
      source: source.id,
      cause: error.message,
    });
    options.count("failing", report);
    return report;
  } finally {
    over.abort();
    await beats;
  }
}

/** Loads the parsing code on first use, which lets the service start sooner. */
export const loadIngestSource = (): Promise<typeof import("./ingest_source.ts")> =>
  import("./ingest_source.ts");

async function runLeased(
  source: SourceSettings,
  state: SourceState,
  options: FetchJobOptions,
): Promise<IngestReport> {
  const startedAtMs = options.clock.nowMs();
  try {
    const { ingestSource } = await loadIngestSource();
    const result = withCleanReasons(source, await ingestSource(source, state, "record", options));
    if (result.failure !== null) {
      await finishFailed(source, state, { failure: result.failure, result, startedAtMs }, options);
      const report = { ...reportOf(source.id, result), ok: false, error: result.failure.message };
      options.count(result.failure.state, report);
      return report;
    }
    const { withdrawn, heldBack, partialFailures } = await finishWell(
      source,
      state,
      { result, startedAtMs },
      options,
    );
    const found = reportOf(source.id, result);
    const report = { ...found, revised: found.revised + withdrawn };
    options.count("ok", report);
    const gaps = partialFailures.map(({ part, reason, sinceMs }) => ({ part, reason, since: sinceMs }));
    return {
      ...report,
      ...(gaps.length === 0 ? {} : { gaps }),
      ...(heldBack === 0 ? {} : { held_back: heldBack }),
    };
  } catch (error) {
    if (error instanceof LeaseLostError) throw error;
    if (options.signal.aborted) {
      options.log.info("fetch interrupted: the service is stopping", { source: source.id });
      return failed(source.id, "interrupted: the service is stopping");
    }
    if (error instanceof StorageError) return await abandon(source, state, { error, startedAtMs }, options);
    if (!(error instanceof FetchError)) logFailure(options.log, "source stopped", error, source.id);
    const failure = failureOf(error, source);
    await finishFailed(source, state, { failure, result: null, startedAtMs }, options);
    const report = failed(source.id, failure.message);
    options.count(failure.state, report);
    return report;
  }
}

/** Ends a fetch whose result could not be stored. The source is not at fault, and is fetched again soon. */
async function abandon(
  source: SourceSettings,
  state: SourceState,
  { error: { message }, startedAtMs }: { error: StorageError; startedAtMs: number },
  options: FetchJobOptions,
): Promise<IngestReport> {
  const report = failed(source.id, `the result could not be stored: ${message}`);
  const atMs = options.clock.nowMs();
  options.log.warn("the items of a source could not be stored", { source: source.id, cause: message });
  options.count("failing", report);
  try {
    await options.store.finishFetch({
      ...commonEnd(source, state, { outcome: "failing", atMs, decided: [] }, options),
      nextDueAtMs: atMs + STORAGE_FAULT_PAUSE_MS,
      notBeforeMs: 0,
      isItsFault: false,
      kept: null,
      error: report.error ?? message,
      record: { startedAtMs, cause: "internal", counts: NO_COUNTS, documentHash: null },
      moves: state.moves,
    });
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    logFailure(options.log, "source not finished", error, source.id);
  }
  return report;
}

async function holdLease(
  { id }: SourceSettings,
  { clock, store, holder, log }: FetchJobOptions,
  signal: AbortSignal,
): Promise<void> {
  while (true) {
    await clock.sleep(LEASE_EXTENSION_MS, signal);
    if (signal.aborted) return;
    try {
      const isHeld = await store.extendLease({
        sourceId: id,
        holder,
        untilMs: clock.nowMs() + LEASE_MS,
      });
      if (!isHeld) log.warn("another process has taken over a source that is being fetched", { source: id });
    } catch (error) {
      logFailure(log, "lease not extended", error, id);
    }
  }
}

async function finishWell(
  source: SourceSettings,
  state: SourceState,
  { result, startedAtMs }: { result: IngestResult; startedAtMs: number },
  options: FetchJobOptions,
): Promise<Removals & { heldBack: number; partialFailures: readonly PartialFailure[] }> {
  const atMs = options.clock.nowMs();
  const removals = await findRemovals(source, result, { ...options, nowMs: atMs });
  const partialFailures = decidePartialFailures(state.partialFailures, result.partialFailures, atMs);
  const fetched = { outcome: "ok", atMs, decided: result.decided, partialFailures } as const;
  const moves = decideMoves(state.moves, result.redirects, atMs);
  // The next fetch must read everything, because a removal counts only once that fetch confirms it.
  const cursor = removals.missed > 0 ? null : result.cursor;
  const heldBack = await finish(
    {
      ...commonEnd(source, state, fetched, options),
      narrowUntilMs: narrowUntilAfter(source, state, { isWhole: partialFailures.length === 0, nowMs: atMs }),
      ...nextAfterSuccess(options.scheduleOf(source), {
        nowMs: atMs,
        freshUntilMs: result.freshUntilMs,
        maxFreshMs: options.maxFreshMs,
      }),
      isItsFault: true,
      goesOn: result.goesOn,
      kept: { ...keptOf(source, result), cursor },
      error: null,
      record: {
        startedAtMs,
        cause: null,
        counts: countsOf(source, result, removals.withdrawn),
        documentHash: result.origin?.document_sha256 ?? null,
      },
      moves,
      ...(partialFailures.length > 0 ? {} : { responded: { hosts: hostsOf(source), sinceMs: startedAtMs } }),
    },
    itemsOf(result),
    options,
  );
  options.fingerprints.keep(source.id, { cursor, atMs }, result.fingerprints);
  const { log } = options;
  for (const { url, adoptedAtMs } of moves) {
    if (adoptedAtMs !== atMs) continue;
    const host = new URL(url).host;
    log.warn(
      "source has moved permanently: its new URL is fetched from now on; change its url in the config",
      {
        source: source.id,
        host,
      },
    );
  }
  for (const { part, reason } of partialFailures) {
    if (state.partialFailures.some((before) => before.part === part)) continue;
    log.warn("a part of a source could not be fetched; `source list` shows it", {
      source: source.id,
      part: part.slice(0, MAX_LOGGED_CHARACTERS),
      cause: reason,
    });
  }
  if (state.lastError !== null) {
    log.info("source recovered", { source: source.id, failures: state.consecutiveFailures });
  }
  logFetched(source, result, log);
  return { ...removals, heldBack, partialFailures };
}

/** Returns the number of items in a fetch, without refused ones. A publication in several languages counts once. */
function itemsOf({ decided, repeated, identity: { languages } }: IngestResult): number {
  const unchanged = repeated.unchanged + repeated.irrelevant;
  if (languages === null) return decided.length + unchanged;
  return Math.max(
    new Set(decided.map(({ key }) => key)).size,
    Math.ceil(unchanged / languages.codes.length),
  );
}

function countsOf({ id }: SourceSettings, result: IngestResult, withdrawn: number): FetchCounts {
  const { new: added, revised, unchanged, translated, passed_over: skipped, refused } = reportOf(id, result);
  return {
    new: added,
    revised: revised + withdrawn,
    unchanged,
    translated,
    skipped,
    refused: refused.length,
  };
}

function keptOf(
  { timezone }: SourceSettings,
  { identity }: IngestResult,
): Omit<NonNullable<FetchEnd["kept"]>, "cursor"> {
  return { identityRule: identity.rule, formerRules: identity.former, timezone };
}

/** Stores the end of the fetch and logs any change spike. Returns the number of held events. */
async function finish(end: FetchEnd, items: number, { store, log }: FetchJobOptions): Promise<number> {
  let spike = NO_SPIKE;
  const events = await store.finishFetch(end, (volume) => spike = detectSpike(volume, items));
  if (events === 0) return 0;
  const of = [...(spike.isNew ? ["new publications"] : []), ...(spike.isRevised ? ["revisions"] : [])];
  log.warn("change spike: its events are held until `source release` delivers or discards them", {
    source: end.sourceId,
    events,
    of: of.join(" and "),
  });
  return events;
}

function logFetched(source: SourceSettings, result: IngestResult, log: Log): void {
  for (const { decision } of result.decided) {
    if (decision.kind !== "record") continue;
    const { id, version } = decision.event;
    log.debug("event recorded", { source: source.id, event: id, version });
  }
  const { id: _, ok: _ok, gaps: _gaps, notes = [], refused, ...counts } = reportOf(source.id, result);
  const hasChanges = counts.new + counts.revised + counts.translated + refused.length > 0;
  log[hasChanges ? "info" : "debug"]("source fetched", {
    source: source.id,
    ...counts,
    refused: refused.length,
  });
  for (const note of notes) log.info("note about a source", { source: source.id, note });
  const [first] = refused;
  if (first !== undefined) {
    log.warn("some items were refused; `source test` shows all of them", {
      source: source.id,
      refused: refused.length,
      first: first.item.slice(0, MAX_LOGGED_CHARACTERS),
      cause: first.reason,
    });
  }
}

async function finishFailed(
  source: SourceSettings,
  state: SourceState,
  { failure, result, startedAtMs }: {
    failure: FetchError;
    result: IngestResult | null;
    startedAtMs: number;
  },
  options: FetchJobOptions,
): Promise<void> {
  const atMs = options.clock.nowMs();
  const failures = state.consecutiveFailures + 1;
  const asked = { nowMs: atMs, failures, retryAtMs: failure.retryAtMs };
  const fetched = { outcome: failure.state, atMs, decided: result?.decided ?? [] };
  const end = commonEnd(source, state, fetched, options);
  const paused = failure.pausedHost === null ? [] : [{
    host: failure.pausedHost,
    freeAtMs: atMs,
    pausedUntilMs: pauseOfHost(asked),
    guessed: failure.retryAtMs === null,
  }];
  await finish(
    {
      ...end,
      hosts: [...end.hosts, ...paused],
      ...nextAfterFailure(options.scheduleOf(source), asked),
      isItsFault: true,
      // The recorded items stay, so the identity rule under which they were recorded must be stored as well.
      kept: result === null ? null : {
        ...keptOf(source, result),
        cursor: result.isCutShort ? result.cursor : result.progress ?? state.cursor,
      },
      error: failure.message,
      record: {
        startedAtMs,
        cause: failure.category,
        counts: result === null ? NO_COUNTS : countsOf(source, result, 0),
        documentHash: result?.origin?.document_sha256 ?? null,
      },
      moves: decideMoves(
        state.moves,
        addressesOf(source).map((address) => ({ address, kind: "failed" })),
        atMs,
      ),
    },
    result === null ? 0 : itemsOf(result),
    options,
  );
  options.log.warn("source failed", {
    source: source.id,
    state: failure.state,
    failures,
    cause: failure.message,
  });
}

function commonEnd(
  source: SourceSettings,
  state: SourceState,
  { outcome, atMs, decided, partialFailures = state.partialFailures }: {
    outcome: FetchResult;
    atMs: number;
    decided: IngestResult["decided"];
    /** Defaults to the partial failures of the previous fetch. */
    partialFailures?: readonly PartialFailure[];
  },
  { holder, spacingOf, scheduleOf }: FetchJobOptions,
): Omit<FetchEnd, "nextDueAtMs" | "notBeforeMs" | "isItsFault" | "kept" | "error" | "moves" | "record"> {
  const cadence = updateCadence(state.cadence, decided, atMs);
  // Silence is not stored as an outcome, but the outcome of the fetch that ends it counts as new.
  const endsSilence = cadence.lastAtMs === atMs && silentSince(source, state, atMs) !== null;
  const isRecovered = outcome === "ok" && state.partialFailures.length > 0 && partialFailures.length === 0;
  const isSame = state.outcome === outcome && !endsSilence && !isRecovered;
  const host = hostOf(source);
  return {
    sourceId: source.id,
    holder,
    schedule: nameOf(scheduleOf(source)),
    atMs,
    outcome,
    outcomeSinceMs: isSame ? state.outcomeSinceMs ?? atMs : atMs,
    cadence,
    partialFailures,
    narrowUntilMs: state.narrowUntilMs,
    hosts: host === null ? [] : [{ host, freeAtMs: atMs + spacingOf(host), pausedUntilMs: 0 }],
  };
}

/** Logs an unexpected failure, at debug level if a storage fault caused it. */
export function logFailure(log: Log, message: string, error: unknown, source?: string): void {
  const cause = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  log[failureLevel(error)](message, { cause, ...(source === undefined ? {} : { source }) });
}
