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

export interface FieldError {
  /** The name of the parameter or field. Dots separate nested names. */
  field: string;
  message: string;
}

/** An error caused by the request or the service. The response contains `code`, `detail` and `fields`. */
export class AppError extends Error {
  override readonly name = "AppError";

  /** `detail` says what is wrong and what to do. `retryInSeconds` sets `Retry-After`; null if waiting does not help. */
  constructor(
    readonly code: ErrorCode,
    readonly detail: string,
    readonly fields: readonly FieldError[] = [],
    readonly retryInSeconds: number | null = null,
  ) {
    super(`${code}: ${detail}`);
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}
