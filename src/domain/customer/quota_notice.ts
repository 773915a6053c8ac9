// Decides which notice about the monthly quota is due: at 80% or at 100% of the limit.

export type QuotaNotice = "quota-80" | "quota-100";

/** The share of the limit at which quota-80 is due. */
const NEARLY = 0.8;

interface MonthUse {
  used: number;
  limit: number;
  /** When quota-80 (`warnedAtMs`) and quota-100 (`spentAtMs`) were sent for this limit, Unix ms; null if not sent. */
  warnedAtMs: number | null;
  spentAtMs: number | null;
}

/** Returns the notice that is due, or null. Each is due once per limit, and quota-80 is never due after quota-100. */
export function noticeDue({ used, limit, warnedAtMs, spentAtMs }: MonthUse): QuotaNotice | null {
  if (spentAtMs !== null) return null;
  if (used >= limit) return "quota-100";
  return warnedAtMs === null && used >= limit * NEARLY ? "quota-80" : null;
}
