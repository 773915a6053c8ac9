// `source list` prints the state of each source as text and as JSON.
import assert from "node:assert/strict";
import type { Viewer } from "../../../src/cli/print.ts";
import { listSources } from "../../../src/domain/source/listed_source.ts";
import { listTable } from "../../../src/cli/source/source_list.ts";
import { type SourceState, untouchedSource } from "../../../src/domain/source/source.ts";
import { configOf } from "../../config/given.ts";

const NOW = Date.UTC(2026, 7, 1, 12);
const HOUR = 3_600_000;

const CONFIG = ["well", "moved", "blocked", "paused", "partial", "fresh", "off"].map((id) => `
[[sources]]
id = "${id}"
name_en = "${id}"
url = "https://${id}.example/feed"
${id === "off" ? "enabled = false" : ""}
`).join("");

const state = (id: string, change: Partial<SourceState> = {}): SourceState => ({
  ...untouchedSource(id, NOW + HOUR),
  firstSuccessAtMs: NOW - HOUR,
  lastAttemptAtMs: NOW - HOUR,
  lastSuccessAtMs: NOW - HOUR,
  outcome: "ok",
  outcomeSinceMs: NOW - HOUR,
  cadence: { lastAtMs: NOW - HOUR, days: [], seen: "" },
  ...change,
});

const LONG_REASON = `responded with 403: ${"open the page in a browser; ".repeat(5)}end`;

const STATES = [
  state("well", {
    heldBack: 51,
    eventCount: 1200,
    cadence: { lastAtMs: NOW - 2 * HOUR, days: [], seen: "" },
  }),
  state("moved", {
    moves: [{
      from: "https://moved.example/feed",
      url: "https://new.example/",
      sinceMs: NOW - HOUR,
      adoptedAtMs: NOW,
    }],
  }),
  state("blocked", { outcome: "blocked", lastError: LONG_REASON, consecutiveFailures: 3 }),
  state("partial", {
    partialFailures: [{
      part: "de: https://a.example/de",
      reason: "responded with 404",
      sinceMs: NOW - HOUR,
    }],
  }),
  state("paused", { hostPausedUntilMs: NOW + 5 * HOUR }),
];

function viewer(terminal: Partial<Viewer["host"]> = {}, flags: string[] = []): Viewer {
  const host = {
    program: "regfeed",
    args: [],
    isTerminal: false,
    hasColours: false,
    columns: () => 80,
    nowMs: () => NOW,
    ...terminal,
  };
  return { host, flags: new Set(flags) };
}

function withoutColours(text: string): string {
  // deno-lint-ignore no-control-regex -- the escape that begins a colour
  return text.replaceAll(/\u{1b}\[\d+m/gu, "");
}

Deno.test("source list prints state, since when, reason and next fetch of each source", async () => {
  const listed = listSources(await configOf(CONFIG), STATES, NOW);
  assert.deepEqual(
    listed.map((
      source,
    ) => [source.id, source.state, source.state_since, source.next_due_at, source.consecutive_failures]),
    [
      ["well", "ok", NOW - HOUR, NOW + HOUR, 0],
      ["moved", "ok", NOW - HOUR, NOW + HOUR, 0],
      ["blocked", "blocked", NOW - HOUR, NOW + HOUR, 3],
      ["paused", "ok", NOW - HOUR, NOW + 5 * HOUR, 0],
      ["partial", "partial", NOW - HOUR, NOW + HOUR, 0],
      ["fresh", "new", null, null, 0],
      ["off", "off", null, null, 0],
    ],
  );
  const { table, notes } = listTable(listed, viewer());
  const text = table + notes;
  assert.match(
    text,
    /^SOURCE +STATE +EVENTS +LAST NEW \(UTC\) +SINCE \(UTC\) +LAST SUCCESS \(UTC\) +NEXT \(UTC\) +FAILURES +WHY/,
  );
  assert.match(text, new RegExp(`^blocked +blocked .* 3 +${LONG_REASON}$`, "m"), "not truncated");
  assert.match(
    text,
    /^partial has lacked de: https:\/\/a\.example\/de since 2026-08-01 11:00:00: responded with 404; `regfeed source test partial` tries/m,
  );
  assert.match(text, /^fresh +new .*at start/m);
  assert.match(
    text,
    /^moved has moved to https:\/\/new\.example\/ and is fetched there: change its URL in the config$/m,
  );
});

Deno.test("source list --json has the same fields for every source", async () => {
  const sources = listSources(await configOf(CONFIG), STATES, NOW);
  for (const source of sources) {
    assert.deepEqual(Object.keys(source), [
      "id",
      "enabled",
      "state",
      "state_since",
      "reason",
      "fetch_strategy",
      "last_success_at",
      "last_new_at",
      "next_due_at",
      "events",
      "consecutive_failures",
      "last_error",
      "held_back",
      "gaps",
      "moves",
    ]);
  }
});

Deno.test("source list on a terminal of 80 columns has relative times and colours; --utc has exact times", async () => {
  const listed = listSources(await configOf(CONFIG), STATES, NOW);
  const { table } = listTable(listed, viewer({ isTerminal: true, hasColours: true }));
  for (const line of table.split("\n")) assert.ok(withoutColours(line).length <= 80, line);
  assert.match(table, /^SOURCE +STATE +EVENTS +LAST NEW +WHY$/m);
  assert.match(withoutColours(table), /^well +ok, 51 held +1200 +2 h ago$/m);
  assert.ok(table.includes("\x1b[32mok\x1b[0m"), "good states are green");
  assert.ok(table.includes("\x1b[33mok, 51 held\x1b[0m"), "held events are yellow");
  const { table: wide } = listTable(listed, viewer({ isTerminal: true, columns: () => 120 }));
  assert.match(wide, /^SOURCE +STATE +EVENTS +LAST NEW +SINCE +LAST SUCCESS +NEXT +FAILURES +WHY$/m);
  const { table: exact } = listTable(listed, viewer({ isTerminal: true }, ["utc"]));
  assert.match(exact, /^SOURCE +STATE +EVENTS +LAST NEW \(UTC\) +WHY$/m);
});

Deno.test("source list shows a removed source while its events are held", async () => {
  const states = [...STATES, state("renamed", { heldBack: 50 }), state("forgotten")];
  const listed = listSources(await configOf(CONFIG), states, NOW);
  assert.deepEqual(listed.slice(7).map(({ id, state, held_back }) => [id, state, held_back]), [
    ["renamed", "gone", 50],
  ]);
  assert.match(
    listTable(listed, viewer()).notes,
    /^renamed: a change spike holds 50 events: `regfeed source release renamed` /m,
  );
});
