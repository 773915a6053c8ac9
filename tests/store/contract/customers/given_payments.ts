// Payment events for the contract's tests, and a simple review of them.
import type { PaymentReview } from "../../../../src/domain/ports/store/payments.ts";
import type { PaymentEvent, PaymentFact, PaymentVerdict } from "../../../../src/domain/customer/payment.ts";
import { DEFAULT_LIMITS } from "../../../../src/domain/customer/tier.ts";
import { T0 } from "../given.ts";

/** Returns a payment event, by default a paid checkout of `payer_1`. */
export function aPayment(id: string, change: Partial<PaymentEvent> = {}): PaymentEvent {
  return {
    id,
    type: "checkout.session.completed",
    createdAtMs: T0,
    receivedAtMs: T0,
    payer: "payer_1",
    subscription: "paid_1",
    fact: { kind: "checkout", paid: true, email: "ana@firm.example", language: "de" },
    note: null,
    ...change,
  };
}

export function aState(status: "active" | "past_due" | "canceled", price: string | null = null): PaymentFact {
  return {
    kind: "subscription",
    status,
    deleted: false,
    prices: price === null ? [] : [price],
    invoice: null,
  };
}

let made = 0;

/**
 * Returns a simple review. The payer's last subscription event decides the status and the price. While the status is
 * `past_due`, access continues until an hour after {@link T0}. The arguments override fields of the result.
 */
export function aReview(
  { nowMs = T0, ...given }: Partial<PaymentVerdict> & { nowMs?: number } = {},
): PaymentReview {
  return {
    nowMs,
    tiers: DEFAULT_LIMITS,
    noteAccess: () => {},
    newId: (noun) => `${noun === "mail" ? "mail_" : "cus_paid"}${++made}`,
    judge: (events) => {
      const checkout = events.find(({ fact }) => fact?.kind === "checkout")?.fact;
      const last = events.map(({ fact }) => fact).filter((fact) => fact?.kind === "subscription").at(-1);
      const untilMs = last?.status === "past_due" ? T0 + 3_600_000 : null;
      const isEnded = last?.status === "canceled" || (untilMs !== null && untilMs <= nowMs);
      return {
        provision: checkout?.kind === "checkout" && checkout.paid,
        email: checkout?.kind === "checkout" ? checkout.email ?? "" : "",
        language: checkout?.kind === "checkout" ? checkout.language : "en",
        tier: last?.prices[0] === "price_gpai" ? "gpai" : last?.prices[0] === "price_team" ? "team" : null,
        access: isEnded ? "ended" : "granted",
        accessUntilMs: untilMs,
        unknownPrice: null,
        isPriceAwaited: false,
        notice: untilMs === null ? null : {
          kind: "payment-failed",
          occasion: isEnded ? "ended" : "due",
          data: { accessUntilMs: isEnded ? null : untilMs },
        },
        ...given,
      };
    },
  };
}
