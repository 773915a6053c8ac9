// Which problems exist, from the state of the sources and the oldest late delivery.
import assert from "node:assert/strict";
import { type CoverageFacts, findProblems } from "../../src/coverage/find_problems.ts";
import type { Problem } from "../../src/domain/source/incident.ts";
import { type SourceState, untouchedSource } from "../../src/domain/source/source.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 6, 20, 12);

const source = { id: "board", fetchStrategy: "feed" } as const;
const state = (change: Partial<SourceState> = {}): SourceState => ({
  ...untouchedSource("board", NOW + HOUR),
  outcome: "ok",
  outcomeSinceMs: NOW - 9 * DAY,
  firstSuccessAtMs: NOW - 9 * DAY,
  lastSuccessAtMs: NOW - HOUR,
  lastAttemptAtMs: NOW - HOUR,
  ...change,
});
const failure = { sourceId: "board", sinceMs: NOW - 3 * HOUR, cause: "timeout" } as const;

const ROWS: [name: string, facts: Partial<CoverageFacts>, problems: Problem[]][] = [
  ["a source that is read as planned", {}, []],
  ["a source that was never fetched", { states: [untouchedSource("board", NOW)] }, []],
  ["a source that is not registered yet", { states: [] }, []],
  ["a source that is not enabled", { sources: [], states: [state({ outcome: "failing" })] }, []],
  [
    "a part is missing",
    { states: [state({ partialFailures: [{ part: "de", reason: "x", sinceMs: 0 }] })] },
    [],
  ],
  [
    "a failing source, since its first failure",
    { states: [state({ outcome: "failing", outcomeSinceMs: NOW })], failing: [failure] },
    [{ ...failure, kind: "failing" }],
  ],
  [
    "too few items count as a failure",
    { states: [state({ outcome: "empty" })], failing: [{ ...failure, cause: "too_few_items" }] },
    [{ ...failure, kind: "failing", cause: "too_few_items" }],
  ],
  [
    "a blocked source",
    { states: [state({ outcome: "blocked" })], failing: [{ ...failure, cause: "refused" }] },
    [{ ...failure, kind: "blocked", cause: "refused" }],
  ],
  [
    "a silent source",
    { sources: [{ ...source, silentAfterMs: 2 * DAY }] },
    [{ kind: "silent", sourceId: "board", cause: null, sinceMs: NOW - 7 * DAY }],
  ],
  [
    "an overdue source",
    { states: [state({ nextDueAtMs: NOW - 9 * HOUR, lastAttemptAtMs: NOW - 10 * HOUR })] },
    [{ kind: "failing", sourceId: "board", cause: "overdue", sinceMs: NOW - 9 * HOUR }],
  ],
  [
    "a source that is overdue because the service did not run",
    {
      states: [state({ nextDueAtMs: NOW - 9 * HOUR, lastAttemptAtMs: NOW - 10 * HOUR })],
      runningSinceMs: NOW,
    },
    [{ kind: "failing", sourceId: "board", cause: "overdue", sinceMs: NOW }],
  ],
  [
    "late deliveries",
    { overdueSinceMs: NOW - 2 * HOUR },
    [{ kind: "deliveries_late", sourceId: null, cause: null, sinceMs: NOW - 2 * HOUR }],
  ],
];

Deno.test("findProblems() finds sources that fail, are blocked, silent or overdue, and late deliveries", () => {
  for (const [name, facts, problems] of ROWS) {
    const found = findProblems({
      sources: [source],
      states: [state()],
      failing: [],
      overdueSinceMs: null,
      runningSinceMs: 0,
      nowMs: NOW,
      ...facts,
    });
    assert.deepEqual(found.problems, problems, name);
  }
});
