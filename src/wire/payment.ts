// The response of `POST /v1/webhooks/payment`.
import * as z from "zod";
import { DISCLAIMER } from "../domain/event/disclaimer.ts";
import { disclaimer } from "./fields.ts";

export const paymentReceipt = z.strictObject({
  received: z.literal(true),
  outcome: z.enum(["applied", "waiting", "ignored", "repeated"]).meta({
    description:
      "`applied`: the event took effect. `waiting`: stored until its checkout is paid. `ignored`: the event has no " +
      "effect. `repeated`: the event was already known",
  }),
  disclaimer,
}).meta({
  id: "PaymentReceipt",
  description: "The event was received; do not send it again",
  examples: [{ received: true, outcome: "applied", disclaimer: DISCLAIMER }],
});
