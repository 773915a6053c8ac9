// The body of a webhook: what a subscriber's endpoint is sent.
import { z } from "zod";
import type { EventDiff } from "../domain/diff.ts";
import { disclaimer, eventRecord, severity, unixMs } from "./event.ts";

/** What a delivery tells of. */
export const DELIVERY_TYPES = ["event.published", "event.revised", "event.test"] as const;

const scalar = z.union([z.string(), z.number(), z.null()]);

const fieldChange = z.union([
  z.strictObject({ field: z.string(), before: scalar, after: scalar }),
  z.strictObject({ field: z.string(), added: z.array(z.string()), removed: z.array(z.string()) }),
]).meta({ description: "One field that changed; for lists what came and what went" });

/** The difference to the version before. */
export const eventDiff: z.ZodType<EventDiff> = z.strictObject({
  previous_id: z.string().meta({ description: "Id of the version before" }),
  previous_version: z.int().min(1),
  summary: z.string().meta({ description: "The changed fields, in words" }),
  changes: z.array(fieldChange),
}).meta({ id: "EventDiff", description: "What a revision changed" });

/** The body of a webhook request (specification, section 6). */
export const deliveryPayload = z.strictObject({
  type: z.enum(DELIVERY_TYPES).meta({
    description: "A first version, a revision by the source, or a delivery that was asked for as a test",
  }),
  timestamp: unixMs.meta({
    description: "When the delivery was made, Unix milliseconds; the same for every attempt",
  }),
  delivery_id: z.string().meta({
    description: "`dlv_` and a ULID, the same for every attempt and in the header `webhook-id`",
  }),
  subscription_id: z.string(),
  sequence: z.int().min(0).meta({
    description: "Grows by one with each delivery of the subscription; 0 in tests, which do not count",
  }),
  source: z.string().meta({ description: "The source's id; `test` in tests" }),
  severity,
  language: z.string().meta({ description: "ISO 639-1 code of the language that title and summary are in" }),
  title: z.string().meta({
    description: "In the subscription's language where the event has it, else as `title_en`",
  }),
  summary: z.string().meta({ description: "In the same language as the title; may be empty" }),
  event: eventRecord,
  diff_to_previous: eventDiff.optional().meta({ description: "Only with `event.revised`" }),
  disclaimer,
}).meta({ id: "DeliveryPayload", description: "The body of a webhook request" });

/** See {@link deliveryPayload}. */
export type DeliveryPayload = z.infer<typeof deliveryPayload>;
