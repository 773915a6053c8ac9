// The body of a webhook: what a subscriber's endpoint is sent.
import * as z from "zod";
import type { EventDiff } from "../domain/diff.ts";
import { disclaimer, eventRecord, identifier, languageCode, severity, unixMs } from "./event.ts";
import { EXAMPLE_DELIVERY } from "./examples.ts";

/** What a delivery tells of. */
export const DELIVERY_TYPES = ["event.published", "event.revised", "event.test"] as const;

const scalar = z.union([z.string(), z.number(), z.null()]);

const changedField = z.string().meta({
  description: "A field of the event; the words of a language stand as `translations.de.title`",
});

const fieldChange = z.union([
  z.strictObject({
    field: changedField,
    before: scalar,
    after: scalar,
    excerpt: z.literal(true).exactOptional().meta({
      description: "Only the changed sentences of a long text stand there, with `[…]` for the others",
    }),
  }),
  z.strictObject({
    field: changedField,
    added: z.array(z.string()).meta({ description: "What the list holds now and did not before" }),
    removed: z.array(z.string()).meta({ description: "What the list held before and does not now" }),
  }),
]).meta({ id: "FieldChange", description: "One field that changed; for lists what came and what went" });

/** The difference to the version before. */
export const eventDiff: z.ZodType<EventDiff> = z.strictObject({
  previous_id: identifier("event", "The id of the version before"),
  previous_version: z.int().min(1).meta({ description: "The number of the version before" }),
  summary: z.string().meta({
    description:
      "The changes in words, in a delivery in the subscription's language: `Title changed; 2 topics added`",
  }),
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
  delivery_id: identifier("delivery", "The same for every attempt and in the header `webhook-id`"),
  subscription_id: identifier("subscription", "The subscription that asked for it"),
  sequence: z.int().min(0).meta({
    description: "Grows by one with each delivery of the subscription; 0 in tests, which do not count",
  }),
  source: z.string().meta({ description: "The source's id; `test` in tests" }),
  severity,
  language: languageCode.meta({
    description: "ISO 639-1 code of the language that title and summary are in",
  }),
  title: z.string().meta({
    description: "In the subscription's language where the event has it, else as `title_en`",
  }),
  summary: z.string().meta({ description: "In the same language as the title; may be empty" }),
  event: eventRecord,
  diff_to_previous: eventDiff.optional().meta({ description: "Only with `event.revised`" }),
  disclaimer,
}).meta({
  id: "DeliveryPayload",
  description: "The body of a webhook request",
  examples: [EXAMPLE_DELIVERY],
});

/** See {@link deliveryPayload}. */
export type DeliveryPayload = z.infer<typeof deliveryPayload>;
