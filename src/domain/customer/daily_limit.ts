// Daily limits per customer on actions that are more expensive than other requests. Days are UTC days.
import { nextUtcDay } from "./quota_period.ts";
import { AppError, type ErrorCode } from "../error_codes.ts";

export const DAILY_ACTIONS = ["test_calls", "replays", "backfills"] as const;

export type DailyAction = typeof DAILY_ACTIONS[number];

export interface DailyRequest {
  action: DailyAction;
  /** The number of actions. Either all of them are granted, or none. */
  count: number;
  limit: number;
  nowMs: number;
}

export interface DailyGrant {
  granted: boolean;
  left: number;
}

/** Grants or refuses a request, given the number of actions already used that day. */
export function grantDaily(
  used: number,
  { count, limit }: Pick<DailyRequest, "count" | "limit">,
): DailyGrant {
  const granted = used + count <= limit;
  return { granted, left: Math.max(0, limit - used - (granted ? count : 0)) };
}

/** The daily limit that an error is about. `nouns` names its actions in the plural, such as "test calls". */
interface DailyLimit {
  code: ErrorCode;
  nouns: string;
  limit: number;
  nowMs: number;
}

/** Says that a replay would send more deliveries than there are replays left. */
export function notEnoughReplays(
  { wanted, left, limit }: { wanted: number; left: number; limit: number },
): string {
  return `This replay would send ${wanted} deliveries, but you have only ${left} of your tier's ${limit} daily replays ` +
    "left. Nothing was sent. Replay a shorter period with `until`.";
}

/** Returns the error for exceeding a daily limit, which says when to retry. `because` replaces its first sentence. */
export function overDailyLimit({ code, nouns, limit, nowMs }: DailyLimit, because?: string): AppError {
  if (limit === 0) return new AppError(code, `Your tier allows no ${nouns}. Ask for a higher tier.`);
  const resetsAtMs = nextUtcDay(nowMs);
  const allowed = limit === 1
    ? `1 ${nouns.slice(0, -1)} a day, and it is`
    : `${limit} ${nouns} a day, and all of them are`;
  const detail = because ?? `Your tier allows ${allowed} used.`;
  return new AppError(
    code,
    `${detail} Retry after ${new Date(resetsAtMs).toISOString()}, or ask for a higher tier.`,
    [],
    Math.ceil((resetsAtMs - nowMs) / 1_000),
  );
}
