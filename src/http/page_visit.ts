// The interface between the HTTP server, which applies limits and counts, and the pages.
import type { AppError } from "../domain/error_codes.ts";

/** A request for a path that is not the API's. */
export interface Visit {
  request: Request;
  requestId: string;
  /** The path and query as sent. */
  address: string;
  /** The client's IP address, behind trusted proxies. */
  ipAddress: string;
  /** Counts a request without a session against its IP address. Throws `too_many_requests` above the limit. */
  countAnonymous(): void;
}

export interface FoundPage {
  /** The path of the page's route, for metrics; null for unknown paths. */
  path: string | null;
  /** Throws errors, which the caller logs and passes to {@link fail}. */
  respond(): Promise<Response>;
  /** Returns a page that describes the error, or null if the response should be the API's JSON. Never throws. */
  fail(error: AppError): Response | null;
  /** Headers of every error response. */
  errorHeaders?: Record<string, string>;
}

export interface Pages {
  /** Returns the page of a request, or null if the response should be the API's JSON. */
  find(visit: Visit): FoundPage | null;
}
