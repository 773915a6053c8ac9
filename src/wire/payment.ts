// What the payment provider is answered.
import * as z from "zod";
import { DISCLAIMER } from "../domain/disclaimer.ts";
import { disclaimer } from "./event.ts";

/** The answer of `POST /v1/webhooks/payment`. */
export const paymentReceipt = z.strictObject({
  received: z.literal(true),
  outcome: z.enum(["applied", "waiting", "ignored", "repeated"]).meta({
    description:
      "`applied`: what follows from it is done. `waiting`: kept until its checkout is paid. `ignored`: " +
      "nothing follows from it. `repeated`: it was known already",
  }),
  disclaimer,
}).meta({
  id: "PaymentReceipt",
  description: "The event is kept; it need not be sent again",
  examples: [{ received: true, outcome: "applied", disclaimer: DISCLAIMER }],
});
