// The responses of a route in the API description, with their headers.
import { type ErrorCode, ERRORS } from "../../domain/error_codes.ts";
import type { MediaType, Reference, ResponseObject } from "../../wire/openapi.ts";
import type { Route } from "../route.ts";
import { type HeaderName, HEADERS, QUOTA_HEADERS } from "./headers.ts";
import { CODES, codesOf, problemExamples } from "./problems.ts";

const JSON_TYPE = "application/json";
const PROBLEM_TYPE = "application/problem+json";
const PROBLEM_SCHEMA = { $ref: "#/components/schemas/Problem" };

/** Returns a response for each error code, for operations that have only this code with its status. */
export function sharedResponses(): Record<string, ResponseObject> {
  return Object.fromEntries(CODES.map((code) => [code, problemResponse([code])]));
}

/** Returns the responses of a route by status. `body` is the body of a success. */
export function responsesOf(route: Route, body: MediaType): Record<string, Reference | ResponseObject> {
  const type = JSON_TYPE.split(";")[0] ?? "";
  const own = headersOf(route);
  const responses: Record<string, Reference | ResponseObject> = {
    [route.status]: {
      description: route.response.description ?? route.summary,
      headers: references(own),
      content: { [type]: body },
    },
  };
  if (route.method === "GET") {
    responses["304"] = {
      description: "The response whose `ETag` was sent in `If-None-Match` is still current.",
      headers: references(own),
    };
  }
  for (const [status, codes] of byStatus(codesOf(route))) {
    const [only, ...more] = codes;
    responses[status] = only !== undefined && more.length === 0
      ? { $ref: `#/components/responses/${only}` }
      : problemResponse(codes);
  }
  for (const [status, description] of Object.entries(route.otherResponses ?? {})) {
    const error = problemResponse(codesOf(route).filter((code) => String(ERRORS[code].status) === status));
    // The example is omitted, because it shows a success.
    const { example: _, ...same } = body;
    responses[status] = { ...error, description, content: { [type]: same, ...error.content } };
  }
  return responses;
}

/**
 * Returns the responses for unknown paths and unsupported methods, which belong to no operation. Headers and examples
 * are included, because tools do not resolve references within extensions.
 */
export function otherResponses(): Record<"404" | "405", ResponseObject> {
  const examples = problemExamples();
  const whole = (code: ErrorCode): ResponseObject => {
    const names = problemHeaders([code]).map((name) => [name, HEADERS[name]] as const);
    return {
      ...problemResponse([code]),
      headers: Object.fromEntries(names),
      content: { [PROBLEM_TYPE]: { schema: PROBLEM_SCHEMA, examples: { [code]: examples[code] } } },
    };
  };
  return { "404": whole("not_found"), "405": whole("method_not_allowed") };
}

function headersOf(route: Route): HeaderName[] {
  return [
    "X-Request-Id",
    "Cache-Control",
    ...(route.access === "key" ? QUOTA_HEADERS : []),
    ...(route.method === "GET" ? ["ETag" as const] : []),
    ...(route.repeatable === true ? ["Idempotency-Replayed" as const] : []),
    ...(route.responseHeaders ?? []),
  ];
}

function byStatus(codes: readonly ErrorCode[]): Map<string, ErrorCode[]> {
  return Map.groupBy(codes, (code) => String(ERRORS[code].status));
}

function problemResponse(codes: readonly ErrorCode[]): ResponseObject {
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]);
  return {
    description: codes.map((code) => `${ERRORS[code].title}.`).join(" "),
    headers: references(problemHeaders(codes)),
    content: { [PROBLEM_TYPE]: { schema: PROBLEM_SCHEMA, examples: Object.fromEntries(examples) } },
  };
}

/** Errors whose responses always state when to retry. */
const RETRIABLE: ReadonlySet<ErrorCode> = new Set([
  "quota_exceeded",
  "backfill_limit_reached",
  "test_limit_reached",
  "replay_limit_reached",
  "too_many_requests",
]);

/** Errors that occur before the quota is counted. */
const NOT_ADMITTED: ReadonlySet<ErrorCode> = new Set(["unauthenticated", "access_ended"]);

function problemHeaders(codes: readonly ErrorCode[]): HeaderName[] {
  return [
    "X-Request-Id",
    "Cache-Control",
    ...(codes.includes("unauthenticated") ? ["WWW-Authenticate" as const] : []),
    ...(codes.every((code) => NOT_ADMITTED.has(code)) ? [] : QUOTA_HEADERS),
    ...(codes.some((code) => RETRIABLE.has(code)) ? ["Retry-After" as const] : []),
    ...(codes.includes("method_not_allowed") ? ["Allow" as const] : []),
  ];
}

function references(names: readonly HeaderName[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
