// `ingest`: fetches the given sources, or those that are due, once.
import { createApp } from "../app.ts";
import type { IngestReport } from "../ingest/ingest.ts";
import { failed } from "../ingest/report.ts";
import { VERSION } from "../version.ts";
import type { Command } from "./command.ts";
import { type CommandCall, EXIT } from "../server/command_context.ts";
import { withStore } from "../server/open_store.ts";
import { actOf } from "./customer/named_customer.ts";
import { releaseHint } from "./source/held_events.ts";
import { requireSources } from "./source/source.ts";
import { linesFor, tableFor } from "./print.ts";
import { progressOf } from "./progress.ts";
import type { Cell } from "./table.ts";

export const ingestCommand: Command = {
  name: "ingest",
  usage: "[SOURCE…] [--json]",
  summary: "fetches the given sources, or those that are due, once",
  example: "regfeed ingest eu-edpb-news",
  run: (call) =>
    withStore(call, async ({ config, platform, store }) => {
      requireSources(config, call.positionals);
      const app = createApp({ config, platform, store, version: VERSION });
      await app.ingest.register();
      const ids = [...new Set(call.positionals)];
      const by = actOf(call, platform);
      for (const id of ids) await store.recordAct(by, "source.fetch", { source: id });
      const show = progressOf(call);
      const reports = await app.ingest.ingest(ids.length === 0 ? undefined : ids, {
        wait: true,
        onProgress: (finished, running) =>
          show(`${finished} fetched${running.length === 0 ? "" : `; fetching ${running.join(", ")}`} …`),
      });
      const busy = ids.filter((id) => !reports.some((report) => report.id === id));
      const missing = busy.map((id) => failed(id, "another process is fetching it now"));
      printReports(call, [...reports, ...missing]);
      return reports.every((report) => report.ok) && missing.length === 0 ? EXIT.done : EXIT.failed;
    }, { log: { format: "text", level: "error" }, withoutStore: "make" }),
};

function printReports(call: CommandCall, reports: readonly IngestReport[]): void {
  const { host, flags } = call;
  if (flags.has("json")) {
    host.out(`${JSON.stringify({ sources: reports })}\n`);
    return;
  }
  if (reports.length === 0) {
    host.out(linesFor(host, "No sources are due. To fetch one now, name it: `regfeed ingest ID`.\n"));
    return;
  }
  const table = tableFor(
    call,
    ["SOURCE", "NEW", "REVISED", "UNCHANGED", "TRANSLATED", "SKIPPED", "REFUSED", "RESULT"],
    reports.map((report) => [
      report.id,
      report.new,
      report.revised,
      report.unchanged,
      report.translated,
      report.passed_over,
      report.refused.length,
      resultCell(report),
    ]),
    { drop: ["TRANSLATED", "UNCHANGED", "REVISED"], cut: "RESULT" },
  );
  host.out(table, { hasColours: true });
  for (const report of reports) {
    if (report.held_back !== undefined) {
      host.err(releaseHint({ id: report.id, events: report.held_back }));
    }
    if (report.unnotified !== undefined) {
      host.err(
        `${report.id}: new events stored but not delivered: ${report.unnotified} (their items were skipped before ` +
          'relevance = "all" was set)\n',
      );
    }
    for (const { part, reason } of report.gaps ?? []) {
      host.err(`${report.id}: partial: ${part}: ${reason}\n`);
    }
    for (const { item, reason } of refusedItems(report)) {
      host.err(`${report.id}: refused ${item}: ${reason}\n`);
    }
  }
}

function resultCell({ error, gaps: [gap, ...others] = [] }: IngestReport): Cell {
  if (error !== undefined) return error;
  if (gap === undefined) return "ok";
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  return { text: `partial: ${gap.reason}${more}`, colour: "yellow" };
}

/** Returns the refused items without the missing parts, which are also listed as refused. */
function refusedItems({ refused, gaps = [] }: IngestReport): IngestReport["refused"] {
  return refused.filter(({ item, reason }) =>
    !gaps.some((gap) => gap.reason === reason && (gap.part === item || item === "document"))
  );
}
