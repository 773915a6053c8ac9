// What a fetch of one source came to, as the command line prints it.
import type { IngestResult } from "./model.ts";
import type { RefusedItem } from "./fetch/fetch_types.ts";

/** What a fetch of one source came to. */
export interface IngestReport {
  id: string;
  ok: boolean;
  new: number;
  revised: number;
  /** Known ones that came as they were; where a server says that nothing has changed, nothing comes. */
  unchanged: number;
  /** Items in a further language: the record of their publication has their words, and they make none of their own. */
  translated: number;
  /** Items that do not concern AI regulation. */
  passed_over: number;
  refused: RefusedItem[];
  /** Events of a flood, new ones or revisions, of which nobody is told before they are released; left out without any. */
  held_back?: number;
  /**
   * New ones that nobody is told of, because they were passed over before the source was told to take everything; left
   * out without any.
   */
  unnotified?: number;
  /** What was left out on purpose, in words; left out without anything. */
  notes?: string[];
  /** Why the source could not be fetched, or not well. */
  error?: string;
}

/** The report of a source of which nothing was dealt with. */
export function emptyReport(id: string): IngestReport {
  return { id, ok: true, new: 0, revised: 0, unchanged: 0, translated: 0, passed_over: 0, refused: [] };
}

/** The report of what was dealt with. */
export function reportOf(id: string, { decided, repeated, refused, notes }: IngestResult): IngestReport {
  const report: IngestReport = {
    ...emptyReport(id),
    unchanged: repeated.unchanged,
    passed_over: repeated.irrelevant,
    refused,
    ...(notes.length === 0 ? {} : { notes }),
  };
  for (const { decision } of decided) {
    if (decision.kind === "passed_over") report.passed_over++;
    else if (decision.kind === "translated" || decision.kind === "joined") report.translated++;
    else if (decision.kind === "unchanged") report.unchanged++;
    else if (decision.event.version === 1) report.new++;
    else report.revised++;
  }
  const untold = decided.filter(({ suppressNotification }) => suppressNotification).length;
  return untold === 0 ? report : { ...report, unnotified: untold };
}

/** The report of a source of which nothing could be had. */
export function failed(id: string, error: string): IngestReport {
  return { ...emptyReport(id), ok: false, error };
}
