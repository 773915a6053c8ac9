// The severities of events: their names, order and comparison.

/** The severities of the specification (section 2.1) in ascending order. */
export const SEVERITIES = ["info", "low", "medium", "high", "critical"] as const;

export type Severity = typeof SEVERITIES[number];

/** Ranks a severity from 0 (`info`) to 4 (`critical`). */
export function severityRank(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}

export function isAtLeast(severity: Severity, minimum: Severity): boolean {
  return severityRank(severity) >= severityRank(minimum);
}
