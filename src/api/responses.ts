// HTTP responses: headers, compression, 304, errors.
import type { RequestAllowance } from "../domain/customer/remaining_requests.ts";
import type { AppError } from "../domain/error_codes.ts";
import type { CachedResponse } from "../http/response_cache.ts";
import { contentResponse, knownContent } from "../http/responses.ts";
import type { Refusal } from "../http/ip_rate_limit.ts";
import { problemJson } from "./problem.ts";
import type { Route } from "./route.ts";

export interface RequestContext {
  requestId: string;
  allowance: RequestAllowance | null;
  /** Whether pages of any origin may read the response, because its path requires no key. */
  isPublic: boolean;
  /** Set if the rate limit of the IP address refused the request. */
  refusal?: Refusal;
}

export interface CompletedResponse extends CachedResponse {
  status: number;
}

const CORS_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "ETag, X-Request-Id",
};
const JSON_TYPE = "application/json; charset=utf-8";

export function preflight(call: RequestContext, allow: string): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...commonHeaders(call),
      allow: `${allow}, OPTIONS`,
      "access-control-allow-methods": allow,
      "access-control-allow-headers": "If-None-Match",
      "access-control-max-age": "86400",
    },
  });
}

/** Returns a successful response, or a 304 if the client already has it. */
export function success(
  { status, body, headers }: CompletedResponse,
  { request, route, call }: { request: Request; route: Route; call: RequestContext },
): Response {
  const known = knownContent(request, { status, body });
  // `*` always matches, so refunding it would let clients poll without limit.
  if (known === "named") call.allowance?.refund();
  // Responses to writes may contain secrets.
  const caching = route.method === "GET" ? `${call.isPublic ? "public" : "private"}, no-cache` : "no-store";
  return contentResponse(request, {
    status,
    body,
    contentType: JSON_TYPE,
    headers: { ...commonHeaders(call), "cache-control": caching, ...headers },
  }, known);
}

export function failure(
  error: AppError,
  call: RequestContext,
  headers: Record<string, string> = {},
): Response {
  if (error.status >= 500) call.allowance?.refund();
  return new Response(problemJson(error, call.requestId), {
    status: error.status,
    headers: {
      "content-type": "application/problem+json; charset=utf-8",
      "cache-control": "no-store",
      ...(error.code === "unauthenticated" ? { "www-authenticate": 'Bearer realm="regfeed"' } : {}),
      ...retryAfter(error, call),
      ...commonHeaders(call),
      ...headers,
    },
  });
}

function retryAfter(error: AppError, { allowance, refusal }: RequestContext): Record<string, string> {
  const seconds = error.retryInSeconds ??
    (error.status === 429 ? refusal?.retryInSeconds ?? allowance?.resetInSeconds : undefined);
  return seconds === undefined ? {} : { "retry-after": String(seconds) };
}

function commonHeaders({ requestId, allowance, isPublic }: RequestContext): Record<string, string> {
  const headers = { "x-request-id": requestId, "x-content-type-options": "nosniff" };
  if (allowance === null) return isPublic ? { ...headers, ...CORS_HEADERS } : headers;
  return {
    ...headers,
    "x-ratelimit-limit": String(allowance.limit),
    "x-ratelimit-remaining": String(allowance.remaining),
    "x-ratelimit-reset": String(allowance.resetMs),
    "ratelimit-policy": `"day";q=${allowance.limit};w=86400`,
    "ratelimit": `"day";r=${allowance.remaining};t=${allowance.resetInSeconds}`,
  };
}
