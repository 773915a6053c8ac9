// The output of `source list`: state, counts, reason, next fetch and redirects of each source.
import { formatCount } from "../../domain/format_count.ts";
import type { ListedSource } from "../../domain/source/listed_source.ts";
import { stateCell } from "../colours.ts";
import { tableFor, timeCell, type Viewer } from "../print.ts";
import { formatTime } from "../../domain/format_time.ts";
import type { Cell } from "../table.ts";
import { type HeldEvent, heldTable, releaseHint } from "./held_events.ts";

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
      source.reason ?? "",
    ]),
    { drop: ["LAST SUCCESS (UTC)", "FAILURES", "SINCE (UTC)", "NEXT (UTC)"], cut: "WHY" },
  );
  const gaps = sources.filter(({ enabled }) => enabled).flatMap(({ id, gaps }) =>
    gaps.map(({ part, reason, since }) =>
      `${id} has lacked ${part} since ${
        formatTime(since)
      }: ${reason}; \`regfeed source test ${id}\` tries a fetch now\n`
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
