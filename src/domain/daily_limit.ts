// Limits per customer and UTC day on actions that cost more than a request.

/** What is limited per day. */
export const DAILY_ACTIONS = ["test_calls", "replays", "backfills"] as const;

/** See {@link DAILY_ACTIONS}. */
export type DailyAction = typeof DAILY_ACTIONS[number];

/** A request for some of a day's actions. */
export interface DailyRequest {
  action: DailyAction;
  /** All of them are granted or none. */
  count: number;
  /** What the customer's tier allows per UTC day. */
  limit: number;
  nowMs: number;
}

/** The decision on a {@link DailyRequest}. */
export interface DailyGrant {
  granted: boolean;
  /** What is left of the day afterwards. */
  left: number;
}

/** Decides a request, given how many were used on its day. */
export function grantDaily(
  used: number,
  { count, limit }: Pick<DailyRequest, "count" | "limit">,
): DailyGrant {
  const granted = used + count <= limit;
  return { granted, left: Math.max(0, limit - used - (granted ? count : 0)) };
}
