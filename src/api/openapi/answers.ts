// The answers of a route as the description tells them: successes, errors, and the headers of each.
import { type ErrorCode, ERRORS } from "../../domain/errors.ts";
import type { Header, MediaType, Reference, ResponseObject, Schema } from "../../wire/openapi.ts";
import type { AnswerHeader, Route } from "../route.ts";
import { CODES, codesOf } from "./problems.ts";

const JSON_TYPE = "application/json";
const PROBLEM_TYPE = "application/problem+json";

const text = (example: string): Schema => ({ type: "string", examples: [example] });
const count = (example: number): Schema => ({ type: "integer", minimum: 0, examples: [example] });

/** Every header of an answer that a client may rely on. */
export const HEADERS = {
  "X-Request-Id": {
    description: "The id of the request, for questions to the operator",
    schema: text("req_01KYWDAKRR5WRWT5EF8803K209"),
  },
  "Cache-Control": {
    description: "`no-cache`: keep it if you like, and ask with `If-None-Match` before you use it again",
    schema: text("private, no-cache"),
  },
  "ETag": { description: "Names these bytes; for `If-None-Match`", schema: text('W/"bS7nQ1Kc"') },
  "Link": {
    description: 'The address of the next page, with `rel="next"`; left out on the last one',
    schema: text('<https://feed.example.org/v1/events?before=evt_01KYPEWD40C1BAYPTZMVD7V4WY>; rel="next"'),
  },
  "X-RateLimit-Limit": { description: "Requests that the tier allows a UTC day", schema: count(10_000) },
  "X-RateLimit-Remaining": { description: "Requests that are left today", schema: count(9_958) },
  "X-RateLimit-Reset": { description: "When the day ends, Unix milliseconds", schema: count(1_785_542_400_000) },
  "RateLimit": {
    description: "The same as a structured field: what is left, and the seconds until the day ends",
    schema: text('"day";r=9958;t=29985'),
  },
  "RateLimit-Policy": {
    description: "The same as a structured field: the day's number and the length of a day in seconds",
    schema: text('"day";q=10000;w=86400'),
  },
  "Retry-After": { description: "Seconds until a request is allowed again", schema: count(29_985) },
  "WWW-Authenticate": { description: "How to send a key", schema: text('Bearer realm="regfeed"') },
  "Allow": { description: "The methods that the path takes", schema: text("GET, HEAD") },
  "Content-Security-Policy": {
    description: "What the page may load: nothing but itself",
    schema: text("default-src 'none'"),
  },
} as const satisfies Record<string, Header>;

/** The name of a header of {@link HEADERS}. */
export type HeaderName = keyof typeof HEADERS;

const QUOTA_HEADERS: readonly HeaderName[] = [
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "RateLimit",
  "RateLimit-Policy",
];

/** The shared answers, by error code: for statuses that have one code only. */
export function sharedResponses(): Record<string, ResponseObject> {
  return Object.fromEntries(CODES.map((code) => [code, problemResponse([code])]));
}

/** The answers of a route, by status. `answer` is its schema, `example` a body of it (undefined: none). */
export function responsesOf(
  route: Route,
  { schema, example }: { schema: Schema; example: unknown },
): Record<string, Reference | ResponseObject> {
  const body: MediaType = { schema, ...(example === undefined ? {} : { example }) };
  const content = { [(route.contentType ?? JSON_TYPE).split(";")[0] ?? ""]: body };
  const own: HeaderName[] = [...headersOf(route), ...(route.headers ?? [])];
  const responses: Record<string, Reference | ResponseObject> = {
    [route.status]: { description: route.answered, headers: references(own), content },
  };
  if (route.method === "GET") {
    responses["304"] = {
      description: "Nothing has changed since the answer whose `ETag` was sent in `If-None-Match`.",
      headers: references(own),
    };
  }
  for (const [status, codes] of byStatus(codesOf(route))) {
    const [only, ...more] = codes;
    responses[status] = only !== undefined && more.length === 0
      ? { $ref: `#/components/responses/${only}` }
      : problemResponse(codes);
  }
  for (const [status, description] of Object.entries(route.otherAnswers ?? {})) {
    const error = problemResponse(codesOf(route).filter((code) => String(ERRORS[code].status) === status));
    responses[status] = { ...error, description, content: { ...content, ...error.content } };
  }
  return responses;
}

function headersOf(route: Route): HeaderName[] {
  return [
    "X-Request-Id",
    "Cache-Control",
    ...(route.access === "key" ? QUOTA_HEADERS : []),
    ...(route.method === "GET" ? ["ETag" as const] : []),
  ];
}

function byStatus(codes: readonly ErrorCode[]): Map<string, ErrorCode[]> {
  return Map.groupBy(codes, (code) => String(ERRORS[code].status));
}

/** One answer for errors of one status. */
function problemResponse(codes: readonly ErrorCode[]): ResponseObject {
  return {
    description: codes.map((code) => `${ERRORS[code].title}.`).join(" "),
    headers: references([
      "X-Request-Id",
      "Cache-Control",
      ...(codes.includes("unauthenticated") ? ["WWW-Authenticate" as const] : QUOTA_HEADERS),
      ...(codes.includes("quota_exceeded") ? ["Retry-After" as const] : []),
      ...(codes.includes("method_not_allowed") ? ["Allow" as const] : []),
    ]),
    content: {
      [PROBLEM_TYPE]: {
        schema: { $ref: "#/components/schemas/Problem" },
        examples: Object.fromEntries(
          codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
        ),
      },
    },
  };
}

function references(names: readonly (HeaderName | AnswerHeader)[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
