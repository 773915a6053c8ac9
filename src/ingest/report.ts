// The report on one fetch of a source, as the command line prints it.
import type { IngestResult } from "./model.ts";
import type { RefusedItem } from "./fetch/fetch_types.ts";

export interface IngestReport {
  id: string;
  ok: boolean;
  new: number;
  revised: number;
  /** The number of known items that have not changed, or 0 if the server responds that nothing has changed. */
  unchanged: number;
  /** The number of items that added a further language to a publication. */
  translated: number;
  /** The number of items that do not concern AI regulation. */
  passed_over: number;
  refused: readonly RefusedItem[];
  /** The parts that were missing from a successful fetch, as `source list --json` shows them; absent if there are none. */
  gaps?: readonly { part: string; reason: string; since: number }[];
  /** The number of events that are held because of a change spike; absent if there are none. */
  held_back?: number;
  /** The number of new events that cause no notification because their items were skipped before; absent if 0. */
  unnotified?: number;
  /** Sentences for the operator, such as notes on items that are left out on purpose; absent if there are none. */
  notes?: readonly string[];
  error?: string;
}

function emptyReport(id: string): IngestReport {
  return { id, ok: true, new: 0, revised: 0, unchanged: 0, translated: 0, passed_over: 0, refused: [] };
}

export function reportOf(id: string, { decided, repeated, refused, notes }: IngestResult): IngestReport {
  const report: IngestReport = {
    ...emptyReport(id),
    unchanged: repeated.unchanged,
    passed_over: repeated.irrelevant,
    refused,
    ...(notes.length === 0 ? {} : { notes }),
  };
  for (const { decision } of decided) {
    if (decision.kind === "irrelevant") report.passed_over++;
    else if (decision.kind === "translated" || decision.kind === "joined") report.translated++;
    else if (decision.kind === "unchanged") report.unchanged++;
    else if (decision.event.version === 1) report.new++;
    else report.revised++;
  }
  const unnotified = decided.filter(({ suppressNotification }) => suppressNotification).length;
  return unnotified === 0 ? report : { ...report, unnotified };
}

export function failed(id: string, error: string): IngestReport {
  return { ...emptyReport(id), ok: false, error };
}
