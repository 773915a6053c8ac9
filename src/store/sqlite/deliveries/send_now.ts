// Sends pending deliveries now, in SQLite: makes them due and restarts their schedules.
import type { DeliveryStatus } from "../../../domain/delivery/delivery.ts";
import { sendRefusal } from "../../../domain/plans/send_now.ts";
import type { SendTerms } from "../../../domain/ports/store/deliveries.ts";
import type { Connection } from "../connection/connection.ts";
import { sql } from "../connection/sql.ts";
import { noteAct } from "../customers/audit.ts";
import { countDaily } from "../customers/daily_usage.ts";
import type { Part } from "../store_methods.ts";
import { findDelivery } from "./delivery_log.ts";
import { ATTEMPT_IS_RECORDED, pendingOf, restartSchedules } from "./delivery_states.ts";

export function createSendNow(connection: Connection): Part<"sendDelivery" | "sendPending"> {
  return {
    sendDelivery: (customerId, id, terms) =>
      connection.transaction("durable", () => {
        const row = connection.get(
          sql`select status, subscription_id from deliveries where id = ${id} and customer_id = ${customerId}`,
        );
        if (row === undefined) return "unknown";
        const subscriptionId = String(row["subscription_id"]);
        const refusal = sendRefusal({
          status: row["status"] as DeliveryStatus,
          isOn: isOn(connection, customerId, subscriptionId) === true,
        });
        if (refusal !== null) return refusal;
        if ("by" in terms) noteAct(connection, terms.by, "delivery.send", customerId, { delivery: id });
        else if (!isGranted(connection, customerId, terms)) return "limit_reached";
        sendFirst(connection, id, { subscriptionId, nowMs: terms.nowMs });
        endPause(connection, subscriptionId);
        return findDelivery(connection, customerId, id) ?? "unknown";
      }),

    sendPending: (customerId, subscriptionId, terms) =>
      connection.transaction("durable", () => {
        const on = isOn(connection, customerId, subscriptionId);
        if (on === null) return "unknown";
        if (!on) return "disabled";
        if (!isGranted(connection, customerId, terms)) return "limit_reached";
        restartSchedules(connection, subscriptionId, terms.nowMs);
        endPause(connection, subscriptionId);
        return "sent";
      }),
  };
}

/** Whether a subscription and its customer are enabled. Returns null if the customer has no such subscription. */
function isOn(connection: Connection, customerId: string, subscriptionId: string): boolean | null {
  const row = connection.get(
    sql`select disabled_at is null and enabled = 1 as is_on
      from subscriptions join customers on customers.id = customer_id
      where subscriptions.id = ${subscriptionId} and customer_id = ${customerId} and deleted_at is null`,
  );
  return row === undefined ? null : row["is_on"] === 1;
}

function isGranted(
  connection: Connection,
  customerId: string,
  { nowMs, replaysPerDay }: SendTerms,
): boolean {
  const request = { action: "replays", count: 1, limit: replaysPerDay, nowMs } as const;
  return countDaily(connection, customerId, request).granted;
}

/** Makes a delivery the first of its subscription, because only one is attempted while the endpoint is probed. */
function sendFirst(
  connection: Connection,
  id: string,
  { subscriptionId, nowMs }: { subscriptionId: string; nowMs: number },
): void {
  const first = connection.get(
    sql`select min(next_attempt_at) as at from deliveries indexed by deliveries_due
      where ${pendingOf(subscriptionId)}`,
  );
  const atMs = Math.min(nowMs, Number(first?.["at"]) - 1);
  connection.run(
    sql`update deliveries
      set next_attempt_at = ${atMs}, decided_at = ${nowMs}, not_before = null, tries = 0
      where id = ${id} and (attempts = 0 or ${ATTEMPT_IS_RECORDED})`,
  );
}

/** Lets a probed endpoint get its next attempt at once. If that attempt fails, the pauses continue. */
function endPause(connection: Connection, subscriptionId: string): void {
  connection.run(
    sql`update subscriptions set resume_at = 0 where id = ${subscriptionId} and pace = 'probing'`,
  );
}
