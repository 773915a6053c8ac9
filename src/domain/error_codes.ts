// Every error that the API can return, in one table of codes, statuses and titles.

interface ErrorRow {
  status: number;
  /** The title of the problem (RFC 9457). */
  title: string;
}

export const ERRORS = {
  invalid_input: { status: 400, title: "The request is not valid" },
  invalid_webhook_url: { status: 400, title: "This URL cannot receive webhooks" },
  invalid_signature: { status: 400, title: "The signature does not match" },
  unauthenticated: { status: 401, title: "A valid API key is required" },
  access_ended: { status: 403, title: "Access has ended" },
  subscription_limit_reached: {
    status: 403,
    title: "The tier's limit on active subscriptions has been reached",
  },
  not_found: { status: 404, title: "Not found" },
  method_not_allowed: { status: 405, title: "Method not allowed" },
  duplicate_subscription: { status: 409, title: "An identical subscription is already active" },
  idempotency_in_flight: {
    status: 409,
    title: "The first request with this Idempotency-Key is still in progress",
  },
  idempotency_key_reused: { status: 422, title: "This Idempotency-Key was used for another request" },
  held_full: { status: 409, title: "The tier's limit on held deliveries has been reached" },
  subscription_disabled: { status: 409, title: "This subscription is disabled" },
  subscription_key_lost: { status: 409, title: "This subscription needs a new secret" },
  delivery_unfinished: { status: 409, title: "This delivery is not finished" },
  delivery_finished: { status: 409, title: "This delivery is finished" },
  delivery_held: { status: 409, title: "This delivery is held" },
  delivery_cancelled: { status: 409, title: "This delivery was cancelled" },
  delivery_removed: { status: 409, title: "The body of this delivery was deleted" },
  precondition_failed: { status: 412, title: "Precondition failed" },
  body_too_large: { status: 413, title: "The request body is too large" },
  uri_too_long: { status: 414, title: "The request URL is too long" },
  unsupported_media_type: { status: 415, title: "The request body must be JSON" },
  backfill_limit_reached: { status: 429, title: "The daily limit on backfills has been reached" },
  quota_exceeded: { status: 429, title: "The daily quota of requests is used up" },
  test_limit_reached: { status: 429, title: "The daily limit on test calls has been reached" },
  replay_limit_reached: { status: 429, title: "The daily limit on replays has been reached" },
  too_many_requests: { status: 429, title: "Too many requests from this IP address" },
  internal: { status: 500, title: "Internal error" },
  unavailable: { status: 503, title: "The service is temporarily unavailable" },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;

/** The details of errors that are the same in every response. */
const DETAILS = {
  invalid_signature:
    "The Stripe-Signature header is missing, invalid or too old, or does not match the body. The service's log " +
    "contains the likely cause.",
  idempotency_in_flight: "Wait for the response to the first request, or retry later.",
  idempotency_key_reused: "This key was used for another request. Use a new key.",
  held_full:
    "The monthly quota is used up, and your tier's limit on held deliveries has been reached. Replay after the held " +
    "deliveries have been sent. GET /v1/usage shows their number.",
  subscription_disabled:
    'The subscription is disabled. Enable it first: PATCH /v1/subscriptions/{id} with {"enabled": true}.',
  subscription_key_lost:
    "The secret of this subscription is lost. POST /v1/subscriptions/{id}/rotate-secret returns a new one.",
  delivery_unfinished:
    "This delivery is pending or held and will still be sent. GET /v1/deliveries/{id} shows when and why. If its " +
    'subscription is disabled, PATCH it with {"enabled": true}.',
  delivery_finished:
    "This delivery is finished. Only a pending delivery can be sent now. POST /v1/deliveries/{id}/replay sends a " +
    "delivered or failed one again.",
  delivery_held:
    "This delivery is held. GET /v1/deliveries/{id} shows why. It is sent automatically when the cause ends.",
  delivery_cancelled:
    "This delivery's subscription was deleted. For past events, create a subscription with backfill_since.",
  delivery_removed:
    "The body of this delivery has expired and was deleted. GET /v1/events/{id} returns the event.",
  precondition_failed:
    "Mutable resources have only weak ETags, so If-Match cannot match, and nothing was changed. Send the request " +
    "without If-Match: PATCH updates only the fields you send.",
  internal:
    "The request could not be processed. Try again. If you contact the operator, include the request id.",
} as const satisfies Partial<Record<ErrorCode, string>>;

export type StandardCode = keyof typeof DETAILS;

export function isStandard(code: ErrorCode): code is StandardCode {
  return code in DETAILS;
}

/** Returns an error whose detail is the same in every response. */
export function standardError(code: StandardCode, fields: readonly FieldError[] = []): AppError {
  return new AppError(code, DETAILS[code], fields);
}

export interface FieldError {
  /** The name of the parameter or field. Dots separate nested names. */
  field: string;
  message: string;
}

/** An error caused by the request or the service. The response contains `code`, `detail` and `fields`. */
export class AppError extends Error {
  override readonly name = "AppError";

  /**
   * `detail` says what is wrong and what to do. `retryInSeconds` sets `Retry-After`; null if waiting does not help.
   * `extension` has further members of the response (RFC 9457, section 3.2).
   */
  constructor(
    readonly code: ErrorCode,
    readonly detail: string,
    readonly fields: readonly FieldError[] = [],
    readonly retryInSeconds: number | null = null,
    readonly extension: { subscription_id?: string } = {},
  ) {
    super(`${code}: ${detail}`);
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}
