// The periods of the quotas: days and months in UTC, as texts that sort like time.

/** The UTC day of a time in Unix ms: "2026-07-31". */
export function utcDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The UTC month of a time in Unix ms: "2026-07". */
export function utcMonth(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}

/** When the UTC month after that of a time begins, both in Unix ms. */
export function nextUtcMonth(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}
