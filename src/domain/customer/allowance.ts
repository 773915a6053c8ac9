// The daily allowance of a request.

/** The allowance of one request, counted when it was made. */
export interface RequestAllowance {
  /** False when the day's requests are used up; the request was not counted then. */
  allowed: boolean;
  limit: number;
  /** Requests left after this one. */
  remaining: number;
  /** The next 00:00 UTC, Unix ms. */
  resetMs: number;
  /** Seconds from now to the reset, rounded up. */
  resetInSeconds: number;
  /** Takes the count of this request back, once (it was answered 304 or 5xx), and gives `remaining` its one again. */
  refund(): void;
}
