// The demo's checkout: what a payment provider would call, signed as Stripe signs, and the mail that brings the key.
import { createHmac } from "node:crypto";

/** The endpoint's signing secret; the demo's config holds it. */
export const DEMO_SECRET = "whsec_demo_on_this_machine";

/** The price that the demo's config sells as tier team. */
export const DEMO_PRICE = "price_demo_team";

/** A call of the payment provider. */
export interface PaymentCall {
  type: string;
  body: string;
  /** The header `Stripe-Signature`. */
  signature: string;
}

/** What the provider tells of a paid checkout: that it was completed, and what was bought. */
export function checkoutCalls(nowMs: number): PaymentCall[] {
  const [customer, subscription] = ["cus_demo", "sub_demo"];
  const checkout = {
    object: "checkout.session",
    mode: "subscription",
    status: "complete",
    payment_status: "paid",
    locale: "en",
    customer,
    subscription,
    customer_details: { email: "ana@example.org" },
  };
  const bought = {
    id: subscription,
    object: "subscription",
    status: "active",
    customer,
    items: { data: [{ price: { id: DEMO_PRICE } }] },
  };
  return [
    callOf("customer.subscription.created", bought, nowMs),
    callOf("checkout.session.completed", checkout, nowMs),
  ];
}

function callOf(type: string, object: Record<string, unknown>, nowMs: number): PaymentCall {
  const created = Math.floor(nowMs / 1_000);
  const event = { id: `evt_demo_${type}`, object: "event", type, created, livemode: false, data: { object } };
  const body = JSON.stringify(event);
  const hash = createHmac("sha256", DEMO_SECRET).update(`${created}.${body}`).digest("hex");
  return { type, body, signature: `t=${created},v1=${hash}` };
}

/** What of a welcome mail, as its file holds it, the demo shows, and the key, which has a line for itself. */
export function readWelcome(eml: string): { headers: string[]; key: string | null } {
  const lines = eml.split(/\r?\n/);
  const headers = ["From", "To", "Subject"].flatMap((name) =>
    lines.find((line) => line.startsWith(`${name}: `)) ?? []
  );
  return { headers, key: /^ *(rgf_[0-9a-f]{64})$/m.exec(eml)?.[1] ?? null };
}
