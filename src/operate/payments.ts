// Applies stored payment events again.
import { createPayments } from "../accounts/payment/receive_payments.ts";
import type { Act } from "../domain/customer/audit.ts";
import type { PaymentOutcome } from "../domain/customer/payment.ts";
import { Refusal } from "../domain/operator/refusal.ts";
import type { Log } from "../domain/ports/ports.ts";
import { newIdOf, type Operation } from "./operation.ts";

/** Applies a stored payment event again, with the current prices. */
export async function replayPayment(
  operation: Operation & { log: Log },
  id: string,
  by: Act,
): Promise<PaymentOutcome> {
  const { clock, config, log, store } = operation;
  if (config.payment === null) throw new Refusal("payments_off");
  const found = await store.findPayment(id);
  if (found === null) throw new Refusal("payment_unknown", { event: id });
  if (found.event.note === "erased") throw new Refusal("payment_erased", { event: id });
  const newId = newIdOf(operation);
  const payments = createPayments({ ...config.payment, store, clock, newId, log, tiers: config.tiers });
  const outcome = await payments.replay(id, by);
  if (outcome === null) throw new Refusal("payment_unknown", { event: id });
  return outcome;
}
