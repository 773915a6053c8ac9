// The webhooks section of the API description.
import { EXAMPLE_DELIVERY, EXAMPLE_EVENT } from "../../wire/examples.ts";
import type { Example, Parameter, PathItem, Schema } from "../../wire/openapi.ts";
import { DELIVERIES } from "./texts.ts";

const HEADERS: readonly Parameter[] = [
  header("webhook-id", "The delivery's id, the same for every attempt", {
    type: "string",
    pattern: "^dlv_[0-7][0-9A-HJKMNP-TV-Z]{25}$",
    examples: [EXAMPLE_DELIVERY.delivery_id],
  }),
  header("webhook-timestamp", "When this attempt was signed, in Unix **seconds**", {
    type: "string",
    pattern: "^[0-9]+$",
    examples: ["1785513605"],
  }),
  header(
    "webhook-signature",
    "Signatures separated by spaces, each `v1,` followed by an HMAC-SHA256 in base64; two per valid secret",
    {
      type: "string",
      examples: [
        "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4= v1,6UzTQBe0mE7h0jVmyXQ4rYp3gkJm5V2yBz0uQmZ8mZk=",
      ],
    },
  ),
  header(
    "X-Regfeed-Subscription",
    "The subscription's id, which selects the secret with which to verify the delivery. The header is not signed, " +
      "unlike `subscription_id` in the body",
    {
      type: "string",
      pattern: "^sub_[0-7][0-9A-HJKMNP-TV-Z]{25}$",
      examples: [EXAMPLE_DELIVERY.subscription_id],
    },
  ),
];

export function webhooks(payload: Schema): Record<string, PathItem> {
  return {
    delivery: {
      post: {
        operationId: "receiveDelivery",
        tags: ["Webhooks"],
        summary: "A delivery to your endpoint",
        description: DELIVERIES.trim(),
        security: [],
        parameters: [...HEADERS],
        requestBody: {
          required: true,
          description:
            "One version of one publication, with title and summary in the subscription's language",
          content: { "application/json": { schema: payload, examples: examples() } },
        },
        responses: {
          "2XX": { description: "Received." },
          "410": { description: "The endpoint no longer exists. The subscription is disabled." },
          "default": { description: "Not received. The delivery is retried." },
        },
      },
    },
  };
}

function header(name: string, description: string, schema: Schema): Parameter {
  return { name, in: "header", required: true, description, schema };
}

function examples(): Record<string, Example> {
  const { diff_to_previous: _, ...published } = EXAMPLE_DELIVERY;
  const words = EXAMPLE_EVENT.translations["de"];
  return {
    revised: { summary: "A revision by the source", value: EXAMPLE_DELIVERY },
    published: {
      summary: "A first version",
      value: {
        ...published,
        type: "event.published",
        timestamp: EXAMPLE_EVENT.ingested_at + 5_000,
        delivery_id: "dlv_01KYPEWD40C1BAYPTZMVD7V4X0",
        sequence: 41,
        severity: EXAMPLE_EVENT.severity,
        ...words,
        event: EXAMPLE_EVENT,
      },
    },
  };
}
