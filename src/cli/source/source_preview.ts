// The output of `source test`: what would be new, revised or refused, and why.
import type { PreviewedItem, SourcePreview } from "../../domain/source/source_preview.ts";
import { textWidth } from "../wrap_text.ts";
import { stateCell } from "../colours.ts";
import { tableFor, type Viewer } from "../print.ts";
import { cut, formatPublished } from "../table.ts";
import { formatReasons } from "../event/explain.ts";

const TITLE_WIDTH = 60;

/** Formats a preview. With the reasons for their values, each item is followed by its reasons. */
export function previewTable(
  { items, ...report }: SourcePreview,
  viewer: Viewer,
): { table: string; notes: string } {
  const failure = report.ok ? "" : `${report.id}: ${report.error}\n`;
  if (!report.ok && items.length + report.refused.length === 0) return { table: "", notes: failure };
  const rows = items.map((item) => [
    item.outcome.replace("passed over", "skipped"),
    item.published_at === null ? "-" : formatPublished({ ...item, published_at: item.published_at }),
    item.language,
    item.event_type,
    stateCell(item.severity),
    cut(item.topics.join(","), 40),
    cut(item.ai_act_articles.join(", "), 30),
    cut(item.title, TITLE_WIDTH),
  ]);
  const refused = report.refused.map(({ item, reason }) => `refused  ${cut(item, TITLE_WIDTH)}: ${reason}\n`);
  const reportNotes = (report.notes ?? []).map((note) => `note  ${note}\n`);
  const notes = items.flatMap(({ title, notes }) =>
    notes.map((note) => `note  ${cut(title, TITLE_WIDTH)}: ${note}\n`)
  );
  const { unchanged, translated, passed_over, unnotified = 0 } = report;
  const ofThem = unnotified === 0
    ? ""
    : ` (not delivered: ${unnotified}, because the items were skipped before relevance = "all" was set)`;
  const counts = [
    `${report.new} new${ofThem}`,
    `${report.revised} revised`,
    `${unchanged} unchanged`,
    `${translated} translated`,
    `${passed_over} skipped (not about AI regulation)`,
    `${report.refused.length} refused`,
  ].join(", ");
  const header = ["OUTCOME", "PUBLISHED (UTC)", "LANG", "TYPE", "SEVERITY", "TOPICS", "ARTICLES", "TITLE"];
  const table = tableFor(viewer, header, rows, {
    drop: ["LANG", "ARTICLES", "TOPICS", "PUBLISHED (UTC)"],
    cut: "TITLE",
  });
  const width = textWidth(viewer.host.columns());
  return {
    table: withReasons(table, items, width),
    notes: `${reportNotes.join("")}${notes.join("")}${refused.join("")}${counts}\n${failure}`,
  };
}

function withReasons(table: string, items: readonly PreviewedItem[], width: number): string {
  if (items.every(({ reasons }) => reasons === undefined)) return table;
  const [header, ...rows] = table.trimEnd().split("\n");
  const lines = rows.map((row, index) =>
    `${row}\n${formatReasons(items[index]?.reasons ?? [], { width, indent: 4 })}`
  );
  return `${header}\n${lines.join("")}`;
}
