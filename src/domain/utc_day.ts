// UTC days as strings that sort chronologically.

/** Returns the UTC day of a time in Unix ms: "2026-07-31". */
export function utcDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
