// A dry run of a source, printed: what would be new, revised, refused and why.
import type { Classifier } from "../classify/classify.ts";
import type { Reason } from "../classify/reasons.ts";
import type { IngestPreview } from "../ingest/ingest.ts";
import { cut, formatTable, formatTime } from "./table.ts";
import { formatReasons } from "./why.ts";

const TITLE_WIDTH = 60;

/** Gives the reasons for an item's values. */
export type ReasonsOf = (decided: IngestPreview["decided"][number]) => Reason[];

/** The reasons for an item's values; for one that is passed over only why it is. */
export function createReasons(classifier: Classifier): ReasonsOf {
  return ({ request, decision }) => {
    const { reasons } = classifier.classify(request());
    return decision.kind === "passed_over" ? reasons.filter(({ field }) => field === "relevant") : reasons;
  };
}

/** The dry run as JSON. */
export function previewJson(
  { report, decided }: IngestPreview,
  reasonsOf: ReasonsOf | null,
  saved: readonly string[] | null,
): string {
  const items = decided.map((one) => ({
    outcome: outcomeOf(one.decision),
    title: one.item.title,
    url: one.item.link,
    notes: one.notes,
    ...(one.decision.kind === "record" ? { event: one.decision.event } : {}),
    ...(reasonsOf === null ? {} : { reasons: reasonsOf(one) }),
  }));
  return `${JSON.stringify({ ...report, items, ...(saved === null ? {} : { saved }) })}\n`;
}

/** The dry run as a table with what was odd and what was refused under it. */
export function previewTable(
  { report, decided }: IngestPreview,
  reasonsOf: ReasonsOf | null,
  width: number,
): string {
  const failure = report.ok ? "" : `${report.id}: ${report.error}\n`;
  if (!report.ok && decided.length + report.refused.length === 0) return failure;
  const rows = decided.map(({ item, decision }) => {
    const event = decision.kind === "record" ? decision.event : null;
    return [
      outcomeOf(decision),
      formatTime(event?.published_at ?? item.publishedAtMs ?? item.updatedAtMs),
      event?.language ?? "",
      event?.event_type ?? "",
      event?.severity ?? "",
      cut(event?.topics.join(",") ?? "", 40),
      cut(event?.ai_act_articles.join(", ") ?? "", 30),
      cut(item.title, TITLE_WIDTH),
    ];
  });
  const refused = report.refused.map(({ item, reason }) => `refused  ${cut(item, TITLE_WIDTH)}: ${reason}\n`);
  const notes = decided.flatMap(({ item, notes }) =>
    notes.map((note) => `note  ${cut(item.title, TITLE_WIDTH)}: ${note}\n`)
  );
  const { unchanged, passed_over } = report;
  const counts = [
    `${report.new} new`,
    `${report.revised} revised`,
    `${unchanged} unchanged`,
    `${passed_over} passed over (not about AI regulation)`,
    `${report.refused.length} refused`,
  ].join(", ");
  const header = ["OUTCOME", "PUBLISHED (UTC)", "LANG", "TYPE", "SEVERITY", "TOPICS", "ARTICLES", "TITLE"];
  const table = formatTable(header, rows);
  const items = reasonsOf === null ? table : withReasons(table, decided.map(reasonsOf), width);
  return `${items}${notes.join("")}${refused.join("")}${counts}\n${failure}`;
}

/** The table with each item's reasons under its row. */
function withReasons(table: string, reasons: readonly Reason[][], width: number): string {
  const [header, ...rows] = table.trimEnd().split("\n");
  const items = rows.map((row, place) =>
    `${row}\n${formatReasons(reasons[place] ?? [], { width, indent: 4 })}`
  );
  return `${header}\n${items.join("")}`;
}

function outcomeOf(decision: IngestPreview["decided"][number]["decision"]): string {
  if (decision.kind === "passed_over") return "passed over";
  if (decision.kind !== "record") return decision.kind === "translated" ? "translated" : "unchanged";
  return decision.event.version === 1 ? "new" : "revised";
}
