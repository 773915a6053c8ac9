// Severities of events: their names, their order, comparisons.

/** The severities of the specification (section 2.1), ascending. */
export const SEVERITIES = ["info", "low", "medium", "high", "critical"] as const;

/** How much an event matters; see {@link SEVERITIES} for the order. */
export type Severity = typeof SEVERITIES[number];

/** The place of a severity in the ascending order: 0 for `info` up to 4 for `critical`. */
export function severityRank(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}

/** Whether `severity` is `minimum` or above. */
export function isAtLeast(severity: Severity, minimum: Severity): boolean {
  return severityRank(severity) >= severityRank(minimum);
}
