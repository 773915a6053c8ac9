// Usage of daily limits in SQLite, with one row per customer and action.
import {
  DAILY_ACTIONS,
  type DailyAction,
  type DailyGrant,
  type DailyRequest,
  grantDaily,
} from "../../../domain/customer/daily_limit.ts";
import type { Connection } from "../connection/connection.ts";
import { sql } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";
import { utcDay } from "../../../domain/utc_day.ts";

export function createDailyUsage(connection: Connection): Part<"countDaily" | "usedToday"> {
  return {
    countDaily: (customerId, request) =>
      connection.transaction("durable", () => countDaily(connection, customerId, request)),

    usedToday: (customerId, nowMs) =>
      Object.fromEntries(
        DAILY_ACTIONS.map((action) => [action, usedOn(connection, customerId, { action, nowMs })]),
      ) as Record<DailyAction, number>,
  };
}

/** Counts a request towards a daily limit in the caller's transaction, unless the request would exceed the limit. */
export function countDaily(connection: Connection, customerId: string, request: DailyRequest): DailyGrant {
  const used = usedOn(connection, customerId, request);
  const grant = grantDaily(used, request);
  if (grant.granted) {
    connection.run(
      sql`insert into daily_usage (customer_id, action, day, used)
        values (${customerId}, ${request.action}, ${utcDay(request.nowMs)}, ${used + request.count})
        on conflict (customer_id, action) do update set day = excluded.day, used = excluded.used`,
    );
  }
  return grant;
}

/** Returns the usage of the current day. A row of another day does not count, and the next grant replaces it. */
function usedOn(
  connection: Connection,
  customerId: string,
  { action, nowMs }: { action: DailyAction; nowMs: number },
): number {
  const row = connection.get(
    sql`select used from daily_usage
      where customer_id = ${customerId} and action = ${action} and day = ${utcDay(nowMs)}`,
  );
  return Number(row?.["used"] ?? 0);
}
