// Plans which incidents begin, change and end, from the problems that exist now.
import { type Incident, INCIDENT_AFTER_MS, type Problem } from "../source/incident.ts";

export interface IncidentFacts {
  problems: readonly Problem[];
  /** When sources without a problem may have recovered, Unix ms. The first time after an incident's start counts. */
  recoveries: ReadonlyMap<string, readonly (number | null)[]>;
  nowMs: number;
}

export interface IncidentPlan {
  begin: Omit<Incident, "id" | "updatedAtMs">[];
  change: Pick<Incident, "id" | "kind" | "cause">[];
  end: { id: string; endedAtMs: number }[];
}

/**
 * Plans the incidents of a review. A source has at most one incident at a time: if it fails in another way for long
 * enough, its incident changes. If the last review was long ago, the service did not run, which is an incident too.
 */
export function planIncidents(
  open: readonly Incident[],
  { problems, recoveries, nowMs }: IncidentFacts,
  reviewedAtMs: number | null,
): IncidentPlan {
  const plan: IncidentPlan = { begin: [], change: [], end: [] };
  if (reviewedAtMs !== null && nowMs - reviewedAtMs >= INCIDENT_AFTER_MS) {
    const stopped = { kind: "stopped", sourceId: null, cause: null } as const;
    plan.begin.push({ ...stopped, sinceMs: reviewedAtMs, endedAtMs: nowMs });
  }
  const current = new Map(problems.map((problem) => [subjectOf(problem), problem]));
  for (const incident of open) {
    const problem = current.get(subjectOf(incident));
    current.delete(subjectOf(incident));
    if (problem === undefined) {
      const { id, sourceId, sinceMs } = incident;
      const possible = recoveries.get(sourceId ?? "") ?? [];
      const recoveredAtMs = possible.find((ms) => ms !== null && ms > sinceMs && ms <= nowMs) ?? nowMs;
      // An incident from before the clock was set back begins in the future.
      plan.end.push({ id, endedAtMs: Math.max(recoveredAtMs, sinceMs) });
    } else if (isLasting(problem, nowMs)) {
      const { kind, cause } = problem;
      if (kind !== incident.kind || cause !== incident.cause) {
        plan.change.push({ id: incident.id, kind, cause });
      }
    }
  }
  for (const problem of current.values()) {
    if (isLasting(problem, nowMs)) plan.begin.push({ ...problem, endedAtMs: null });
  }
  return plan;
}

function subjectOf({ sourceId, kind }: Pick<Incident, "sourceId" | "kind">): string {
  return sourceId === null ? kind : `source ${sourceId}`;
}

function isLasting({ kind, sinceMs }: Problem, nowMs: number): boolean {
  return kind === "silent" || nowMs - sinceMs >= INCIDENT_AFTER_MS;
}
