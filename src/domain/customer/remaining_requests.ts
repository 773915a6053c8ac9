// The daily allowance of a request.

export interface RequestAllowance {
  /** False when the day's quota is used up; the request is then not counted. */
  allowed: boolean;
  limit: number;
  /** Requests left after this one. */
  remaining: number;
  /** The next 00:00 UTC, Unix ms. */
  resetMs: number;
  /** Seconds from now to the reset, rounded up. */
  resetInSeconds: number;
  /** Undoes the count of this request, once: for responses 304 and 5xx. Increments `remaining`. */
  refund(): void;
}
