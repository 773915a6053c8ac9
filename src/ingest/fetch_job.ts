// One visit to a source: from its lease to what is kept of how it ended.
import { NO_FLOOD } from "../domain/source/change_volume.ts";
import { LeaseLostError } from "../domain/source/lease.ts";
import type { Clock, Log } from "../domain/ports/ports.ts";
import type { FetchResult, PartialFailure, SourceSettings, SourceState } from "../domain/source/source.ts";
import { silentSince } from "../domain/source/source_health.ts";
import type { FetchEnd, Store } from "../domain/ports/store/store.ts";
import { failureLevel, StorageError } from "../domain/ports/store/storage_fault.ts";
import type { CountVisit } from "./ingest_metrics.ts";
import { noteNews } from "./schedule/publication_cadence.ts";
import { FetchError } from "./fetch/fetch_types.ts";
import { judgeArrivals } from "./revise/change_spike.ts";
import { cleanReasons, failureOf } from "./fetch/failure_reason.ts";
import { decidePartialFailures } from "./partial_failures.ts";
import { decideMoves } from "./fetch/permanent_redirects.ts";
import type { SourceIngestOptions } from "./document_run.ts";
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

/** Characters of an item's name in the log. */
const MAX_LOGGED = 100;
/** How long a lease lasts unless it is extended, ms: so long a source waits whose process was killed. */
export const LEASE_MS = 10_000;
/** How often a lease is extended, ms. */
const BEAT_MS = 3_000;
/** How long after a storage fault a source is fetched again, ms. */
const TROUBLE_PAUSE_MS = 60_000;

/** What a visit needs. */
export interface VisitOptions extends SourceIngestOptions {
  store: SourceIngestOptions["store"] & Pick<Store, "extendLease" | "finishFetch" | "recordRemovals">;
  clock: Clock;
  log: Log;
  /** As far as an answer's freshness counts, ms. */
  maxFreshMs: number;
  scheduleOf(source: SourceSettings): Schedule;
  /** How long a host is left alone after a visit, ms. */
  spacingOf(host: string): number;
  /** Hears of each visit that is over. */
  count: CountVisit;
}

/** Visits a leased source to the end; whatever happens, its lease ends and the next visit is set. */
export async function visitSource(
  source: SourceSettings,
  state: SourceState,
  options: VisitOptions,
): Promise<IngestReport> {
  const over = new AbortController();
  const beats = holdLease(source, options, over.signal);
  try {
    return await visitLeased(source, state, options);
  } catch (error) {
    if (error instanceof LeaseLostError) return isTooLate(source, error, options);
    throw error;
  } finally {
    over.abort();
    await beats;
  }
}

/** Loads what reads documents, when the first one is to be read: a service that starts has answered by then. */
export async function loadReaders(): Promise<Pick<typeof import("./ingest_source.ts"), "ingestSource">> {
  return await import("./ingest_source.ts");
}

async function visitLeased(
  source: SourceSettings,
  state: SourceState,
  options: VisitOptions,
): Promise<IngestReport> {
  const startedAtMs = options.clock.nowMs();
  try {
    const { ingestSource } = await loadReaders();
    const processed = await ingestSource(source, state, "record", options);
    cleanReasons(source, processed);
    if (processed.failure !== null) {
      await finishFailed(source, state, { failure: processed.failure, processed }, options);
      const report = { ...reportOf(source.id, processed), ok: false, error: processed.failure.message };
      options.count(processed.failure.state, report);
      return report;
    }
    const { withdrawn, heldBack } = await finishWell(source, state, { processed, startedAtMs }, options);
    const found = reportOf(source.id, processed);
    const report = { ...found, revised: found.revised + withdrawn };
    options.count("ok", report);
    return { ...report, ...(heldBack === 0 ? {} : { held_back: heldBack }) };
  } catch (error) {
    if (error instanceof LeaseLostError) throw error;
    if (options.signal.aborted) return interrupted(source, options);
    if (error instanceof StorageError) return await abandon(source, state, error, options);
    if (!(error instanceof FetchError)) logFailure(options.log, "source stopped", error, source.id);
    const failure = failureOf(error, source);
    await finishFailed(source, state, { failure, processed: null }, options);
    const report = failed(source.id, failure.message);
    options.count(failure.state, report);
    return report;
  }
}

/** Ends a visit that a stop has cut short. The source has not failed: it is fetched again when its lease has ended. */
function interrupted({ id }: SourceSettings, { log }: VisitOptions): IngestReport {
  log.info("fetch interrupted: the service is stopping", { source: id });
  return failed(id, "interrupted: the service is stopping");
}

/** Ends a visit whose source somebody else has taken over: it is theirs, and what was brought may be older than theirs. */
function isTooLate(
  { id }: SourceSettings,
  { message }: LeaseLostError,
  options: VisitOptions,
): IngestReport {
  const report = failed(id, `nothing more of it is stored: ${message}`);
  options.log.warn("fetch took too long to be stored", { source: id, cause: message });
  options.count("failing", report);
  return report;
}

/**
 * Ends a visit of which the store could not keep what it brought. That is not the source's fault: it is asked again soon,
 * and where not even this can be kept, when its lease is over.
 */
async function abandon(
  source: SourceSettings,
  state: SourceState,
  { message }: StorageError,
  options: VisitOptions,
): Promise<IngestReport> {
  const report = failed(source.id, `nothing of it could be stored: ${message}`);
  const atMs = options.clock.nowMs();
  options.log.warn("the items of a source could not be stored", { source: source.id, cause: message });
  options.count("failing", report);
  try {
    await options.store.finishFetch({
      ...commonEnd(source, state, { outcome: "failing", atMs, decided: [] }, options),
      nextDueAtMs: atMs + TROUBLE_PAUSE_MS,
      notBeforeMs: 0,
      isItsFault: false,
      kept: null,
      error: report.error ?? message,
      moves: state.moves,
    });
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    logFailure(options.log, "source not finished", error, source.id);
  }
  return report;
}

/** Extends the lease until the visit is over, so that it may be short: a killed process holds up nobody for long. */
async function holdLease(
  { id }: SourceSettings,
  { clock, store, holder, log }: VisitOptions,
  signal: AbortSignal,
): Promise<void> {
  while (true) {
    await clock.sleep(BEAT_MS, signal);
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
  { processed, startedAtMs }: { processed: IngestResult; startedAtMs: number },
  options: VisitOptions,
): Promise<Removals & { heldBack: number }> {
  const atMs = options.clock.nowMs();
  const { freshUntilMs, redirects: whereabouts } = processed;
  const { store, newId, holder, rulesVersion } = options;
  const removals = await findRemovals(source, processed, { store, newId, holder, nowMs: atMs, rulesVersion });
  const gaps = decidePartialFailures(state.gaps, processed.partialFailures, atMs);
  const end = commonEnd(source, state, { outcome: "ok", atMs, decided: processed.decided, gaps }, options);
  const moves = decideMoves(state.moves, whereabouts, atMs);
  // What is missing counts only when it is missing again: the source is asked for all of it.
  const cursor = removals.missed > 0 ? null : processed.cursor;
  const heldBack = await finish(
    {
      ...end,
      narrowUntilMs: narrowUntilAfter(source, state, { isWhole: gaps.length === 0, nowMs: atMs }),
      ...nextAfterSuccess(options.scheduleOf(source), {
        nowMs: atMs,
        freshUntilMs,
        maxFreshMs: options.maxFreshMs,
      }),
      isItsFault: true,
      goesOn: processed.goesOn,
      kept: { ...keptOf(source, processed), cursor },
      error: null,
      moves,
      ...(gaps.length > 0 ? {} : { responded: { hosts: hostsOf(source), sinceMs: startedAtMs } }),
    },
    itemsOf(processed),
    options,
  );
  options.fingerprints.keep(source.id, { cursor, atMs }, processed.fingerprints);
  const { log } = options;
  for (const { url, adoptedAtMs } of moves) {
    if (adoptedAtMs !== atMs) continue;
    log.warn(
      "source has moved permanently: its new URL is fetched from now on; change its url in the config",
      { source: source.id, host: new URL(url).host },
    );
  }
  for (const { part, reason } of gaps) {
    if (state.gaps.some((before) => before.part === part)) continue;
    log.warn("a part of a source could not be fetched; `source list` shows it", {
      source: source.id,
      part: part.slice(0, MAX_LOGGED),
      cause: reason,
    });
  }
  if (state.lastError !== null) {
    log.info("source recovered", { source: source.id, failures: state.consecutiveFailures });
  }
  logFetched(source, processed, log);
  return { ...removals, heldBack };
}

/** Items of a fetch, those that came as they were included; what came in several languages counts once. */
function itemsOf({ decided, repeated, identity: { languages } }: IngestResult): number {
  const asTheyWere = repeated.unchanged + repeated.irrelevant;
  if (languages === null) return decided.length + asTheyWere;
  return Math.max(
    new Set(decided.map(({ key }) => key)).size,
    Math.ceil(asTheyWere / languages.codes.length),
  );
}

/** What of a fetch tells the next one what is known already. */
function keptOf(
  { timezone }: SourceSettings,
  { identity }: IngestResult,
): Omit<NonNullable<FetchEnd["kept"]>, "cursor"> {
  return { identityRule: identity.rule, formerRules: identity.former, timezone };
}

/** Ends the visit, and says so when a flood is held back by it. Returns how many events are. */
async function finish(end: FetchEnd, items: number, { store, log }: VisitOptions): Promise<number> {
  let flood = NO_FLOOD;
  const events = await store.finishFetch(end, (arrivals) => flood = judgeArrivals(arrivals, items));
  if (events === 0) return 0;
  const of = [...(flood.isNew ? ["new publications"] : []), ...(flood.isRevised ? ["revisions"] : [])];
  log.warn("change spike: its events are held until `source release` delivers or discards them", {
    source: end.sourceId,
    events,
    of: of.join(" and "),
  });
  return events;
}

function logFetched(source: SourceSettings, processed: IngestResult, log: Log): void {
  for (const { decision } of processed.decided) {
    if (decision.kind !== "record") continue;
    const { id, version } = decision.event;
    log.debug("event recorded", { source: source.id, event: id, version });
  }
  const report = reportOf(source.id, processed);
  const hasBrought = report.new + report.revised + report.translated + report.refused.length > 0;
  log[hasBrought ? "info" : "debug"]("source fetched", {
    source: source.id,
    new: report.new,
    revised: report.revised,
    unchanged: report.unchanged,
    translated: report.translated,
    passed_over: report.passed_over,
    refused: report.refused.length,
    ...(report.unnotified === undefined ? {} : { untold: report.unnotified }),
  });
  for (const note of processed.notes) log.info("note about a source", { source: source.id, note });
  const [first] = report.refused;
  if (first !== undefined) {
    log.warn("some items were refused; `source test` shows all of them", {
      source: source.id,
      refused: report.refused.length,
      first: first.item.slice(0, MAX_LOGGED),
      cause: first.reason,
    });
  }
}

async function finishFailed(
  source: SourceSettings,
  state: SourceState,
  { failure, processed }: { failure: FetchError; processed: IngestResult | null },
  options: VisitOptions,
): Promise<void> {
  const atMs = options.clock.nowMs();
  const failures = state.consecutiveFailures + 1;
  const asked = { nowMs: atMs, failures, retryAtMs: failure.retryAtMs };
  const end = commonEnd(
    source,
    state,
    { outcome: failure.state, atMs, decided: processed?.decided ?? [] },
    options,
  );
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
      // What was recorded of it stays, under the rule that it was recorded with; the whole is asked for anew.
      kept: processed === null ? null : {
        ...keptOf(source, processed),
        cursor: processed.isCutShort ? processed.cursor : processed.progress ?? state.cursor,
      },
      error: failure.message,
      moves: decideMoves(
        state.moves,
        addressesOf(source).map((address) => ({ address, kind: "failed" })),
        atMs,
      ),
    },
    processed === null ? 0 : itemsOf(processed),
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
  { outcome, atMs, decided, gaps = state.gaps }: {
    outcome: FetchResult;
    atMs: number;
    decided: IngestResult["decided"];
    /** Without them those before it stay. */
    gaps?: readonly PartialFailure[];
  },
  { holder, spacingOf, scheduleOf }: VisitOptions,
): Pick<
  FetchEnd,
  | "sourceId"
  | "holder"
  | "schedule"
  | "atMs"
  | "outcome"
  | "outcomeSinceMs"
  | "news"
  | "gaps"
  | "narrowUntilMs"
  | "hosts"
> {
  const news = noteNews(state.news, decided, atMs);
  // Silence is no outcome, but a source that ends it is well from now on.
  const endsSilence = news.lastAtMs === atMs && silentSince(source, state, atMs) !== null;
  const isMended = outcome === "ok" && state.gaps.length > 0 && gaps.length === 0;
  const isSame = state.outcome === outcome && !endsSilence && !isMended;
  const host = hostOf(source);
  return {
    sourceId: source.id,
    holder,
    schedule: nameOf(scheduleOf(source)),
    atMs,
    outcome,
    outcomeSinceMs: isSame ? state.outcomeSinceMs ?? atMs : atMs,
    news,
    gaps,
    narrowUntilMs: state.narrowUntilMs,
    hosts: host === null ? [] : [{ host, freeAtMs: atMs + spacingOf(host), pausedUntilMs: 0 }],
  };
}

/** Logs a failure that should not happen; at debug level one that a storage fault causes. */
export function logFailure(log: Log, message: string, error: unknown, source?: string): void {
  const cause = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  log[failureLevel(error)](message, { cause, ...(source === undefined ? {} : { source }) });
}
