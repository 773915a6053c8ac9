// The headers that the description tells of: those of requests, and those of answers that a client may rely on.
import type { Header, Schema } from "../../wire/openapi.ts";

const text = (example: string): Schema => ({ type: "string", examples: [example] });
const count = (example: number): Schema => ({ type: "integer", minimum: 0, examples: [example] });

/** Headers that a client may send, beside the key. */
export const REQUEST_HEADERS = {
  "If-None-Match": {
    description:
      "The `ETag` of a response that you have: while it is up to date, the response is an empty 304, which does not count " +
      "against the quota; `*` gets a 304 that counts",
    schema: text('W/"bS7nQ1Kc"'),
  },
  "Idempotency-Key": {
    description:
      "A new text of your own for each thing to be done, such as a UUID: within a day the same request " +
      "with the same key does nothing again and gets the first answer, just as it was: the secret included, and " +
      "`enabled: true` although the subscription may have been deleted meanwhile",
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
  },
} as const satisfies Record<string, Header>;

/** The name of a header of {@link REQUEST_HEADERS}. */
export type RequestHeaderName = keyof typeof REQUEST_HEADERS;

/** Every header of an answer that a client may rely on. */
export const HEADERS = {
  "X-Request-Id": {
    description: "The id of the request, for questions to the operator",
    schema: text("req_01KYWDAKRR5WRWT5EF8803K209"),
  },
  "Cache-Control": {
    description:
      "`no-cache`: keep it if you like, and ask with `If-None-Match` before you use it again; `no-store`, " +
      "of errors and of what is no `GET`: keep it nowhere",
    schema: text("private, no-cache"),
  },
  "ETag": { description: "Names these bytes; for `If-None-Match`", schema: text('W/"bS7nQ1Kc"') },
  "Link": {
    description: 'The address of the next page, with `rel="next"`; left out on the last one',
    schema: text('<https://feed.example.org/v1/events?before=evt_01KYPEWD40C1BAYPTZMVD7V4WY>; rel="next"'),
  },
  "X-RateLimit-Limit": { description: "Requests that the tier allows a UTC day", schema: count(10_000) },
  "X-RateLimit-Remaining": { description: "Requests that are left today", schema: count(9_958) },
  "X-RateLimit-Reset": {
    description: "When the day ends, Unix milliseconds",
    schema: count(1_785_542_400_000),
  },
  "RateLimit": {
    description: "The same as a structured field: what is left, and the seconds until the day ends",
    schema: text('"day";r=9958;t=29985'),
  },
  "RateLimit-Policy": {
    description: "The same as a structured field: the day's number and the length of a day in seconds",
    schema: text('"day";q=10000;w=86400'),
  },
  "Idempotency-Replayed": {
    description: "`true` when this is the answer to the first request with the same `Idempotency-Key`",
    schema: { type: "string", enum: ["true"] },
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

/** Those of every answer to a key. */
export const QUOTA_HEADERS: readonly HeaderName[] = [
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "RateLimit",
  "RateLimit-Policy",
];
