// Finds the problems that exist now: sources that are not read as they should be, and late deliveries.
import type { IncidentFacts } from "../domain/plans/incidents.ts";
import type { FailingSource } from "../domain/ports/store/coverage.ts";
import type { Problem } from "../domain/source/incident.ts";
import type { SourceSettings, SourceState } from "../domain/source/source.ts";
import { sourceHealth } from "../domain/source/source_health.ts";

export interface CoverageFacts {
  /** The enabled sources. */
  sources: readonly Pick<SourceSettings, "id" | "fetchStrategy" | "silentAfterMs">[];
  states: readonly SourceState[];
  failing: readonly FailingSource[];
  /** Since when the oldest late delivery has been due, Unix ms, or null if none is late. */
  overdueSinceMs: number | null;
  /** Since when the service has been running, Unix ms. No source counts as overdue for longer. */
  runningSinceMs: number;
  nowMs: number;
}

export function findProblems(facts: CoverageFacts): IncidentFacts {
  const states = new Map(facts.states.map((state) => [state.id, state]));
  const failing = new Map(facts.failing.map((failure) => [failure.sourceId, failure]));
  const problems = facts.sources.flatMap((source) =>
    problemOf(source, states.get(source.id) ?? null, { ...facts, failure: failing.get(source.id) }) ?? []
  );
  if (facts.overdueSinceMs !== null) {
    problems.push({ kind: "deliveries_late", sourceId: null, cause: null, sinceMs: facts.overdueSinceMs });
  }
  const recoveries = new Map(
    facts.states.map((state) => [state.id, [state.outcomeSinceMs, state.lastSuccessAtMs]]),
  );
  return { problems, recoveries, nowMs: facts.nowMs };
}

function problemOf(
  source: CoverageFacts["sources"][number],
  state: SourceState | null,
  { failure, runningSinceMs, nowMs }: Omit<CoverageFacts, "failing"> & { failure: FailingSource | undefined },
): Problem | null {
  const { condition, sinceMs } = sourceHealth(source, state, nowMs);
  const common = { sourceId: source.id, sinceMs: sinceMs ?? nowMs };
  if (condition === "silent") return { ...common, kind: "silent", cause: null };
  if (condition !== "failing" && condition !== "blocked" && condition !== "empty") return null;
  const kind = condition === "blocked" ? "blocked" : "failing";
  if (failure !== undefined) return { ...common, kind, cause: failure.cause, sinceMs: failure.sinceMs };
  return { ...common, kind, cause: "overdue", sinceMs: Math.max(common.sinceMs, runningSinceMs) };
}
