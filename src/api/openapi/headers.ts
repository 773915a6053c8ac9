// The request and response headers in the API description.
import type { Header, Schema } from "../../wire/openapi.ts";

const text = (example: string): Schema => ({ type: "string", examples: [example] });
const count = (example: number): Schema => ({ type: "integer", minimum: 0, examples: [example] });

export const REQUEST_HEADERS = {
  "If-None-Match": {
    description:
      "The `ETag` of a previous response. While this ETag is current, the response is an empty 304, which does not count " +
      "against the quota. `*` returns a 304 that counts",
    schema: text('W/"bS7nQ1Kc"'),
  },
  "Idempotency-Key": {
    description:
      "A unique value for each operation, such as a UUID. For a day after a request has succeeded, the same request with " +
      "the same value has no further effect and gets the first response unchanged, including secrets",
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
  },
} as const satisfies Record<string, Header>;

export type RequestHeaderName = keyof typeof REQUEST_HEADERS;

/** The response headers that clients may rely on. */
export const HEADERS = {
  "X-Request-Id": {
    description: "The id of the request; include it if you contact the operator",
    schema: text("req_01KYWDAKRR5WRWT5EF8803K209"),
  },
  "Cache-Control": {
    description:
      "`no-cache`: the response may be stored, but must be revalidated with `If-None-Match`. `no-store` (errors " +
      "and methods other than `GET`): the response must not be stored",
    schema: text("private, no-cache"),
  },
  "ETag": { description: "The version of this response, for `If-None-Match`", schema: text('W/"bS7nQ1Kc"') },
  "Link": {
    description: 'The URL of the next page, with `rel="next"`; absent on the last page',
    schema: text('<https://feed.example.org/v1/events?before=evt_01KYPEWD40C1BAYPTZMVD7V4WY>; rel="next"'),
  },
  "X-RateLimit-Limit": { description: "Requests per UTC day", schema: count(10_000) },
  "X-RateLimit-Remaining": { description: "Requests left today", schema: count(9_958) },
  "X-RateLimit-Reset": {
    description: "When the quota is reset, in Unix milliseconds",
    schema: count(1_785_542_400_000),
  },
  "RateLimit": {
    description:
      "The requests left today and the seconds until the end of the UTC day, as a structured field",
    schema: text('"day";r=9958;t=29985'),
  },
  "RateLimit-Policy": {
    description: "The daily limit and the length of a day in seconds, as a structured field",
    schema: text('"day";q=10000;w=86400'),
  },
  "Idempotency-Replayed": {
    description: "`true` if this is the response to the first request with the same `Idempotency-Key`",
    schema: { type: "string", enum: ["true"] },
  },
  "Retry-After": { description: "Seconds until a request is allowed again", schema: count(29_985) },
  "WWW-Authenticate": { description: "How to send a key", schema: text('Bearer realm="regfeed"') },
  "Allow": { description: "The methods that the path supports", schema: text("GET, HEAD") },
} as const satisfies Record<string, Header>;

export type HeaderName = keyof typeof HEADERS;

export const QUOTA_HEADERS: readonly HeaderName[] = [
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "RateLimit",
  "RateLimit-Policy",
];
