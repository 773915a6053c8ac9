// Severities of events: their names, their order, comparisons.

/** The severities of the specification (section 2.1), ascending. */
export const SEVERITIES = ["info", "low", "medium", "high", "critical"] as const;

export type Severity = typeof SEVERITIES[number];

/** 0 for `info` to 4 for `critical`. */
export function severityRank(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}

/** Whether `severity` is `minimum` or above. */
export function isAtLeast(severity: Severity, minimum: Severity): boolean {
  return severityRank(severity) >= severityRank(minimum);
}
