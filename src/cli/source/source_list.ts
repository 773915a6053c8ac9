// What `source list` shows: how each source fares, since when and why, when it is fetched next, where it has moved.
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
  /** `off` is switched off in the config, `gone` is in it no more. */
  state: SourceCondition | "off" | "gone";
  state_since: number | null;
  reason: string | null;
  /** Null for a source that is gone. */
  fetch_strategy: string | null;
  last_success_at: number | null;
  /** When something new came last. */
  last_new_at: number | null;
  /** Null when it is switched off, or when the store does not know it yet: then it is due at the start. */
  next_due_at: number | null;
  consecutive_failures: number;
  last_error: string | null;
  /** Events of a flood that wait for `source release`. */
  held_back: number;
  /** What its last success was without, why, and since when. */
  gaps: { part: string; reason: string; since: number }[];
  /** Where an address of it says that it has moved for good, since when, and from when on that address is asked. */
  moves: { from: string; to: string; since: number; adopted_at: number | null }[];
}

/** The sources of the config, in its order, and those that are gone from it while a flood of theirs is held back. */
export function listSources(config: Config, states: readonly SourceState[], nowMs: number): ListedSource[] {
  const configured = new Set(config.sources.map(({ id }) => id));
  const gone = states.filter(({ id, heldBack }) => heldBack > 0 && !configured.has(id)).map(listGone);
  return [...listConfigured(config, states, nowMs), ...gone];
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

/** A source whose host wants to be left alone is not fetched before that time is over. */
function nextDue({ nextDueAtMs, hostPausedUntilMs }: SourceState, nowMs: number): number {
  return hostPausedUntilMs !== null && hostPausedUntilMs > nowMs
    ? Math.max(nextDueAtMs, hostPausedUntilMs)
    : nextDueAtMs;
}

/** The list for scripts. */
export function listJson(sources: readonly ListedSource[]): string {
  return `${JSON.stringify({ sources })}\n`;
}

/** The list for people, with what is to be done about the sources that miss a part or have moved. */
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
      // Of several addresses it is told which one.
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
