// The interface through which the console uses the API within the process.
import type { Customer } from "../domain/customer/customer.ts";

export interface ApiRequestOptions {
  method: "GET" | "POST" | "DELETE" | "PATCH";
  /** The path with its parameters, such as `/v1/events/evt_…`. */
  path: string;
  /** The query's parameters. Lists are joined with commas; undefined and null are left out. */
  query?: Readonly<Record<string, string | number | boolean | readonly string[] | null | undefined>>;
  /** The body, which is sent as JSON. */
  body?: unknown;
  /** Makes a repeatable request act once. */
  idempotencyKey?: string;
}

export interface ApiAnswer {
  status: number;
  /** The parsed body. */
  json: unknown;
  /** The query of the next page of a list (`Link: rel="next"`), or null on the last page. */
  next: Record<string, string> | null;
}

/**
 * Calls the API as a customer: the same validation, use case and errors as over HTTP, but without a key and without
 * counting against the quota. Throws the `AppError` that a client would get as a problem.
 */
export type CallApi = (customer: Customer, request: ApiRequestOptions) => Promise<ApiAnswer>;
