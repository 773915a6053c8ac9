// Notices of the month's quota: at 80 % and at 100 %, each once a month.

export type QuotaNotice = "quota-80" | "quota-100";

/** The share of the limit at which quota-80 is due. */
const NEARLY = 0.8;

export interface MonthUse {
  used: number;
  limit: number;
  /** When the customer got quota-80, Unix ms; null if it has not. */
  warnedAtMs: number | null;
  /** The same for quota-100. */
  spentAtMs: number | null;
}

/** The notice that is due; null if there is none. After quota-100 there is no quota-80. */
export function noticeDue({ used, limit, warnedAtMs, spentAtMs }: MonthUse): QuotaNotice | null {
  if (spentAtMs !== null) return null;
  if (used >= limit) return "quota-100";
  return warnedAtMs === null && used >= limit * NEARLY ? "quota-80" : null;
}
