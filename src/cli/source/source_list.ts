// The output of `source list`: state, reason, next fetch and redirects of each source.
import type { Config } from "../../config/config.ts";
import type { SourceState } from "../../domain/source/source.ts";
import { type SourceCondition, sourceHealth } from "../../domain/source/source_health.ts";
import type { Host } from "../../platform/process/process.ts";
import { linesFor, tableFor } from "../print.ts";
import { cut, formatTime } from "../table.ts";

const REASON_WIDTH = 80;

/** A source as it is listed; times in Unix ms. The names are those of the JSON. */
export interface ListedSource {
  id: string;
  enabled: boolean;
  /** `off`: disabled in the config; `gone`: no longer in the config. */
  state: SourceCondition | "off" | "gone";
  state_since: number | null;
  reason: string | null;
  /** Null if it is gone. */
  fetch_strategy: string | null;
  last_success_at: number | null;
  /** Time of the last new item. */
  last_new_at: number | null;
  /** Null if it is disabled, or not stored yet: then it is due at the start. */
  next_due_at: number | null;
  consecutive_failures: number;
  last_error: string | null;
  /** Events held by a change spike. */
  held_back: number;
  /** The parts that its last successful fetch lacked. */
  gaps: { part: string; reason: string; since: number }[];
  /** Permanent redirects of its URLs, and since when the new URL is fetched. */
  moves: { from: string; to: string; since: number; adopted_at: number | null }[];
}

/** The sources of the config in its order, then removed sources with held events. */
export function listSources(config: Config, states: readonly SourceState[], nowMs: number): ListedSource[] {
  const configured = new Set(config.sources.map(({ id }) => id));
  const gone = states.filter(({ id, heldBack }) => heldBack > 0 && !configured.has(id));
  return [...listConfigured(config, states, nowMs), ...gone.map(listGone)];
}

function listGone(state: SourceState): ListedSource {
  return {
    id: state.id,
    enabled: false,
    state: "gone",
    state_since: null,
    reason: "is no longer in the config",
    fetch_strategy: null,
    last_success_at: state.lastSuccessAtMs,
    last_new_at: state.cadence.lastAtMs,
    next_due_at: null,
    consecutive_failures: state.consecutiveFailures,
    last_error: state.lastError,
    held_back: state.heldBack,
    gaps: [],
    moves: [],
  };
}

function listConfigured(config: Config, states: readonly SourceState[], nowMs: number): ListedSource[] {
  const known = new Map(states.map((state) => [state.id, state]));
  return config.sources.map((source) => {
    const state = known.get(source.id) ?? null;
    const { condition, sinceMs, reason } = sourceHealth(source, state, nowMs);
    const addresses = Object.values(source.urls ?? { only: source.location });
    const moves = state?.moves.filter(({ from }) => addresses.includes(from)) ?? [];
    return {
      id: source.id,
      enabled: source.enabled,
      state: source.enabled ? condition : "off",
      state_since: source.enabled ? sinceMs : null,
      reason: source.enabled ? reason : null,
      fetch_strategy: source.fetchStrategy,
      last_success_at: state?.lastSuccessAtMs ?? null,
      last_new_at: state?.cadence.lastAtMs ?? null,
      next_due_at: source.enabled && state !== null ? nextDue(state, nowMs) : null,
      consecutive_failures: state?.consecutiveFailures ?? 0,
      last_error: state?.lastError ?? null,
      held_back: state?.heldBack ?? 0,
      gaps: (state?.partialFailures ?? []).map(({ part, reason, sinceMs }) => ({
        part,
        reason,
        since: sinceMs,
      })),
      moves: moves.map(({ from, url, sinceMs, adoptedAtMs }) => ({
        from,
        to: url,
        since: sinceMs,
        adopted_at: adoptedAtMs,
      })),
    };
  });
}

/** The next fetch, which waits while the host is paused. */
function nextDue({ nextDueAtMs, hostPausedUntilMs }: SourceState, nowMs: number): number {
  return hostPausedUntilMs !== null && hostPausedUntilMs > nowMs
    ? Math.max(nextDueAtMs, hostPausedUntilMs)
    : nextDueAtMs;
}

/** The list as a table, with advice for sources that lack a part or have moved. */
export function listTable(
  sources: readonly ListedSource[],
  host: Pick<Host, "isTerminal" | "columns">,
): string {
  if (sources.length === 0) return "No sources. Add [[sources]] to the config.\n";
  const table = tableFor(
    host,
    ["SOURCE", "STATE", "SINCE (UTC)", "LAST SUCCESS (UTC)", "NEXT (UTC)", "FAILURES", "WHY"],
    sources.map((source) => [
      source.id,
      source.state,
      formatTime(source.state_since),
      formatTime(source.last_success_at),
      !source.enabled ? "-" : source.next_due_at === null ? "at start" : formatTime(source.next_due_at),
      source.consecutive_failures,
      cut(source.reason ?? "", REASON_WIDTH),
    ]),
    { drop: ["LAST SUCCESS (UTC)", "FAILURES", "SINCE (UTC)", "NEXT (UTC)"], cut: "WHY" },
  );
  const gaps = sources.filter(({ enabled }) => enabled).flatMap(({ id, gaps }) =>
    gaps.map(({ part, reason, since }) =>
      `${id} lacks ${part} since ${formatTime(since)}: ${reason}; \`source test ${id}\` tries it now\n`
    )
  );
  const moves = sources.flatMap((source) =>
    source.moves.map(({ from, to, since, adopted_at }) => {
      // With several URLs the message names the URL.
      const what = source.moves.length > 1 ? `${source.id} (${from})` : source.id;
      return adopted_at === null
        ? `${what} has redirected permanently to ${to} since ${formatTime(since)}\n`
        : `${what} has moved to ${to} and is fetched there: change its URL in the config\n`;
    })
  );
  const spikes = sources.filter(({ held_back }) => held_back > 0).map(({ id, held_back }) =>
    `${id} has ${held_back} events held by a change spike: source release ${id} delivers them; with ` +
    "--discard they stay undelivered\n"
  );
  return table + linesFor(host, gaps.join("") + moves.join("") + spikes.join(""));
}
