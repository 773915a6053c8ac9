// The metrics of ingest: fetches of sources and the outcomes of their items.
import type { Metrics } from "../domain/ports/metrics.ts";
import type { FetchResult } from "../domain/source/source.ts";
import type { IngestReport } from "./report.ts";

export type CountFetch = (outcome: FetchResult, report: IngestReport) => void;

export function createIngestMetrics(metrics: Metrics): CountFetch {
  const fetches = metrics.counter({
    name: "regfeed_ingest_fetches_total",
    help: "Fetches of sources, by result.",
    labels: ["source", "outcome"],
  });
  const items = metrics.counter({
    name: "regfeed_ingest_items_total",
    help: "Items of fetched documents, by result.",
    labels: ["source", "outcome"],
  });
  return (outcome, report) => {
    const { id, new: fresh, revised, unchanged, translated, passed_over, refused } = report;
    fetches.add([id, outcome]);
    const counts = { new: fresh, revised, unchanged, translated, passed_over, refused: refused.length };
    for (const [itemOutcome, count] of Object.entries(counts)) {
      if (count > 0) items.add([id, itemOutcome], count);
    }
  };
}
