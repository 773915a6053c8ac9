// Which incidents begin, change and end.
import assert from "node:assert/strict";
import { type IncidentPlan, planIncidents } from "../../../src/domain/plans/incidents.ts";
import type { Incident, Problem } from "../../../src/domain/source/incident.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 6, 20, 12);

const failing = (sinceMs: number, change: Partial<Problem> = {}): Problem => ({
  kind: "failing",
  sourceId: "board",
  cause: "timeout",
  sinceMs,
  ...change,
});
const open = (change: Partial<Incident> = {}): Incident => ({
  ...failing(NOW - 3 * HOUR),
  id: "inc_1",
  endedAtMs: null,
  updatedAtMs: NOW - 2 * HOUR,
  ...change,
});
const BLOCKED = { kind: "blocked", cause: "refused" } as const;
const LATE: Problem = { kind: "deliveries_late", sourceId: null, cause: null, sinceMs: NOW - HOUR };

interface Row {
  name: string;
  problems?: Problem[];
  open?: Incident[];
  recoveries?: [string, (number | null)[]][];
  reviewedAtMs?: number | null;
  plan: Partial<IncidentPlan>;
}

const ROWS: Row[] = [
  { name: "nothing", plan: {} },
  { name: "a failure of less than an hour", problems: [failing(NOW - HOUR + 1)], plan: {} },
  {
    name: "a failure of an hour",
    problems: [failing(NOW - HOUR)],
    plan: { begin: [{ ...failing(NOW - HOUR), endedAtMs: null }] },
  },
  {
    name: "a silent source is an incident at once, as it was allowed to be quiet for days",
    problems: [failing(NOW, { kind: "silent", cause: null })],
    plan: { begin: [{ ...failing(NOW, { kind: "silent", cause: null }), endedAtMs: null }] },
  },
  { name: "late deliveries", problems: [LATE], plan: { begin: [{ ...LATE, endedAtMs: null }] } },
  { name: "the same problem as before", problems: [failing(NOW - 3 * HOUR)], open: [open()], plan: {} },
  {
    name: "another cause for an hour",
    problems: [failing(NOW - 3 * HOUR, BLOCKED)],
    open: [open()],
    plan: { change: [{ id: "inc_1", ...BLOCKED }] },
  },
  {
    name: "a silent source fails for a moment",
    problems: [failing(NOW - MINUTE)],
    open: [open({ kind: "silent", cause: null })],
    plan: {},
  },
  {
    name: "the source has recovered: the first success after the start counts",
    open: [open()],
    recoveries: [["board", [NOW - 9 * HOUR, NOW - HOUR]]],
    plan: { end: [{ id: "inc_1", endedAtMs: NOW - HOUR }] },
  },
  { name: "the source was removed", open: [open()], plan: { end: [{ id: "inc_1", endedAtMs: NOW }] } },
  {
    name: "the clock was set back",
    open: [open({ sinceMs: NOW + HOUR })],
    recoveries: [["board", [NOW + 2 * HOUR, null]]],
    reviewedAtMs: NOW + 9 * HOUR,
    plan: { end: [{ id: "inc_1", endedAtMs: NOW + HOUR }] },
  },
  {
    name: "sources and deliveries are independent",
    problems: [LATE, failing(NOW - HOUR, { sourceId: "court" })],
    open: [open(), open({ ...LATE, id: "inc_2" })],
    plan: {
      end: [{ id: "inc_1", endedAtMs: NOW }],
      begin: [{ ...failing(NOW - HOUR, { sourceId: "court" }), endedAtMs: null }],
    },
  },
  {
    name: "the service did not run for an hour",
    reviewedAtMs: NOW - HOUR,
    plan: {
      begin: [{ kind: "stopped", sourceId: null, cause: null, sinceMs: NOW - HOUR, endedAtMs: NOW }],
    },
  },
  { name: "the service was restarted", reviewedAtMs: NOW - HOUR + 1, plan: {} },
];

Deno.test("planIncidents() begins, changes and ends incidents", () => {
  for (const row of ROWS) {
    const plan = planIncidents(
      row.open ?? [],
      { problems: row.problems ?? [], recoveries: new Map(row.recoveries), nowMs: NOW },
      row.reviewedAtMs ?? null,
    );
    assert.deepEqual(plan, { begin: [], change: [], end: [], ...row.plan }, row.name);
  }
});
