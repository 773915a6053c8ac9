// The errors in the API description: when they occur, examples, and the errors of each route.
import { AppError, type ErrorCode, ERRORS, type FieldError } from "../../domain/error_codes.ts";
import type { Example } from "../../wire/openapi.ts";
import { MAX_ADDRESS_LENGTH } from "../../http/request_url.ts";
import { MAX_BODY_BYTES } from "../../http/request_body.ts";
import { problemJson } from "../problem.ts";
import type { Route } from "../route.ts";

const EXAMPLE_REQUEST = "req_01KYWDAKRR5WRWT5EF8803K209";

interface ProblemRow {
  /** When the error occurs, as a clause. */
  when: string;
  detail: string;
  errors?: FieldError[];
}

const ROWS: Record<ErrorCode, ProblemRow> = {
  invalid_input: {
    when:
      "a parameter, a field or a header is unknown, missing or malformed, or the body is not JSON; `errors` lists them",
    detail: "limit: must be a whole number from 1 to 200",
    errors: [{ field: "limit", message: "must be a whole number from 1 to 200" }],
  },
  invalid_webhook_url: {
    when:
      "`webhook_url` is not allowed. `errors` names the violated rule (https, no user name or password, an allowed " +
      "port, the length); every problem with the host has the same message",
    detail:
      "webhook_url: must begin with https://; over http, anyone on the network path could read deliveries (the " +
      "operator can allow http: [delivery] allow_http)",
    errors: [{
      field: "webhook_url",
      message: "must begin with https://; over http, anyone on the network path could read deliveries (the " +
        "operator can allow http: [delivery] allow_http)",
    }],
  },
  invalid_signature: {
    when: "the signature of a signed request is missing, invalid or too old, or does not match the body",
    detail:
      "The Stripe-Signature header is missing, invalid or too old, or does not match the body. The service's " +
      "log contains the likely cause.",
  },
  unauthenticated: {
    when: "the key is missing, unknown or disabled; `WWW-Authenticate` states how to send one",
    detail: "Send your API key as `Authorization: Bearer rgf_…`.",
  },
  access_ended: {
    when:
      "the key is valid, but a payment is missing, the paid subscription has ended, or the operator has disabled your " +
      "access; `detail` says which, and the same key works again when access returns",
    detail:
      "This API key is valid, but your access has ended because a payment is missing or your paid subscription has " +
      "ended. Access with the same key resumes when you pay or subscribe again with the same account.",
  },
  subscription_limit_reached: {
    when:
      "your tier's limit on active subscriptions has been reached, or you have 100 disabled subscriptions",
    detail:
      "Your tier allows 5 active subscriptions. Delete or disable another one, or ask for a higher tier.",
  },
  not_found: {
    when: "the id or the path does not exist, or the id belongs to another customer",
    detail: "No event has this id.",
  },
  method_not_allowed: {
    when: "the path does not support the method; `Allow` lists the supported ones",
    detail: "/v1/events supports GET, HEAD, not POST.",
  },
  duplicate_subscription: {
    when: "you have a subscription with the same URL and filters that is active or held by your tier's limit",
    detail:
      "You have an active subscription with this webhook_url and these filters. Delete it first, or use it.",
  },
  idempotency_in_flight: {
    when: "the first request with the same `Idempotency-Key` is still in progress",
    detail: "Wait for the response to the first request, or retry later.",
  },
  idempotency_key_reused: {
    when: "the same `Idempotency-Key` was used for another request (another URL or body)",
    detail: "This key was used for another request. Use a new key.",
  },
  subscription_disabled: {
    when: "the subscription is disabled",
    detail: "This subscription is disabled. Enable it with PATCH first.",
  },
  subscription_key_lost: {
    when: "the subscription's secret can no longer be decrypted and must be rotated first",
    detail:
      "The secret of this subscription is lost. POST /v1/subscriptions/{id}/rotate-secret returns a new one.",
  },
  held_full: {
    when: "the replay would exceed your tier's limit on held deliveries; nothing was sent",
    detail:
      "The monthly quota is used up, and your tier's limit on held deliveries has been reached. Replay after the " +
      "held deliveries have been sent. GET /v1/usage shows their number.",
  },
  delivery_unfinished: {
    when: "the delivery is pending or held and will still be sent",
    detail:
      "This delivery is pending or held and will still be sent. GET /v1/deliveries/{id} shows when and why. If its " +
      'subscription is disabled, PATCH it with {"enabled": true}.',
  },
  delivery_finished: {
    when: "the delivery is not waiting for an attempt: it was delivered, has failed or was cancelled",
    detail:
      "This delivery is finished. Only a pending delivery can be sent now. POST /v1/deliveries/{id}/replay sends a " +
      "delivered or failed one again.",
  },
  delivery_held: {
    when: "the delivery is held; it is sent when the cause ends",
    detail:
      "This delivery is held. GET /v1/deliveries/{id} shows why. It is sent automatically when the cause ends.",
  },
  delivery_cancelled: {
    when: "the delivery's subscription was deleted",
    detail:
      "This delivery's subscription was deleted. For past events, create a subscription with backfill_since.",
  },
  delivery_removed: {
    when: "the delivery's body was deleted after the configured retention time",
    detail: "The body of this delivery has expired and was deleted. GET /v1/events/{id} returns the event.",
  },
  precondition_failed: {
    when: "`If-Match` contains an entity tag, but mutable resources have only weak ones; nothing was changed",
    detail: "Mutable resources have only weak ETags, so If-Match cannot match, and nothing was changed.",
  },
  body_too_large: {
    when: `the body is larger than the path allows (${MAX_BODY_BYTES} bytes, except for payment events)`,
    detail: `body: may have at most ${MAX_BODY_BYTES} bytes`,
    errors: [{ field: "body", message: `may have at most ${MAX_BODY_BYTES} bytes` }],
  },
  uri_too_long: {
    when: `the URL has more than ${MAX_ADDRESS_LENGTH} characters`,
    detail: `The URL may have at most ${MAX_ADDRESS_LENGTH} characters.`,
  },
  unsupported_media_type: {
    when: "the `Content-Type` is not `application/json`, its charset is not UTF-8, or the body is compressed",
    detail: "Content-Type: must be application/json",
    errors: [{ field: "Content-Type", message: "must be application/json" }],
  },
  quota_exceeded: {
    when: "the daily quota is used up; `Retry-After` states when to retry",
    detail:
      "Your tier allows 1000 requests a day. Wait until 2026-08-01T00:00:00.000Z, or ask for a higher tier.",
  },
  backfill_limit_reached: {
    when:
      "your tier's backfills per UTC day are used up; nothing was created. `Retry-After` states when to retry",
    detail:
      "Your tier allows 20 backfills a day, and all of them are used. Retry after 2026-08-01T00:00:00.000Z, " +
      "or ask for a higher tier.",
  },
  test_limit_reached: {
    when:
      "your tier's test calls per UTC day are used up, or you have too many in progress; `Retry-After` states " +
      "when to retry",
    detail:
      "Your tier allows 50 test calls a day, and all of them are used. Retry after 2026-08-01T00:00:00.000Z, " +
      "or ask for a higher tier.",
  },
  replay_limit_reached: {
    when:
      "the replay would send more deliveries than you have daily replays left (nothing was sent), or another of your " +
      "replays is in progress; `Retry-After` states when to retry",
    detail:
      "This replay would send 800 deliveries, but you have only 120 of your tier's 500 daily replays left. Nothing was " +
      "sent. Replay a shorter period with `until`. Retry after 2026-08-01T00:00:00.000Z, or ask for a higher tier.",
  },
  too_many_requests: {
    when:
      "your IP address has sent too many requests without a key, or with an invalid key or signature; `Retry-After` " +
      "states when to retry",
    detail: "Too many requests without a key from your IP address. Try again in 2 s.",
  },
  internal: {
    when: "an internal error occurred; if you contact the operator, include the request id",
    detail:
      "The request could not be processed. Try again. If you contact the operator, include the request id.",
  },
  unavailable: {
    when: "the service is stopping or overloaded, or cannot use its database",
    detail: "Too many test calls are in progress. Retry in 15 s.",
  },
};

export const CODES: readonly ErrorCode[] = (Object.keys(ERRORS) as ErrorCode[]).sort((a, b) =>
  ERRORS[a].status - ERRORS[b].status
);

export function codesOf(route: Route): ErrorCode[] {
  const codes = new Set<ErrorCode>([
    "invalid_input",
    "uri_too_long",
    "too_many_requests",
    "internal",
    "unavailable",
  ]);
  if (route.access === "key") codes.add("unauthenticated").add("access_ended").add("quota_exceeded");
  if (route.access === "key" && route.method !== "GET") codes.add("precondition_failed");
  if (route.access === "signature") codes.add("invalid_signature");
  if (route.body !== undefined || route.access === "signature") {
    codes.add("body_too_large").add("unsupported_media_type");
  }
  if (route.repeatable === true) codes.add("idempotency_in_flight").add("idempotency_key_reused");
  for (const code of route.errors ?? []) codes.add(code);
  return CODES.filter((code) => codes.has(code));
}

export function problemExamples(): Record<ErrorCode, Example> {
  const examples = CODES.map((code) => {
    const { detail, errors } = ROWS[code];
    const value: unknown = JSON.parse(problemJson(new AppError(code, detail, errors), EXAMPLE_REQUEST));
    return [code, { summary: ERRORS[code].title, value }];
  });
  return Object.fromEntries(examples) as Record<ErrorCode, Example>;
}

/** Returns the errors as the rows of a table with the columns code, status and when. */
export function problemTable(): string {
  return CODES.map((code) => `| \`${code}\` | ${ERRORS[code].status} | ${ROWS[code].when} |`).join("\n");
}
