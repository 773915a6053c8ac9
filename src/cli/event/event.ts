// `event show`: shows an event, and with `--why` the reasons for its values.
import { createClassifier } from "../../classify/classify.ts";
import { explainEvent } from "../../classify/explain_event.ts";
import { diffEvents } from "../../domain/event/diff.ts";
import type { FieldChange } from "../../domain/event/diff_words.ts";
import type { RegEvent } from "../../domain/event/event.ts";
import type { Explanation } from "../../domain/event/explanation.ts";
import type { Provenance } from "../../domain/event/provenance.ts";
import type { Store } from "../../domain/ports/store/store.ts";
import { cleanUrl } from "../../ingest/normalise/links.ts";
import type { Command } from "../command.ts";
import type { CommandCall } from "../../server/command_context.ts";
import { print, timeText } from "../print.ts";
import { withStore } from "../../server/open_store.ts";
import { formatFields, textWidth, wrapText } from "../wrap_text.ts";
import { formatTime } from "../../domain/format_time.ts";
import { formatPublished, type PublicationDate } from "../table.ts";
import { eventListCommand } from "./event_list.ts";
import { formatReasons } from "./explain.ts";
import { findNamedEvent } from "./named_event.ts";

export const eventCommands: Command[] = [
  eventListCommand,
  {
    name: "event show",
    usage: "EVENT [--why] [--json]",
    summary: "shows an event, the changes in each version, and its provenance",
    details:
      "EVENT is the id of an event, its URL in this service's API, or the URL of the official publication, " +
      "which shows the newest version.",
    example: "regfeed event show evt_01J9ZC3V5T8Q2W4E6R8Y0TAPNB --why",
    options: {
      why: { kind: "flag", help: "explain each value: words, rules, articles" },
    },
    run: (call) =>
      withStore(call, async ({ config, store }) => {
        const shown = await readEvent(store, call.positionals[0] ?? "");
        const configured = config.sources.find(({ id }) => id === shown.event.source_id)?.languages ?? [];
        const classifier = createClassifier(config.classification);
        const why = call.flags.has("why") ? explainEvent(shown, classifier, configured) : null;
        const width = textWidth(call.host.columns());
        print(call, { ...shown, ...(why === null ? {} : { why }) }, () =>
          describeEvent(call, { ...shown, configured }, width) +
          (why === null ? "" : `\n${describeWhy(shown, why, width)}`));
      }),
  },
];

type ShownEvent = Awaited<ReturnType<typeof readEvent>>;
type ShownVersion = ShownEvent["versions"][number];

/** Reads the event, its provenance, and all versions of the publication, oldest first, with diffs as in the API. */
async function readEvent(store: Store, named: string) {
  const { id, found } = await findNamedEvent(store, named);
  const versions = (await store.listVersions(id)).map((json) => JSON.parse(json) as RegEvent);
  return {
    event: JSON.parse(found.json) as RegEvent,
    provenance: JSON.parse(found.provenance) as Provenance,
    versions: versions.map((one, index) => {
      const previous = versions[index - 1];
      return {
        id: one.id,
        version: one.version,
        ingested_at: one.ingested_at,
        published_at: one.published_at,
        published_at_precision: one.published_at_precision,
        published_on: one.published_on,
        title: one.title_en,
        diff_to_previous: previous === undefined ? null : diffEvents(previous, one),
      };
    }),
  };
}

function valuesOf(
  { event }: ShownEvent,
  { today }: Explanation,
): { field: string; stored: string; today: string }[] {
  return (["event_type", "topics", "severity", "ai_act_articles", "language"] as const).map((field) => ({
    field,
    stored: String(event[field]).replaceAll(",", ", ") || "none",
    today: String(today[field]).replaceAll(",", ", ") || "none",
  }));
}

function describeEvent(
  call: CommandCall,
  { event, provenance, versions, configured }: ShownEvent & { configured: readonly string[] },
  width: number,
): string {
  const layout = { width, indent: 2 };
  const paragraph = (text: string) => wrapText(text, layout);
  const estimated = event.published_at_estimated
    ? " (first seen by Regfeed: the source states no valid date)"
    : "";
  const parts = [
    `${event.id}\n`,
    formatFields([
      ["source", `${event.source.name} (${event.source.id})`],
      ["publication", identityText(event)],
      ["version", `${event.version} of ${versions.length}`],
      ["type", event.event_type],
      ["severity", event.severity],
      ["topics", event.topics.join(", ") || "none"],
      ["articles", event.ai_act_articles.join(", ") || "none"],
      ["published", `${publishedText(event)}${estimated}`],
      ["stored", timeText(call, event.ingested_at)],
      ["URL", event.url_official],
      ["deliveries", `\`regfeed delivery list --event ${event.id}\``],
    ], layout),
    ...Object.entries(event.translations).map(([language, { title, summary }]) =>
      `\n${language}${language === event.language ? " (as published)" : ""}\n${paragraph(title)}` +
      (summary === "" ? "" : `\n${paragraph(summary)}`)
    ),
    "\nversions\n",
    ...versions.map((one, at) =>
      describeVersion(one, { previous: versions[at - 1] ?? one, isAskedFor: one.id === event.id, width })
    ),
    "\nprovenance\n",
    formatFields([
      ["document", provenance.document],
      ["SHA-256", provenance.document_sha256],
      ["HTTP status", provenance.http_status === null ? "none: a file" : String(provenance.http_status)],
      ["fetched", timeText(call, provenance.fetched_at)],
      ["categories", provenance.categories.join(" · ") || "none"],
      ["languages", languagesText(provenance.stated_languages, configured)],
      ["rules", provenance.rules_version],
      ...Object.entries(provenance.other_languages ?? {})
        .map(([language, { document }]) => [`also ${language}`, document] as const),
    ], layout),
  ];
  return parts.join("");
}

/**
 * Returns the identity of the publication, or null if it is only its URL. An identity is compared as `https`, whatever
 * the publisher's scheme, so that scheme is not shown.
 */
function identityText({ external_id, url_official }: RegEvent): string | null {
  return external_id === cleanUrl(url_official) ? null : external_id.replace(/^https:\/\//, "");
}

function languagesText(stated: readonly string[], configured: readonly string[]): string {
  const words = stated.map((code) => `${code} (${configured.includes(code) ? "from the config" : "stated"})`);
  return words.join(", ") || "none stated or configured";
}

function publishedText(event: PublicationDate): string {
  const text = formatPublished(event);
  return event.published_at_precision === "date" ? text : `${text} UTC`;
}

function describeVersion(
  one: ShownVersion,
  { previous, isAskedFor, width }: { previous: ShownVersion; isAskedFor: boolean; width: number },
): string {
  const first = `${isAskedFor ? "*" : " "} ${String(one.version).padStart(3)} ${one.id} ` +
    `${formatTime(one.ingested_at)} UTC  `;
  const title = wrapText(one.title, { width, indent: 6, first });
  if (one.diff_to_previous === null) return title;
  const { summary, changes } = one.diff_to_previous;
  const lines = changes.flatMap((change) => changedValues(change, previous, one)).map((
    [sign, field, value],
  ) => wrapText(value, { width, indent: 8, first: `      ${sign} ${field}: ` }));
  return title + wrapText(summary, { width, indent: 6 }) + lines.join("");
}

function changedValues(
  change: FieldChange,
  previous: PublicationDate,
  next: PublicationDate,
): [sign: "-" | "+", field: string, value: string][] {
  const { field } = change;
  const [removed, added] = "added" in change
    ? [change.removed.join(", "), change.added.join(", ")]
    : field === "published_at"
    ? [publishedText(previous), publishedText(next)]
    : [String(change.before ?? ""), String(change.after ?? "")];
  const sides: [sign: "-" | "+", field: string, value: string][] = [["-", field, removed], [
    "+",
    field,
    added,
  ]];
  return sides.filter(([, , value]) => value !== "");
}

function describeWhy(shown: ShownEvent, explained: Explanation, width: number): string {
  const { stored_rules_version: stored, rules_version: rulesVersion } = explained;
  const reasons = formatReasons(explained.reasons, { width, indent: 2 });
  if (explained.same_rules) return `reasons, by rules ${rulesVersion}\n${reasons}`;
  const values = valuesOf(shown, explained).map(({ field, stored, today }) =>
    [field, stored === today ? `${stored} (unchanged)` : `${stored} → ${today}`] as const
  );
  const said =
    `This event was classified by version ${stored} of the rules; the current version is ${rulesVersion}. Stored values do ` +
    "not change. Below, an arrow leads from a stored value to the value by the current rules; the reasons follow.";
  return [
    wrapText(said, { width, indent: 0 }),
    "\n",
    formatFields(values, { width, indent: 2 }),
    `\nreasons, by rules ${rulesVersion}\n`,
    reasons,
  ].join("");
}
