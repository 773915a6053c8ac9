// The output of `source list`: state, counts, reason, next fetch and redirects of each source.
import { formatCount } from "../../domain/format_count.ts";
import type { Config } from "../../config/config.ts";
import type { SourceState } from "../../domain/source/source.ts";
import { sourceHealth } from "../../domain/source/source_health.ts";
import { stateCell } from "../colours.ts";
import { tableFor, timeCell, type Viewer } from "../print.ts";
import { type Cell, cut, formatTime } from "../table.ts";
import { type HeldEvent, heldTable, releaseHint } from "./held_events.ts";

const REASON_WIDTH = 80;

/** A source in the list, with the JSON's field names. Times are Unix ms. */
type ListedSource = ReturnType<typeof listedFields>;

/** Returns the sources in the order of the config, followed by removed sources that still have held events. */
export function listSources(config: Config, states: readonly SourceState[], nowMs: number): ListedSource[] {
  const known = new Map(states.map((state) => [state.id, state]));
  const configured = new Set(config.sources.map(({ id }) => id));
  const gone = states.filter(({ id, heldBack }) => heldBack > 0 && !configured.has(id));
  return [
    ...config.sources.map((source) => listedFields(source, known.get(source.id) ?? null, nowMs)),
    ...gone.map((state) => listedFields(null, state, nowMs)),
  ];
}

/** `source` is null if the source was removed from the config; `state` is null if no state is stored yet. */
function listedFields(source: Config["sources"][number] | null, state: SourceState | null, nowMs: number) {
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

export function listTable(
  sources: readonly ListedSource[],
  viewer: Viewer,
): { table: string; notes: string } {
  if (sources.length === 0) return { table: "No sources. Add [[sources]] to the config.\n", notes: "" };
  const table = tableFor(
    viewer,
    [
      "SOURCE",
      "STATE",
      "EVENTS",
      "LAST NEW (UTC)",
      "SINCE (UTC)",
      "LAST SUCCESS (UTC)",
      "NEXT (UTC)",
      "FAILURES",
      "WHY",
    ],
    sources.map((source) => [
      source.id,
      stateWithHeld(source),
      source.events,
      timeCell(source.last_new_at),
      timeCell(source.state_since),
      timeCell(source.last_success_at),
      source.enabled ? timeCell(source.next_due_at, "at start") : "-",
      source.consecutive_failures,
      cut(source.reason ?? "", REASON_WIDTH),
    ]),
    { drop: ["LAST SUCCESS (UTC)", "FAILURES", "SINCE (UTC)", "NEXT (UTC)"], cut: "WHY" },
  );
  const gaps = sources.filter(({ enabled }) => enabled).flatMap(({ id, gaps }) =>
    gaps.map(({ part, reason, since }) =>
      `${id} has lacked ${part} since ${
        formatTime(since)
      }: ${reason}; \`source test ${id}\` tries a fetch now\n`
    )
  );
  const moves = sources.flatMap((source) =>
    source.moves.map(({ from, to, since, adopted_at }) => {
      // If several of the source's URLs have moved, each message names its URL.
      const what = source.moves.length > 1 ? `${source.id} (${from})` : source.id;
      return adopted_at === null
        ? `${what} has redirected permanently to ${to} since ${formatTime(since)}\n`
        : `${what} has moved to ${to} and is fetched there: change its URL in the config\n`;
    })
  );
  const spikes = sources.filter(({ held_back }) => held_back > 0).map(({ id, held_back }) =>
    releaseHint({ id, events: held_back })
  );
  return { table, notes: gaps.join("") + moves.join("") + spikes.join("") };
}

/** Returns the state, with the number of held events if there are any, in the colour of the more urgent of the two. */
function stateWithHeld({ state, held_back }: ListedSource): Cell {
  const cell = stateCell(state);
  if (held_back === 0) return cell;
  const colour = typeof cell === "object" && "colour" in cell && cell.colour === "red" ? "red" : "yellow";
  return { text: `${state}, ${held_back} held`, colour };
}

/** Formats the sources that have held events, each with a table of these events. */
export function heldSourcesTable(
  sources: readonly (ListedSource & { held_events: HeldEvent[] })[],
  viewer: Viewer,
): { table: string; notes: string } {
  if (sources.length === 0) return { table: "No events are held.\n", notes: "" };
  const tables = sources.map(({ id, held_events }) =>
    `${id}: ${formatCount(held_events.length, "event")} held\n${heldTable(viewer, held_events)}`
  );
  const notes = sources.map(({ id, held_back }) => releaseHint({ id, events: held_back }));
  return { table: tables.join("\n"), notes: notes.join("") };
}
