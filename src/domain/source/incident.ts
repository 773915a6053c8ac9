// Incidents: periods in which a source was not read as it should be, or deliveries were late. Their data is public.
import type { FetchCause } from "./fetch_record.ts";

/**
 * `failing`, `blocked` and `silent` concern one source. `deliveries_late`: deliveries to working endpoints waited too
 * long. `stopped`: the service did not run.
 */
const INCIDENT_KINDS = ["failing", "blocked", "silent", "deliveries_late", "stopped"] as const;
export type IncidentKind = typeof INCIDENT_KINDS[number];

/** Why a source fails. `overdue`: its fetch was due for long, but did not take place. */
export type IncidentCause = FetchCause | "overdue";

/** A problem becomes an incident after this time, ms. A silent source is one at once. */
export const INCIDENT_AFTER_MS = 3_600_000;

/** A problem that exists now. Times are in Unix ms. */
export interface Problem {
  kind: Exclude<IncidentKind, "stopped">;
  /** Null if the problem concerns no single source. */
  sourceId: string | null;
  /** Null unless the kind is `failing` or `blocked`. */
  cause: IncidentCause | null;
  sinceMs: number;
}

export interface Incident extends Omit<Problem, "kind"> {
  /** `inc_` and a ULID. Never changes. */
  id: string;
  kind: IncidentKind;
  /** Null while it lasts. */
  endedAtMs: number | null;
  /** When it was recorded, changed or ended. */
  updatedAtMs: number;
}
