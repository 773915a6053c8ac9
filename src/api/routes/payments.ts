// POST /v1/webhooks/payment: receives the payment provider's events.
import * as z from "zod";
import { DISCLAIMER } from "../../domain/event/disclaimer.ts";
import type { PaymentOutcome } from "../../domain/customer/payment.ts";
import { paymentReceipt } from "../../wire/payment.ts";
import { responseBody } from "../response_body.ts";
import { type Route, signedRoute } from "../route.ts";

const MAX_EVENT_BYTES = 1_048_576;

interface PaymentRouteOptions {
  /** Verifies the signature and applies the event. Throws if the event is refused. */
  receive(signature: string | null, body: Uint8Array): Promise<PaymentOutcome>;
}

export function paymentRoute({ receive }: PaymentRouteOptions): Route {
  return signedRoute({
    method: "POST",
    path: "/v1/webhooks/payment",
    operationId: "receivePaymentEvent",
    tag: "Service",
    summary: "Receives an event from the payment provider",
    description:
      "Only for Stripe, which signs its events. A paid checkout creates a customer, who receives the key by email. " +
      "Changes to the Stripe subscription change or end the customer's access. Each event takes effect only once, and " +
      "events may arrive in any order. Event types that are not used are ignored and return 200.",
    maxBodyBytes: MAX_EVENT_BYTES,
    signedBody: z.looseObject({
      id: z.string().meta({ description: "`evt_…`" }),
      type: z.string().meta({
        description: "`checkout.session.completed`, `customer.subscription.updated` …",
      }),
      created: z.int().meta({ description: "Time in Unix **seconds**" }),
      livemode: z.boolean().meta({ description: "Must match the mode in the service's config" }),
      data: z.looseObject({ object: z.looseObject({}) }),
    }).meta({ id: "PaymentEvent", description: "A Stripe event, in any version of the Stripe API" }),
    response: paymentReceipt,
    status: 200,
    async handle({ headers, bytes }) {
      const outcome = await receive(headers.get("stripe-signature"), bytes);
      return responseBody(200, { received: true, outcome, disclaimer: DISCLAIMER });
    },
  });
}
