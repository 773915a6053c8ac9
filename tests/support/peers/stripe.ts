// A fake Stripe: events in the form of several API versions, signed by Stripe's library.
import { Stripe } from "npm:stripe@23.1.0";
import type { App } from "../../../src/app.ts";
import { STRIPE_SECRET } from "../samples.ts";
import type { World } from "../world.ts";

/** API versions with different shapes of invoices and periods. */
export type ApiVersion = "2020-08-27" | "2024-06-20" | "2025-03-31.basil";

const stripe = new Stripe("sk_test_none");

export async function stripeSignature(body: string, atMs: number, secret = STRIPE_SECRET): Promise<string> {
  return await stripe.webhooks.generateTestHeaderStringAsync({
    payload: body,
    secret,
    timestamp: Math.floor(atMs / 1_000),
  });
}

export interface StripeSays {
  id: string;
  type: string;
  /** Unix seconds. */
  created: number;
  object: Record<string, unknown>;
  livemode?: boolean;
  version?: ApiVersion;
}

export function stripeEvent({ id, type, created, object, livemode = false, version }: StripeSays): string {
  return JSON.stringify({
    id,
    object: "event",
    api_version: version ?? "2024-06-20",
    created,
    data: { object: { livemode, ...object } },
    livemode,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
  });
}

export function checkoutSession(change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: "cs_test_a1b2c3",
    object: "checkout.session",
    amount_subtotal: 9900,
    amount_total: 9900,
    currency: "eur",
    customer: "cus_NffrFeUfNV2Hib",
    customer_creation: "always",
    customer_details: {
      address: { city: null, country: "DE", line1: null, line2: null, postal_code: null, state: null },
      email: "ana@firm.example",
      name: "Ana",
      phone: null,
      tax_exempt: "none",
      tax_ids: [],
    },
    customer_email: null,
    invoice: "in_1",
    locale: "de",
    metadata: {},
    mode: "subscription",
    payment_intent: null,
    payment_status: "paid",
    status: "complete",
    subscription: "sub_1MowQVLkdIwHu7ix",
    ...change,
  };
}

export function stripeSubscription(
  status: string,
  price: string,
  version: ApiVersion = "2024-06-20",
): Record<string, unknown> {
  const period = { current_period_start: 1_785_542_400, current_period_end: 1_788_220_800 };
  const isOld = version !== "2025-03-31.basil";
  return {
    id: "sub_1MowQVLkdIwHu7ix",
    object: "subscription",
    cancel_at_period_end: false,
    collection_method: "charge_automatically",
    currency: "eur",
    customer: "cus_NffrFeUfNV2Hib",
    items: {
      object: "list",
      data: [{
        id: "si_1",
        object: "subscription_item",
        ...(isOld ? {} : period),
        price: { id: price, object: "price", active: true, currency: "eur", unit_amount: 9900 },
        quantity: 1,
        subscription: "sub_1MowQVLkdIwHu7ix",
      }],
      has_more: false,
    },
    ...(isOld ? period : {}),
    latest_invoice: "in_1",
    metadata: {},
    status,
  };
}

export function stripeInvoice(
  price: string,
  version: ApiVersion = "2024-06-20",
  change: Record<string, unknown> = {},
): Record<string, unknown> {
  const subscription = "sub_1MowQVLkdIwHu7ix";
  const isOld = version !== "2025-03-31.basil";
  const line = { id: "il_1", object: "line_item", amount: 9900, currency: "eur", description: "1 × Feed" };
  const details = { proration: false, subscription, subscription_item: "si_1" };
  return {
    id: "in_1",
    object: "invoice",
    attempt_count: 1,
    billing_reason: "subscription_cycle",
    customer: "cus_NffrFeUfNV2Hib",
    customer_email: "ana@firm.example",
    hosted_invoice_url: "https://invoice.stripe.com/i/acct_1/test_1",
    lines: {
      object: "list",
      data: [
        isOld ? { ...line, type: "subscription", proration: false, price: { id: price, object: "price" } } : {
          ...line,
          parent: { type: "subscription_item_details", subscription_item_details: details },
          pricing: { type: "price_details", price_details: { price, product: "prod_1" } },
        },
      ],
    },
    ...(isOld ? { subscription } : {
      parent: { type: "subscription_details", subscription_details: { metadata: {}, subscription } },
    }),
    status: "open",
    ...change,
  };
}

export async function sendStripe(world: World, body: string, signature?: string): ReturnType<World["ask"]> {
  return await world.ask("/v1/webhooks/payment", {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json; charset=utf-8",
      "stripe-signature": signature ?? await stripeSignature(body, world.platform.clock.nowMs()),
    },
  });
}

/** Sends a body to an app without checking the API description. */
export async function postStripe(
  app: App,
  body: string,
  signature: string,
  remote?: string,
): Promise<number> {
  const headers = { "content-type": "application/json", "stripe-signature": signature };
  const request = new Request("http://regfeed.example/v1/webhooks/payment", {
    method: "POST",
    body,
    headers,
  });
  const response = await app.fetch(request, remote);
  await response.body?.cancel();
  return response.status;
}
