// The output of `source test`: what would be new, revised or refused, and why.
import type { Classifier } from "../../classify/classify.ts";
import type { Reason } from "../../domain/event/explanation.ts";
import type { DatePrecision } from "../../domain/event/event.ts";
import type { IngestPreview } from "../../ingest/ingest.ts";
import { textWidth } from "../wrap_text.ts";
import { stateCell } from "../colours.ts";
import { tableFor, type Viewer } from "../print.ts";
import { cut, formatPublished } from "../table.ts";
import { formatReasons } from "../event/explain.ts";

const TITLE_WIDTH = 60;

type Decided = IngestPreview["decided"][number];

/** The values of an item, under the names of the event's fields. */
interface Values {
  published_at: number | null;
  published_at_precision: DatePrecision;
  published_on: string | null;
  language: string;
  event_type: string;
  severity: string;
  topics: readonly string[];
  ai_act_articles: readonly string[];
}

interface PreviewOptions {
  classifier: Classifier;
  /** The languages that the config sets for the source. */
  configuredLanguages: readonly string[];
  withReasons: boolean;
}

/** Returns the reasons for an item's values; for a skipped item, only those for skipping it. */
function reasonsOf(
  { request, decision }: Decided,
  { classifier, configuredLanguages }: PreviewOptions,
): Reason[] {
  const { reasons } = classifier.classify({ ...request(), configuredLanguages });
  return decision.kind === "irrelevant" ? reasons.filter(({ field }) => field === "relevant") : reasons;
}

/** Returns the values that would be stored; for an item that would not be stored, the values by the current rules. */
function valuesOf({ item, decision, request }: Decided, { classifier }: PreviewOptions): Values {
  if (decision.kind === "record") {
    const { published_at, published_at_precision, published_on, ...event } = decision.event;
    const { language, event_type, severity, topics, ai_act_articles } = event;
    const dates = { published_at, published_at_precision, published_on };
    return { ...dates, language, event_type, severity, topics, ai_act_articles };
  }
  const { language, eventType, severity, topics, aiActArticles } = classifier.classify(request());
  return {
    published_at: item.publishedAtMs ?? item.updatedAtMs,
    published_at_precision: item.publishedPrecision,
    published_on: item.publishedOn,
    language,
    event_type: eventType,
    severity,
    topics,
    ai_act_articles: aiActArticles,
  };
}

export function previewFields(
  { report, decided }: IngestPreview,
  options: PreviewOptions,
  saved: readonly string[] | null,
): Record<string, unknown> {
  const items = decided.map((one) => ({
    outcome: outcomeOf(one.decision),
    title: one.item.title,
    url: one.item.link,
    notes: one.notes,
    ...valuesOf(one, options),
    ...(one.decision.kind === "record" ? { event: one.decision.event } : {}),
    ...(options.withReasons ? { reasons: reasonsOf(one, options) } : {}),
  }));
  return { ...report, items, ...(saved === null ? {} : { saved }) };
}

export function previewTable(
  { report, decided }: IngestPreview,
  options: PreviewOptions,
  viewer: Viewer,
): { table: string; notes: string } {
  const failure = report.ok ? "" : `${report.id}: ${report.error}\n`;
  if (!report.ok && decided.length + report.refused.length === 0) return { table: "", notes: failure };
  const rows = decided.map((one) => {
    const values = valuesOf(one, options);
    return [
      outcomeOf(one.decision).replace("passed over", "skipped"),
      values.published_at === null ? "-" : formatPublished({ ...values, published_at: values.published_at }),
      values.language,
      values.event_type,
      stateCell(values.severity),
      cut(values.topics.join(","), 40),
      cut(values.ai_act_articles.join(", "), 30),
      cut(one.item.title, TITLE_WIDTH),
    ];
  });
  const refused = report.refused.map(({ item, reason }) => `refused  ${cut(item, TITLE_WIDTH)}: ${reason}\n`);
  const reportNotes = (report.notes ?? []).map((note) => `note  ${note}\n`);
  const notes = decided.flatMap(({ item, notes }) =>
    notes.map((note) => `note  ${cut(item.title, TITLE_WIDTH)}: ${note}\n`)
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
  const items = options.withReasons
    ? withReasons(table, decided.map((one) => reasonsOf(one, options)), width)
    : table;
  return {
    table: items,
    notes: `${reportNotes.join("")}${notes.join("")}${refused.join("")}${counts}\n${failure}`,
  };
}

function withReasons(table: string, reasons: readonly Reason[][], width: number): string {
  const [header, ...rows] = table.trimEnd().split("\n");
  const items = rows.map((row, index) =>
    `${row}\n${formatReasons(reasons[index] ?? [], { width, indent: 4 })}`
  );
  return `${header}\n${items.join("")}`;
}

function outcomeOf(decision: IngestPreview["decided"][number]["decision"]): string {
  if (decision.kind === "irrelevant") return "passed over";
  if (decision.kind === "translated" || decision.kind === "joined") return "translated";
  if (decision.kind !== "record") return "unchanged";
  return decision.event.version === 1 ? "new" : "revised";
}
