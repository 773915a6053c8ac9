// Customers' usage in SQLite: API requests, deliveries and active subscriptions.
import type { Connection } from "../connection/connection.ts";
import { sql } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";

export function createUsage(
  connection: Connection,
): Part<"countedRequests" | "usageOf" | "usageByDay" | "addRequests"> {
  return {
    countedRequests: (customerId, day) => {
      const row = connection.get(
        sql`select requests from api_usage where customer_id = ${customerId} and day = ${day}`,
      );
      return Number(row?.["requests"] ?? 0);
    },

    usageOf: (customerId, month) => {
      const row = connection.get(
        sql`select
           delivery_usage.deliveries, delivery_usage.warned_at, delivery_usage.spent_at,
           (select count(*) from subscriptions indexed by subscriptions_active
            where customer_id = customers.id and deleted_at is null and disabled_at is null) as active,
           customer_storage.held
         from customers join customer_storage on customer_storage.customer_id = customers.id left join delivery_usage
           on delivery_usage.customer_id = customers.id and delivery_usage.month = ${month}
         where customers.id = ${customerId}`,
      );
      return {
        deliveries: Number(row?.["deliveries"] ?? 0),
        held: Number(row?.["held"] ?? 0),
        activeSubscriptions: Number(row?.["active"] ?? 0),
        warnedAtMs: (row?.["warned_at"] ?? null) as number | null,
        spentAtMs: (row?.["spent_at"] ?? null) as number | null,
      };
    },

    usageByDay: (customerId, sinceDay) =>
      connection.all(
        sql`select day, sum(requests) as requests, sum(deliveries) as deliveries from (
            select day, requests, 0 as deliveries from api_usage
              where customer_id = ${customerId} and day >= ${sinceDay}
            union all
            select day, 0, deliveries from arrivals where customer_id = ${customerId} and day >= ${sinceDay}
          ) group by day order by day`,
      ).map((row) => ({
        day: String(row["day"]),
        requests: Number(row["requests"]),
        deliveries: Number(row["deliveries"]),
      })),

    addRequests: (counts) =>
      connection.transaction("relaxed", () => {
        for (const { customerId, day, requests } of counts) {
          connection.run(
            sql`insert into api_usage (customer_id, day, requests)
              values (${customerId}, ${day}, max(0, ${requests}))
              on conflict (customer_id, day) do update set requests = max(0, requests + ${requests})`,
          );
        }
      }),
  };
}
