// Formats times for operators.

/** Formats a time: "2026-07-31 12:00:15" (UTC), or "never" for null. */
export function formatTime(ms: number | null): string {
  return ms === null ? "never" : new Date(ms).toISOString().slice(0, 19).replace("T", " ");
}
