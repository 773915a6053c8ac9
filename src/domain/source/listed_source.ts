// The state of a source, as `source list` and the operator's pages show it.
import type { SourceSettings, SourceState } from "./source.ts";
import { sourceHealth } from "./source_health.ts";

/** A source in the list, with the JSON's field names. Times are Unix ms. */
export type ListedSource = ReturnType<typeof listedFields>;

/** Returns the sources in the order of the config, followed by removed sources that still have held events. */
export function listSources(
  { sources }: { sources: readonly SourceSettings[] },
  states: readonly SourceState[],
  nowMs: number,
): ListedSource[] {
  const known = new Map(states.map((state) => [state.id, state]));
  const configured = new Set(sources.map(({ id }) => id));
  const gone = states.filter(({ id, heldBack }) => heldBack > 0 && !configured.has(id));
  return [
    ...sources.map((source) => listedFields(source, known.get(source.id) ?? null, nowMs)),
    ...gone.map((state) => listedFields(null, state, nowMs)),
  ];
}

/** `source` is null if the source was removed from the config; `state` is null if no state is stored yet. */
function listedFields(source: SourceSettings | null, state: SourceState | null, nowMs: number) {
  const isEnabled = source?.enabled === true;
  const health = isEnabled ? sourceHealth(source, state, nowMs) : null;
  const urls = source === null ? [] : Object.values(source.urls ?? { only: source.location });
  const gaps = source === null ? [] : state?.partialFailures ?? [];
  return {
    id: source?.id ?? state?.id ?? "",
    enabled: isEnabled,
    state: source === null ? "gone" as const : health?.condition ?? "off" as const,
    state_since: health?.sinceMs ?? null,
    reason: source === null ? "is no longer in the config" : health?.reason ?? null,
    fetch_strategy: source?.fetchStrategy ?? null,
    last_success_at: state?.lastSuccessAtMs ?? null,
    last_new_at: state?.cadence.lastAtMs ?? null,
    // A source that is not stored yet is due when the server starts.
    next_due_at: isEnabled && state !== null ? nextDue(state, nowMs) : null,
    events: state?.eventCount ?? 0,
    consecutive_failures: state?.consecutiveFailures ?? 0,
    last_error: state?.lastError ?? null,
    held_back: state?.heldBack ?? 0,
    gaps: gaps.map(({ part, reason, sinceMs }) => ({ part, reason, since: sinceMs })),
    moves: (state?.moves ?? []).filter(({ from }) => urls.includes(from)).map((move) => ({
      from: move.from,
      to: move.url,
      since: move.sinceMs,
      adopted_at: move.adoptedAtMs,
    })),
  };
}

/** Returns the time of the next fetch, which waits while requests to the host are paused. */
function nextDue({ nextDueAtMs, hostPausedUntilMs }: SourceState, nowMs: number): number {
  return hostPausedUntilMs !== null && hostPausedUntilMs > nowMs
    ? Math.max(nextDueAtMs, hostPausedUntilMs)
    : nextDueAtMs;
}
