// Routes as data for the router, the validation and the documentation.
import type * as z from "zod";
import type { RequestAllowance } from "../domain/customer/remaining_requests.ts";
import type { Customer } from "../domain/customer/customer.ts";
import type { ErrorCode } from "../domain/error_codes.ts";
import type { Repetition } from "./idempotency.ts";
import type { ResponseBody } from "./response_body.ts";
import type { Finding } from "../http/invalid_fields.ts";
import type { HeaderName } from "./openapi/headers.ts";
import type { Tag } from "./openapi/texts.ts";

/** Who may use a route: anyone, holders of a key, or senders of a signed body. */
export type RouteAccess = "public" | "key" | "signature";

/** A request whose query and body match the route's schemas. */
export interface Call<Query = unknown, Body = unknown> {
  params: Record<string, string>;
  query: Query;
  body: Body;
  address: string;
  headers: Headers;
  requestId: string;
}

/** A request with a valid key, and the customer who holds the key. */
export interface KeyCall<Query = unknown, Body = unknown> extends Call<Query, Body> {
  customer: Customer;
  allowance: Pick<RequestAllowance, "limit" | "remaining" | "resetMs">;
  /** Identifies the response to store; null unless the route is repeatable and the request has an `Idempotency-Key`. */
  repetition: Repetition | null;
}

/** A request with a signed body. The handler verifies the signature of `bytes`. */
export interface SignedCall extends Call {
  bytes: Uint8Array;
}

/** The valid parameters and fields of a request, without those that are missing or invalid. */
interface GivenInput<Query = Record<string, unknown>, Body = Record<string, unknown>> {
  query: Partial<Query>;
  body: Partial<Body>;
}

interface RouteRow {
  method: "GET" | "POST" | "DELETE" | "PATCH";
  /** The path with parameters in braces, such as `/v1/events/{id}`. */
  path: string;
  operationId: string;
  tag: Tag;
  summary: string;
  /** Details for callers, in CommonMark. */
  description: string;
  /** The path's parameters, for the documentation; the handler validates them. */
  params?: Record<string, z.ZodType>;
  /** The schema of the query's parameters. Without a schema, any parameter is an error. */
  query?: z.ZodType;
  /** The schema of the body. Without a schema, the body is not read. */
  body?: z.ZodType;
  /** Whether a request without a body is allowed. It is treated as `{}`. */
  bodyIsOptional?: true;
  /** The schema of a signed body, for the documentation; the handler parses its bytes. */
  signedBody?: z.ZodType;
  maxBodyBytes?: number;
  /** Whether `Idempotency-Key` is supported. A stored response is returned before the body is validated. */
  repeatable?: true;
  response: z.ZodType;
  status: number;
  responseHeaders?: readonly HeaderName[];
  /** Other statuses with which a body of the same schema may be sent, and their descriptions. */
  otherResponses?: Record<number, string>;
  /** Errors that the handler throws, in addition to those of every route with the same access. */
  errors?: readonly ErrorCode[];
  /** Checks the valid fields for problems that the schemas cannot detect, such as unknown topics. */
  verify?(given: GivenInput): Promise<Finding[]>;
  /**
   * Returns a string that changes whenever the response may change. The response is cached until then. Only for routes
   * that send the same response to every caller.
   */
  state?(nowMs: number): Promise<string>;
}

export type Route =
  & RouteRow
  & (
    | { access: "public"; handle(call: Call): Promise<ResponseBody> }
    | { access: "key"; handle(call: KeyCall): Promise<ResponseBody> }
    | { access: "signature"; maxBodyBytes: number; handle(call: SignedCall): Promise<ResponseBody> }
  );

type Checked<Schema> = Schema extends z.ZodType ? z.infer<Schema> : undefined;

/** Defines a public route. The schemas determine the types that the handler receives. */
export function publicRoute<
  Q extends z.ZodType | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(
  row: Omit<RouteRow, "query" | "body"> & {
    query?: Q;
    body?: B;
    handle(call: Call<Checked<Q>, Checked<B>>): Promise<ResponseBody>;
  },
): Route {
  return { ...row, access: "public" } as Route;
}

/** Defines a route whose handler checks a signature over the body's bytes. */
export function signedRoute(
  row: Omit<RouteRow, "query" | "body" | "verify"> & {
    maxBodyBytes: number;
    signedBody: z.ZodType;
    handle(call: SignedCall): Promise<ResponseBody>;
  },
): Route {
  return { ...row, access: "signature" };
}

/** Defines a route that requires a key. The schemas determine the types that the handler receives. */
export function keyRoute<
  Q extends z.ZodType | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(
  row: Omit<RouteRow, "query" | "body" | "verify"> & {
    query?: Q;
    body?: B;
    verify?(given: GivenInput<Checked<Q>, Checked<B>>): Promise<Finding[]>;
    handle(call: KeyCall<Checked<Q>, Checked<B>>): Promise<ResponseBody>;
  },
): Route {
  return { ...row, access: "key" } as Route;
}
