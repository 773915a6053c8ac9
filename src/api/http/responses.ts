// HTTP responses: headers, compression, 304, errors.
import type { RequestAllowance } from "../../domain/customer/remaining_requests.ts";
import type { AppError } from "../../domain/error_codes.ts";
import { namesTag } from "./conditional_requests.ts";
import { type CachedResponse, takesGzip } from "./response_cache.ts";
import type { Refusal } from "./ip_rate_limit.ts";
import { problemJson } from "../problem.ts";
import type { Route } from "../route.ts";

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
  const isRead = route.method === "GET" && status === 200;
  const ifNoneMatch = request.headers.get("if-none-match");
  const namesIt = isRead && namesTag(ifNoneMatch, body.etag);
  const isKnown = namesIt || (isRead && ifNoneMatch?.trim() === "*");
  // `*` always matches, so refunding it would let clients poll without limit.
  if (namesIt) call.allowance?.refund();
  const compressed = !isKnown && takesGzip(request.headers.get("accept-encoding")) ? body.gzip() : null;
  const all = commonHeaders(call);
  if (!isKnown) all["content-type"] = route.contentType ?? JSON_TYPE;
  if (compressed !== null) all["content-encoding"] = "gzip";
  // A response to HEAD has no body, but states the body's length (RFC 9110, 8.6).
  if (request.method === "HEAD" && !isKnown) {
    all["content-length"] = String((compressed ?? new TextEncoder().encode(body.content)).length);
  }
  if (isRead) {
    all["etag"] = body.etag;
    all["vary"] = "Accept-Encoding";
  }
  // Responses to writes may contain secrets.
  all["cache-control"] = route.method === "GET"
    ? `${call.isPublic ? "public" : "private"}, no-cache`
    : "no-store";
  Object.assign(all, headers);
  return new Response(isKnown ? null : compressed ?? body.content, {
    status: isKnown ? 304 : status,
    headers: all,
  });
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
