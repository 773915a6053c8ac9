// The body of a webhook request (specification, section 6).
import * as z from "zod";
import type { EventDiff } from "../domain/event/diff.ts";
import { eventRecord, severity } from "./event.ts";
import { EXAMPLE_DELIVERY } from "./examples.ts";
import { count, disclaimer, identifier, languageCode, text, texts, time } from "./fields.ts";

export const DELIVERY_TYPES = ["event.published", "event.revised", "event.test"] as const;

export type DeliveryType = typeof DELIVERY_TYPES[number];

const scalar = z.union([z.string(), z.number(), z.null()]);

const changedField = text("A field of the event, such as `title_en` or `translations.de.title`");

const fieldChange = z.union([
  z.strictObject({
    field: changedField,
    before: scalar,
    after: scalar,
    excerpt: z.literal(true).exactOptional().meta({
      description: "The values contain only the changed sentences of a long text, with `[…]` for the others",
    }),
  }),
  z.strictObject({
    field: changedField,
    added: texts("Values added to the list"),
    removed: texts("Values removed from the list"),
  }),
]).meta({
  id: "FieldChange",
  description: "A changed field. A list has `added` and `removed`; any other field has `before` and `after`",
});

export const eventDiff: z.ZodType<EventDiff> = z.strictObject({
  previous_id: identifier("event", "The id of the previous version"),
  previous_version: z.int().min(1).meta({ description: "The number of the previous version" }),
  summary: text(
    "The changes in words, such as `Title changed; 2 topics added`; in deliveries, in the subscription's language",
  ),
  changes: z.array(fieldChange),
}).meta({ id: "EventDiff", description: "What a revision changed" });

export const deliveryPayload = z.strictObject({
  type: z.enum(DELIVERY_TYPES).meta({
    description:
      "`event.published`: a first version; `event.revised`: a revision by the source; `event.test`: a test. A test " +
      "delivery may also be a sample of the other types, always with the source `test`",
  }),
  timestamp: time("When the delivery was created, Unix milliseconds; the same for every attempt"),
  delivery_id: identifier(
    "delivery",
    "The delivery's id, the same for every attempt and in the header `webhook-id`",
  ),
  subscription_id: identifier("subscription", "The subscription's id"),
  sequence: count(
    "Increases by one with each delivery of the subscription; 0 for tests, which are not counted",
  ),
  source: text("The source's id; `test` in test deliveries"),
  severity,
  language: languageCode.meta({
    description: "ISO 639-1 code of the language of `title` and `summary`",
  }),
  title: text("The title in the subscription's language if the event has it, otherwise `title_en`"),
  summary: text("The summary in the same language as `title`; may be empty"),
  event: eventRecord,
  diff_to_previous: eventDiff.optional().meta({ description: "Present only for `event.revised`" }),
  disclaimer,
}).meta({
  id: "DeliveryPayload",
  description: "The body of a webhook request",
  examples: [EXAMPLE_DELIVERY],
});

export type DeliveryPayload = z.infer<typeof deliveryPayload>;
