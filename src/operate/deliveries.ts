// Sends deliveries now and again, and retries and cancels emails.
import { utcMonth } from "../domain/customer/quota_period.ts";
import type { Act } from "../domain/customer/audit.ts";
import type { MailRetry } from "../domain/customer/mail.ts";
import type { DeliveryRecord } from "../domain/delivery/delivery.ts";
import { isId } from "../domain/event/ids.ts";
import { Refusal, type RefusalCode } from "../domain/operator/refusal.ts";
import type { ReplayRefusal, SendRefusal } from "../domain/ports/store/deliveries.ts";
import type { Store } from "../domain/ports/store/store.ts";
import { newIdOf, type Operation } from "./operation.ts";

/** Finds a delivery of any customer. Throws a {@link Refusal} if there is none. */
export async function requireDelivery(store: Store, id: string): Promise<DeliveryRecord> {
  const customerId = isId("delivery", id) ? await store.findOwner("delivery", id) : null;
  const delivery = customerId === null ? null : await store.findDelivery(customerId, id);
  if (delivery === null) throw new Refusal("delivery_unknown", { delivery: id });
  return delivery;
}

/** Sends a pending delivery now, with a new retry schedule. */
export async function sendDelivery(
  { clock, store }: Operation,
  id: string,
  by: Act,
): Promise<DeliveryRecord> {
  const delivery = await requireDelivery(store, id);
  const outcome = await store.sendDelivery(delivery.customerId, id, { nowMs: clock.nowMs(), by });
  if (typeof outcome === "string") throw await refusalOf(store, delivery, { outcome, how: "now" });
  return outcome;
}

/** Sends a finished delivery again. */
export async function replayDelivery(operation: Operation, id: string, by: Act): Promise<DeliveryRecord> {
  const { clock, config, store } = operation;
  const delivery = await requireDelivery(store, id);
  const nowMs = clock.nowMs();
  const newId = newIdOf(operation);
  const outcome = await store.replayDelivery(delivery.customerId, id, {
    nowMs,
    month: utcMonth(nowMs),
    tiers: config.tiers,
    newMailId: () => newId("mail"),
    by,
  });
  if (typeof outcome === "string") throw await refusalOf(store, delivery, { outcome, how: "again" });
  return outcome;
}

const CODES: Readonly<Record<ReplayRefusal | SendRefusal, RefusalCode>> = {
  unknown: "delivery_unknown",
  unfinished: "delivery_unfinished",
  finished: "delivery_finished",
  held: "delivery_held",
  cancelled: "delivery_cancelled",
  removed: "delivery_removed",
  disabled: "subscription_disabled",
  // An act of the operator uses none of the customer's replays.
  limit_reached: "delivery_unfinished",
};

async function refusalOf(
  store: Store,
  delivery: DeliveryRecord,
  { outcome, how }: { outcome: ReplayRefusal | SendRefusal; how: "now" | "again" },
): Promise<Refusal> {
  const { id, customerId, subscriptionId, status, holdReason, subscriptionDisabledBy } = delivery;
  const isOff = outcome === "disabled" || holdReason === "disabled";
  const isCustomerOff = isOff && (await store.findCustomer(customerId))?.enabled === false;
  return new Refusal(isCustomerOff ? "customer_disabled" : CODES[outcome], {
    delivery: id,
    customer: customerId,
    subscription: subscriptionId,
    how,
    status,
    disabledBy: holdReason === "disabled" ? subscriptionDisabledBy ?? "" : "",
  });
}

/** Sends a waiting, failed or cancelled email now. */
export async function retryMail(
  { store }: Operation,
  id: string,
  by: Act,
): Promise<Exclude<MailRetry, "over">> {
  const outcome = await store.retryMail(id, by);
  if (outcome === "over") throw new Refusal("mail_not_sendable", { mail: id });
  return outcome;
}

export async function cancelMail({ store }: Operation, id: string, by: Act): Promise<void> {
  if (!await store.cancelMail(id, by)) throw new Refusal("mail_not_cancellable", { mail: id });
}
