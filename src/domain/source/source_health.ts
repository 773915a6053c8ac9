// Derives the condition of a source from the outcome of its last fetch and from the time without anything new.
import { formatCount } from "../format_count.ts";
import type { FetchStrategy, PublicationCadence, SourceState } from "./source.ts";

/**
 * `new`: never fetched. `failing`: the last fetch failed, or the next one is long overdue. `blocked`: the host refuses
 * or throttles this client. `empty`: fewer items than required. `partial`: fetched, but a part was missing. `silent`:
 * fetched, but nothing new for longer than its history or the config allows.
 */
export const SOURCE_CONDITIONS = ["new", "ok", "failing", "blocked", "silent", "empty", "partial"] as const;

export type SourceCondition = typeof SOURCE_CONDITIONS[number];

interface SourceHealth {
  condition: SourceCondition;
  /** When the condition began, Unix ms, or null for `new`. */
  sinceMs: number | null;
  /** The reason, for the operator, or null for `new` and `ok`. */
  reason: string | null;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** A source is overdue if its delay exceeds this duration, ms, and twice the time between its runs. */
const OVERDUE_MS = HOUR_MS;
/** Minimum number of days with something new from which to derive a cadence. */
const DAYS_THAT_SHOW = 10;
/** The allowed silence if the cadence is unknown, ms. */
const UNKNOWN_CADENCE_MS = 45 * DAY_MS;
/** The minimum and maximum silence that a cadence allows, ms. */
const MIN_SILENCE_MS = 3 * DAY_MS;
const MAX_SILENCE_MS = 180 * DAY_MS;

/** Returns the current condition of a source. `state` is null if the source is not in the store. */
export function sourceHealth(
  settings: { fetchStrategy: FetchStrategy; silentAfterMs?: number },
  state: SourceState | null,
  nowMs: number,
): SourceHealth {
  if (state === null) return { condition: "new", sinceMs: null, reason: null };
  if (state.outcome !== null && state.outcome !== "ok") {
    return { condition: state.outcome, sinceMs: state.outcomeSinceMs, reason: state.lastError };
  }
  const waitedMs = state.nextDueAtMs - (state.lastAttemptAtMs ?? state.nextDueAtMs);
  if (nowMs - state.nextDueAtMs > Math.max(OVERDUE_MS, 2 * waitedMs) && !isPaused(state, nowMs)) {
    const reason = "is overdue; is the service running?";
    return { condition: "failing", sinceMs: state.nextDueAtMs, reason };
  }
  if (state.outcome === null) return { condition: "new", sinceMs: null, reason: null };
  const [gap, ...others] = state.partialFailures;
  if (gap !== undefined) {
    const more = others.length === 0 ? "" : `, and ${others.length} more`;
    const sinceMs = Math.min(...state.partialFailures.map((one) => one.sinceMs));
    return { condition: "partial", sinceMs, reason: `${gap.part}: ${gap.reason}${more}` };
  }
  const silentMs = silentSince(settings, state, nowMs);
  if (silentMs !== null) {
    const lastNewMs = state.cadence.lastAtMs ?? state.firstSuccessAtMs ?? nowMs;
    const days = Math.floor((nowMs - lastNewMs) / DAY_MS);
    const reason = `nothing new for ${formatCount(days, "day")}`;
    return { condition: "silent", sinceMs: silentMs, reason };
  }
  return { condition: "ok", sinceMs: state.outcomeSinceMs, reason: null };
}

/** Returns when a source became silent, Unix ms, or null if it is not silent. */
export function silentSince(
  settings: { fetchStrategy: FetchStrategy; silentAfterMs?: number },
  { cadence: news, firstSuccessAtMs }: SourceState,
  nowMs: number,
): number | null {
  const allowedMs = settings.silentAfterMs ??
    (settings.fetchStrategy === "files" ? null : silenceAllowed(news));
  const lastNewMs = news.lastAtMs ?? firstSuccessAtMs;
  if (allowedMs === null || lastNewMs === null || nowMs - lastNewMs <= allowedMs) return null;
  return lastNewMs + allowedMs;
}

function isPaused({ hostPausedUntilMs }: SourceState, nowMs: number): boolean {
  return hostPausedUntilMs !== null && hostPausedUntilMs > nowMs;
}

/**
 * Returns the allowed silence of a source, ms: twice the longest gap between days with something new, plus a day, but
 * within bounds. A source that publishes every working day is silent after a week, and a monthly one after two months.
 */
export function silenceAllowed({ days }: PublicationCadence): number {
  if (days.length < DAYS_THAT_SHOW) return UNKNOWN_CADENCE_MS;
  const gaps = days.slice(1).map((day, index) => day - (days[index] ?? day));
  return Math.min(Math.max((2 * Math.max(...gaps) + 1) * DAY_MS, MIN_SILENCE_MS), MAX_SILENCE_MS);
}
