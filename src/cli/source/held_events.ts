// The events that a change spike holds, as `source release` and `source list --held` print them.
import { formatCount } from "../../domain/format_count.ts";
import type { RegEvent } from "../../domain/event/event.ts";
import type { Store } from "../../domain/ports/store/store.ts";
import { tableFor, timeCell, type Viewer } from "../print.ts";
import { publishedCell } from "../table.ts";

/** Maximum number of events in a table. `--json` lists all. */
const MAX_ROWS = 100;

/** A held event, with the JSON's field names. Times are Unix ms. */
export type HeldEvent = ReturnType<typeof heldFields>;

/** Reads the events that a source's change spike holds, newest first. */
export async function readHeld(store: Store, sourceId: string): Promise<HeldEvent[]> {
  return (await store.listHeldEvents(sourceId)).map((json) => heldFields(JSON.parse(json)));
}

function heldFields(event: RegEvent) {
  return {
    id: event.id,
    version: event.version,
    event_type: event.event_type,
    severity: event.severity,
    title: event.title_en,
    url: event.url_official,
    published_at: event.published_at,
    published_at_precision: event.published_at_precision,
    published_on: event.published_on,
    // Events are held from the moment they are stored.
    held_since: event.ingested_at,
  };
}

/** Formats the newest events as a table, followed by the number of those left out. */
export function heldTable(viewer: Viewer, events: readonly HeldEvent[]): string {
  const rows = events.slice(0, MAX_ROWS).map((event) => [
    publishedCell(event),
    timeCell(event.held_since),
    event.version === 1 ? "new" : "revised",
    event.title,
    event.id,
  ]);
  const header = ["PUBLISHED (UTC)", "HELD SINCE (UTC)", "CHANGE", "TITLE", "EVENT"];
  const table = tableFor(viewer, header, rows, { drop: ["EVENT", "CHANGE"], cut: "TITLE" });
  const rest = events.length - rows.length;
  return rest <= 0 ? table : `${table}… and ${rest} more; --json lists all\n`;
}

/** Says how to see, deliver and discard the held events of a source. */
export function releaseHint({ id, events }: { id: string; events: number }): string {
  return `${id}: a change spike holds ${
    formatCount(events, "event")
  }: \`regfeed source release ${id}\` lists ` +
    "them; --deliver delivers them, and --discard keeps them undelivered\n";
}
