// promtool evaluates the alerts: each fires under its condition, with the right labels, and not before.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withFolder } from "../../support/process.ts";
import { needs, program } from "../../support/needs.ts";

const ALERTS = fileURLToPath(new URL("../../../packaging/alerts.yml", import.meta.url));

/** Metrics over time, and the alerts that they must fire. */
interface Case {
  /** The values at each minute, in promtool's notation. */
  series: Record<string, string>;
  /** When the alerts are evaluated, and which of them fire then, with their labels. */
  looks: { at: string; alert: string; fires: Record<string, string>[] }[];
}

const UP = 'up{job="regfeed",instance="a"}';
const AGE = 'regfeed_deliveries_oldest_pending_age_seconds{job="regfeed",instance="a"}';
const FAULT = 'regfeed_storage_fault{job="regfeed",instance="a",fault="full"}';
const LAST = 'regfeed_source_last_success_timestamp_seconds{job="regfeed",instance="a",source="board"}';
const FAILURES = 'regfeed_source_consecutive_failures{job="regfeed",instance="a",source="never"}';
const FETCHED = 'regfeed_source_consecutive_failures{job="regfeed",instance="a",source="board"}';
const GAPS = 'regfeed_source_gaps{job="regfeed",instance="a",source="board"}';
const HELD = 'regfeed_source_held_back_events{job="regfeed",instance="a",source="board"}';
const INSTANCE = { job: "regfeed", instance: "a" };

const CASES: Case[] = [
  {
    series: { [UP]: "1x10 0x20" },
    looks: [
      { at: "10m", alert: "RegfeedDown", fires: [] },
      { at: "14m", alert: "RegfeedDown", fires: [] },
      { at: "20m", alert: "RegfeedDown", fires: [{ severity: "page", ...INSTANCE }] },
    ],
  },
  {
    // Prometheus does not scrape Regfeed at all.
    series: { 'up{job="other"}': "1x20" },
    looks: [{ at: "10m", alert: "RegfeedDown", fires: [{ severity: "page", job: "regfeed" }] }],
  },
  {
    series: { [UP]: "1x60", [AGE]: "3000+60x60", [FAULT]: "0x60" },
    looks: [
      { at: "15m", alert: "RegfeedDeliveriesStuck", fires: [] },
      { at: "25m", alert: "RegfeedDeliveriesStuck", fires: [{ severity: "page", ...INSTANCE }] },
    ],
  },
  {
    series: { [UP]: "1x60", [AGE]: "0x60", [FAULT]: "0x10 1x50" },
    looks: [
      { at: "9m", alert: "RegfeedDeliveriesStuck", fires: [] },
      { at: "25m", alert: "RegfeedDeliveriesStuck", fires: [{ severity: "page" }] },
    ],
  },
  {
    series: { [LAST]: "0x1600", [FETCHED]: "0x1600" },
    looks: [
      { at: "1440m", alert: "RegfeedSourceStale", fires: [] },
      {
        at: "1480m",
        alert: "RegfeedSourceStale",
        fires: [{ severity: "ticket", source: "board", ...INSTANCE }],
      },
    ],
  },
  {
    // The source was never fetched. There are only a few failures on the first day, at growing intervals.
    series: { [FAILURES]: "0x10 1x100 5x1400", [LAST]: "_x1400 0+60x200" },
    looks: [
      { at: "1430m", alert: "RegfeedSourceNeverFetched", fires: [] },
      {
        at: "1445m",
        alert: "RegfeedSourceNeverFetched",
        fires: [{ severity: "ticket", source: "never", ...INSTANCE }],
      },
    ],
  },
  {
    // A complete fetch restarts the waiting time.
    series: { [GAPS]: "0x10 1x30 0x10 2x1600" },
    looks: [
      { at: "1480m", alert: "RegfeedSourcePartial", fires: [] },
      {
        at: "1500m",
        alert: "RegfeedSourcePartial",
        fires: [{ severity: "ticket", source: "board", ...INSTANCE }],
      },
    ],
  },
  {
    series: { [HELD]: "0x10 51x60 0x10" },
    looks: [
      { at: "14m", alert: "RegfeedEventsHeld", fires: [] },
      {
        at: "20m",
        alert: "RegfeedEventsHeld",
        fires: [{ severity: "ticket", source: "board", ...INSTANCE }],
      },
      { at: "75m", alert: "RegfeedEventsHeld", fires: [] },
    ],
  },
];

/** Returns a test file for promtool as JSON, which is valid YAML. The annotations are not changed. */
function testFile(annotations: ReadonlyMap<string, Record<string, string>>): string {
  const tests = CASES.map(({ series, looks }) => ({
    interval: "1m",
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: looks.map(({ at, alert, fires }) => ({
      eval_time: at,
      alertname: alert,
      exp_alerts: fires.map((labels) => ({
        exp_labels: labels,
        exp_annotations: Object.fromEntries(
          Object.entries(annotations.get(alert) ?? {}).map((
            [name, text],
          ) => [name, text.replaceAll("{{ $labels.source }}", labels["source"] ?? "")]),
        ),
      })),
    })),
  }));
  return JSON.stringify({ rule_files: [ALERTS], evaluation_interval: "1m", tests });
}

async function annotationsOf(): Promise<Map<string, Record<string, string>>> {
  const text = await Deno.readTextFile(ALERTS);
  const found = new Map<string, Record<string, string>>();
  for (const part of text.split("- alert: ").slice(1)) {
    const name = part.slice(0, part.indexOf("\n"));
    const summary = /summary: (.*)/.exec(part)?.[1] ?? "";
    const [, folded, line] = /description: (?:>-\n([\s\S]*?)(?=\n {6}- |$)|(.*))/.exec(part) ?? [];
    const description = (folded ?? line ?? "").split("\n").map((words) => words.trim()).join(" ").trim();
    const plain = (words: string) => words.replace(/^"|"$/g, "");
    found.set(name, { summary: plain(summary), description: plain(description) });
  }
  return found;
}

Deno.test(
  needs("each alert fires for its condition after its time, and not before", program("promtool")),
  () =>
    withFolder(async (folder) => {
      const file = join(folder, "test.yml");
      await Deno.writeTextFile(file, testFile(await annotationsOf()));
      const { success, stdout, stderr } = await new Deno.Command("promtool", {
        args: ["test", "rules", file],
      })
        .output();
      const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
      assert.ok(success, said);
      assert.match(said, /SUCCESS/);
    }),
);
