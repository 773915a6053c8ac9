// Notices of the month's quota: when it is nearly and when it is wholly spent, each once a month.

/** See {@link noticeDue}. */
export type QuotaNotice = "quota-80" | "quota-100";

/** From this part of the limit on it is nearly spent. */
const NEARLY = 0.8;

/** A month's deliveries, and when its customer was told of them. */
export interface MonthUse {
  used: number;
  limit: number;
  /** When the customer was told that it is nearly spent, Unix ms; null when not yet. */
  warnedAtMs: number | null;
  /** The same of it being spent. */
  spentAtMs: number | null;
}

/** What the customer is to be told of now; null for nothing. Whoever knows that all is spent needs no word on a part. */
export function noticeDue({ used, limit, warnedAtMs, spentAtMs }: MonthUse): QuotaNotice | null {
  if (spentAtMs !== null) return null;
  if (used >= limit) return "quota-100";
  return warnedAtMs === null && used >= limit * NEARLY ? "quota-80" : null;
}
