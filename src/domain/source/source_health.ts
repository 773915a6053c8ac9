// How a source fares, in one word: from what its last fetch came to, and from how long nothing new has come.
import type { FetchStrategy, PublicationCadence, SourceState } from "./source.ts";

/**
 * `new`: never fetched yet. `ok`. `failing`: the last fetch failed, or it is long overdue. `blocked`: its host refuses
 * or throttles this client. `empty`: it gave fewer items than it must. `partial`: it is fetched with success but for a
 * part of it. `silent`: it is fetched with success, and nothing new has come for longer than its own history, or the
 * config, allows.
 */
export const SOURCE_CONDITIONS = ["new", "ok", "failing", "blocked", "silent", "empty", "partial"] as const;

/** See {@link SOURCE_CONDITIONS}. */
export type SourceCondition = typeof SOURCE_CONDITIONS[number];

/** How a source fares. */
export interface SourceHealth {
  condition: SourceCondition;
  /** Since when, Unix ms; null for `new`. */
  sinceMs: number | null;
  /** Why, in words for the operator; null for `new` and `ok`. */
  reason: string | null;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** A source that has been due for an hour, or for twice as long as it waited to become due, is not being fetched. */
const OVERDUE_MS = HOUR_MS;
/** So many days with something new show a cadence. */
const DAYS_THAT_SHOW = 10;
/** What is allowed until a cadence shows. */
const UNKNOWN_CADENCE_MS = 45 * DAY_MS;
/** A cadence allows no less and no more than this, whatever it is. */
const MIN_SILENCE_MS = 3 * DAY_MS;
const MAX_SILENCE_MS = 180 * DAY_MS;

/** How a source fares now; `state` is null when the store does not know it yet. */
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
    const reason = `nothing new for ${Math.floor((nowMs - lastNewMs) / DAY_MS)} days`;
    return { condition: "silent", sinceMs: silentMs, reason };
  }
  return { condition: "ok", sinceMs: state.outcomeSinceMs, reason: null };
}

/** Since when a source has had nothing new for longer than it may, Unix ms; null when it has not. */
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
 * How long a source may have nothing new, ms: twice the longest gap between the days on which it had, and a day. A
 * source that publishes every working day is silent after a week, one that publishes monthly after two months.
 */
export function silenceAllowed({ days }: PublicationCadence): number {
  if (days.length < DAYS_THAT_SHOW) return UNKNOWN_CADENCE_MS;
  const gaps = days.slice(1).map((day, index) => day - (days[index] ?? day));
  return Math.min(Math.max((2 * Math.max(...gaps) + 1) * DAY_MS, MIN_SILENCE_MS), MAX_SILENCE_MS);
}
