// The errors in the API description: when they occur, examples, and the errors of each route.
import { notEnoughReplays, overDailyLimit } from "../../domain/customer/daily_limit.ts";
import {
  AppError,
  type ErrorCode,
  ERRORS,
  isStandard,
  type StandardCode,
  standardError,
} from "../../domain/error_codes.ts";
import { EXAMPLE_SUBSCRIPTION } from "../../wire/examples.ts";
import type { Example } from "../../wire/openapi.ts";
import { MAX_ADDRESS_LENGTH, urlTooLong } from "../../http/request_url.ts";
import { bodyTooLarge, MAX_BODY_BYTES, unsupportedMedia } from "../../http/request_body.ts";
import { refusalError } from "../../http/ip_rate_limit.ts";
import { invalid } from "../../http/invalid_fields.ts";
import { problemJson } from "../problem.ts";
import { duplicateError, limitError, methodError, quotaError } from "../refusals.ts";
import { notFound } from "../routes/path_id.ts";
import type { Route } from "../route.ts";

const EXAMPLE_REQUEST = "req_01KYWDAKRR5WRWT5EF8803K209";
/** A time on a day, and the end of that day. */
const NOW_MS = Date.UTC(2026, 6, 31, 12);
const RESET_MS = Date.UTC(2026, 7, 1);

interface ProblemRow {
  /** When the error occurs, as a clause. */
  when: string;
  example: AppError;
}

/** A row of an error that has no {@link standardError}. */
const ROWS: Record<Exclude<ErrorCode, StandardCode>, ProblemRow> = {
  invalid_input: {
    when:
      "a parameter, a field or a header is unknown, missing or malformed, or the body is not JSON; `errors` lists them",
    example: invalid([{ field: "limit", message: "must be a whole number from 1 to 200" }]),
  },
  invalid_webhook_url: {
    when:
      "`webhook_url` is not allowed. `errors` names the violated rule (https, no user name or password, an allowed " +
      "port, the length); every problem with the host has the same message",
    example: invalid([{
      field: "webhook_url",
      code: "invalid_webhook_url",
      message: "must begin with https://; over http, anyone on the network path could read deliveries (the " +
        "operator can allow http: [delivery] allow_http)",
    }]),
  },
  unauthenticated: {
    when: "the key is missing, unknown or disabled; `WWW-Authenticate` states how to send one",
    example: new AppError("unauthenticated", "Send your API key as `Authorization: Bearer rgf_…`."),
  },
  access_ended: {
    when:
      "the key is valid, but a payment is missing, the paid subscription has ended, or the operator has disabled your " +
      "access; `detail` says which, and the same key works again when access returns",
    example: new AppError(
      "access_ended",
      "This API key is valid, but your access has ended because a payment is missing or your paid subscription has " +
        "ended. Access with the same key resumes when you pay or subscribe again with the same account.",
    ),
  },
  subscription_limit_reached: {
    when:
      "your tier's limit on active subscriptions has been reached, or you have 100 disabled subscriptions",
    example: limitError(5),
  },
  not_found: {
    when: "the id or the path does not exist, or the id belongs to another customer",
    example: notFound("event"),
  },
  method_not_allowed: {
    when: "the path does not support the method; `Allow` lists the supported ones",
    example: methodError("/v1/events", "GET, HEAD", "POST"),
  },
  duplicate_subscription: {
    when:
      "you have a subscription with the same URL and filters that is active or held by your tier's limit; `subscription_id` names it",
    example: duplicateError({ duplicateOf: EXAMPLE_SUBSCRIPTION.id, isHeld: false }),
  },
  body_too_large: {
    when: `the body is larger than the path allows (${MAX_BODY_BYTES} bytes, except for payment events)`,
    example: bodyTooLarge(MAX_BODY_BYTES),
  },
  uri_too_long: {
    when: `the URL has more than ${MAX_ADDRESS_LENGTH} characters`,
    example: urlTooLong(),
  },
  unsupported_media_type: {
    when: "the `Content-Type` is not `application/json`, its charset is not UTF-8, or the body is compressed",
    example: unsupportedMedia("Content-Type", "must be application/json"),
  },
  quota_exceeded: {
    when: "the daily quota is used up; `Retry-After` states when to retry",
    example: quotaError(1_000, RESET_MS),
  },
  backfill_limit_reached: {
    when:
      "your tier's backfills per UTC day are used up; nothing was created. `Retry-After` states when to retry",
    example: overDailyLimit({ code: "backfill_limit_reached", nouns: "backfills", limit: 20, nowMs: NOW_MS }),
  },
  test_limit_reached: {
    when:
      "your tier's test calls per UTC day are used up, or you have too many in progress; `Retry-After` states " +
      "when to retry",
    example: overDailyLimit({ code: "test_limit_reached", nouns: "test calls", limit: 50, nowMs: NOW_MS }),
  },
  replay_limit_reached: {
    when:
      "the replay would send more deliveries than you have daily replays left (nothing was sent), or another of your " +
      "replays is in progress; `Retry-After` states when to retry",
    example: overDailyLimit(
      { code: "replay_limit_reached", nouns: "replays", limit: 500, nowMs: NOW_MS },
      notEnoughReplays({ wanted: 800, left: 120, limit: 500 }),
    ),
  },
  too_many_requests: {
    when:
      "your IP address has sent too many requests without a key, or with an invalid key or signature; `Retry-After` " +
      "states when to retry",
    example: refusalError({ limited: "public", retryInSeconds: 2 }),
  },
  unavailable: {
    when: "the service is stopping or overloaded, or cannot use its database",
    example: new AppError("unavailable", "Too many test calls are in progress. Retry in 15 s."),
  },
};

/** When an error occurs that has a {@link standardError}, as a clause. */
const WHEN: Record<StandardCode, string> = {
  invalid_signature:
    "the signature of a signed request is missing, invalid or too old, or does not match the body",
  idempotency_in_flight: "the first request with the same `Idempotency-Key` is still in progress",
  idempotency_key_reused: "the same `Idempotency-Key` was used for another request (another URL or body)",
  held_full: "the replay would exceed your tier's limit on held deliveries; nothing was sent",
  subscription_disabled: "the subscription is disabled",
  subscription_key_lost: "the subscription's secret can no longer be decrypted and must be rotated first",
  delivery_unfinished: "the delivery is pending or held and will still be sent",
  delivery_finished:
    "the delivery is not waiting for an attempt: it was delivered, has failed or was cancelled",
  delivery_held: "the delivery is held; it is sent when the cause ends",
  delivery_cancelled: "the delivery's subscription was deleted",
  delivery_removed: "the delivery's body was deleted after the configured retention time",
  precondition_failed:
    "`If-Match` contains an entity tag, but mutable resources have only weak ones; nothing was changed",
  internal: "an internal error occurred; if you contact the operator, include the request id",
};

function rowOf(code: ErrorCode): ProblemRow {
  return isStandard(code) ? { when: WHEN[code], example: standardError(code) } : ROWS[code];
}

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
    const value: unknown = JSON.parse(problemJson(rowOf(code).example, EXAMPLE_REQUEST));
    return [code, { summary: ERRORS[code].title, value }];
  });
  return Object.fromEntries(examples) as Record<ErrorCode, Example>;
}

/** Returns the errors as the rows of a table with the columns code, status and when. */
export function problemTable(): string {
  return CODES.map((code) => `| \`${code}\` | ${ERRORS[code].status} | ${rowOf(code).when} |`).join("\n");
}
