// The use of daily limits in SQLite: one row for each customer and action.
import { utcDay } from "../../../domain/customer/quota_period.ts";
import {
  DAILY_ACTIONS,
  type DailyAction,
  type DailyGrant,
  type DailyRequest,
  grantDaily,
} from "../../../domain/customer/daily_limit.ts";
import type { Store } from "../../../domain/ports/store/store.ts";
import type { Connection } from "../connection/connection.ts";

/** The part of the port that concerns daily limits. */
export function createDailyUsage(connection: Connection): Pick<Store, "countDaily" | "usedToday"> {
  return {
    countDaily: (customerId, request) =>
      Promise.resolve(connection.transaction("durable", () => countDaily(connection, customerId, request))),

    usedToday: (customerId, nowMs) =>
      Promise.resolve(
        Object.fromEntries(
          DAILY_ACTIONS.map((action) => [action, usedOn(connection, customerId, { action, nowMs })]),
        ) as Record<DailyAction, number>,
      ),
  };
}

/** Takes of a day's limit within the caller's transaction; nothing is written when it is refused. */
export function countDaily(connection: Connection, customerId: string, request: DailyRequest): DailyGrant {
  const used = usedOn(connection, customerId, request);
  const grant = grantDaily(used, request);
  if (grant.granted) {
    connection.run(
      `insert into daily_usage (customer_id, action, day, used) values (?, ?, ?, ?)
       on conflict (customer_id, action) do update set day = excluded.day, used = excluded.used`,
      customerId,
      request.action,
      utcDay(request.nowMs),
      used + request.count,
    );
  }
  return grant;
}

/** The row of another day counts nothing: the first action of a day replaces it. */
function usedOn(
  connection: Connection,
  customerId: string,
  { action, nowMs }: { action: DailyAction; nowMs: number },
): number {
  const row = connection.get(
    "select used from daily_usage where customer_id = ? and action = ? and day = ?",
    customerId,
    action,
    utcDay(nowMs),
  );
  return Number(row?.["used"] ?? 0);
}
