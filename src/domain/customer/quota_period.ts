// Quota periods: the ends of UTC days, and UTC months as strings that sort chronologically.

const DAY_MS = 86_400_000;

/** Returns the beginning of the next UTC day, Unix ms. */
export function nextUtcDay(ms: number): number {
  return (Math.floor(ms / DAY_MS) + 1) * DAY_MS;
}

/** Returns the UTC month of a time in Unix ms: "2026-07". */
export function utcMonth(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}

/** Returns the beginning of the next UTC month, Unix ms. */
export function nextUtcMonth(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}
