// POST /v1/webhooks/payment: the payment provider's calls.
import * as z from "zod";
import { DISCLAIMER } from "../../domain/disclaimer.ts";
import type { PaymentOutcome } from "../../domain/payment.ts";
import { paymentReceipt } from "../../wire/payment.ts";
import { answer } from "../answer.ts";
import { type Route, signedRoute } from "../route.ts";

/** The longest event that is read, bytes: a bill of many lines is long. */
const MAX_EVENT_BYTES = 1_048_576;

/** What the route needs. */
export interface PaymentRouteOptions {
  /** Checks the signature over the bytes and takes the event; throws for what it refuses. */
  receive(signature: string | null, body: Uint8Array): Promise<PaymentOutcome>;
}

/** The route. */
export function paymentRoute({ receive }: PaymentRouteOptions): Route {
  return signedRoute({
    method: "POST",
    path: "/v1/webhooks/payment",
    operationId: "receivePaymentEvent",
    tag: "Service",
    summary: "An event of the payment provider",
    description:
      "For Stripe alone, which signs its events: a paid checkout makes a customer, whose first mail brings " +
      "the key; what happens to the subscription changes or ends the access. The same event acts once, and the order " +
      "of arrival decides nothing. Types that do not matter here are answered 200.",
    maxBodyBytes: MAX_EVENT_BYTES,
    signedBody: z.looseObject({
      id: z.string().meta({ description: "`evt_…`" }),
      type: z.string().meta({
        description: "`checkout.session.completed`, `customer.subscription.updated` …",
      }),
      created: z.int().meta({ description: "Unix **seconds**" }),
      livemode: z.boolean().meta({ description: "Must agree with the service's own mode" }),
      data: z.looseObject({ object: z.looseObject({}) }),
    }).meta({ id: "PaymentEvent", description: "An event as Stripe sends it, in any version of its API" }),
    answer: paymentReceipt,
    status: 200,
    async handle({ headers, bytes }) {
      const outcome = await receive(headers.get("stripe-signature"), bytes);
      return answer(200, { received: true, outcome, disclaimer: DISCLAIMER });
    },
  });
}
