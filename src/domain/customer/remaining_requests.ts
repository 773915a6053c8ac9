// The daily quota, as it applies to one request.

export interface RequestAllowance {
  /** False if the day's quota is used up. The request is then not counted. */
  allowed: boolean;
  limit: number;
  /** Requests left after this one. */
  remaining: number;
  /** The next 00:00 UTC, Unix ms. */
  resetMs: number;
  /** Seconds from now to the reset, rounded up. */
  resetInSeconds: number;
  /** Undoes the count of this request, at most once, for responses 304 and 5xx. Increments `remaining`. */
  refund(): void;
}
