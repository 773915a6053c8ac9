// The parts of the API description that belong to no single route, in CommonMark.

/** The groups of routes, in the order in which they are shown. */
export const TAGS = {
  Events: "What official bodies have published, newest first or in storage order.",
  Subscriptions: "Webhook subscriptions.",
  Deliveries: "The delivery log with every attempt, sending now, and replays.",
  Webhooks: "The requests to your endpoint, and how to verify them.",
  Account: "Your limits and your usage.",
  Service: "Sources, topics, the health of the service, and the description of the API. No key required.",
} as const;

export type Tag = keyof typeof TAGS;

export const SUMMARY =
  "What official bodies publish about AI regulation, as a typed, versioned, signed event feed";

export const OVERVIEW = `
Regfeed collects what official bodies publish about AI regulation. It classifies each publication (type, topics, severity,
cited articles of the AI Act), keeps every revision, and provides the events in two ways: through this API and as signed
webhooks.

Every response with data has a \`disclaimer\`: the content is for information only and is not legal advice.

## Keys

Operations that require a key expect it as \`Authorization: Bearer rgf_…\`. You received your key once, when your account
was created. A lost key cannot be recovered; the operator can replace it. The operator can also issue several keys, which
share your subscriptions and limits, and keep an old key valid for a time after a rotation. Sources, topics, event
types, severities and health require no key, and pages of any origin may read them.

## Bodies and times

Bodies are JSON in UTF-8. Every time in a response is an integer in Unix milliseconds. A time in a request may also be in
ISO 8601 (\`2026-08-01\`, \`2026-08-01T10:00:00+02:00\`); without an offset it is in UTC. A list parameter takes commas,
repetition, or both: \`topics=gpai,transparency\` is the same as \`topics=gpai&topics=transparency\`. Ids start with a
prefix: \`evt_\`, \`sub_\`, \`dlv_\`. Fields may be added to responses at any time, so ignore unknown fields; the guide
"Using the API" contains the policy on changes and deprecation. Unknown parameters and request fields are rejected, so
that a misspelled filter is never ignored.

\`HEAD\` is supported wherever \`GET\` is. Every successful \`GET\` response has an \`ETag\`. Send it back in
\`If-None-Match\`: while nothing has changed, the response is an empty \`304\` that does not count against your quota.
\`If-None-Match: *\` also gets 304, but counts. Send \`Accept-Encoding: gzip\` for compressed responses. Mutable resources
have only weak ETags, so \`If-Match\` with an entity tag is rejected with 412. \`PATCH\` updates only the fields you send;
the last write wins.

## Daily quota

Your tier allows a number of requests per UTC day. Every authenticated response states your usage in \`X-RateLimit-Limit\`,
\`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` (Unix milliseconds), and also in \`RateLimit\` and
\`RateLimit-Policy\`. Every authenticated request counts, except those whose response is 304, 5xx, or 429
\`quota_exceeded\` or \`too_many_requests\`. When the quota is used up, the response is 429, with \`Retry-After\` in seconds.

Test calls, replays and backfills have separate limits per UTC day (see \`GET /v1/usage\`). Beyond these limits, the
response is 429 \`test_limit_reached\`, \`replay_limit_reached\` or \`backfill_limit_reached\`, with \`Retry-After\`. The
request still counts against the quota.

## Limits per IP address

In addition to the quota, requests per minute are limited for each IP address: requests without a key, and, more strictly,
requests with an invalid key or signature. Beyond the limit, the response is 429 \`too_many_requests\`, with
\`Retry-After\` in seconds. A valid key that has been used recently is not affected by other requests from the same IP
address.

## Paging

There are three ways to page through \`GET /v1/events\`.

- **Towards older events:** follow \`Link: <…>; rel="next"\` until a response has none. Each page continues exactly
  after the last event of the previous one: no event is lost or repeated, even if several have the same time or new ones
  arrive in the meantime. With \`latest=true\`, all pages show the list as it was when you requested the first one (\`as_of\`).
- **Only new events:** send \`after\` with the id of the last event you have. The response contains the events stored after
  it, oldest first. Nothing is skipped or repeated, regardless of \`published_at\`. Use this for polling. Start with
  \`evt_00000000000000000000000000\`.
- **By time:** send the smallest \`published_at\` of the page, minus 1, as \`since\`. This works only while at most
  \`limit\` events match: \`since\` is the oldest time to list, and the newest events come first, so otherwise you get the
  newest page again. Therefore, page by time only if there are few events, and with a large \`limit\`.

## Errors

An error is \`application/problem+json\` (RFC 9457) with a \`code\` for programs, a \`detail\` for people, and, if parameters
or fields are invalid, \`errors\`. If you contact the operator, include the \`request_id\`; every response also has it as
\`X-Request-Id\`. An unsupported method gets 405 with \`Allow\`, an unknown path 404. Pages of any origin may also read the
errors of public paths.

Requests that are not valid HTTP (a control character in a header, endless headers, an invalid or duplicate
\`Content-Length\`, a malformed request line) get an empty 400 without \`X-Request-Id\`, and the connection is closed. If
the chunks of a body are malformed, the connection is closed without a response.

| code | status | when |
|---|---|---|
`;

export const DELIVERIES = `
Every matching event is sent to the subscription's \`webhook_url\` as a \`POST\`, at least once. Respond with any 2xx status
within 15 seconds. After anything else (another status, a redirect, no response), the delivery is retried after 5 s, then
after 1, 5 and 30 minutes, then after 2, 5, 10, 14, 20 and 24 hours; \`Retry-After\` is honoured up to a day. 410 disables
the subscription at once.

The same \`webhook-id\` may arrive twice; process it only once. \`sequence\` numbers the deliveries of a subscription without gaps;
a delivery keeps its number while it is held, when it fails and when it is replayed. Deliveries are sent concurrently, so
order by \`sequence\`, not by arrival.

\`GET /v1/deliveries\` lists deliveries and their attempts. When your endpoint works again after an outage,
\`POST /v1/subscriptions/{id}/send\` immediately sends the deliveries that are waiting for a retry. \`POST /v1/deliveries/{id}/replay\` and
\`POST /v1/subscriptions/{id}/replay\` send delivered and failed deliveries again, with the same id and the same bytes.

**Verify every delivery.** Deliveries are signed according to [Standard Webhooks](https://www.standardwebhooks.com): the
signed bytes are \`webhook-id\`, \`webhook-timestamp\` and the raw body, joined by dots. \`webhook-signature\` contains two
signatures, one for each way in which libraries interpret the secret, and for a day after a rotation also those of the
previous secret. One matching signature is enough, and every official library finds it. If several subscriptions share a
URL, \`X-Regfeed-Subscription\` says whose secret to use. Without a library:

\`\`\`sh
expected="v1,$(printf '%s.%s.%s' "$WEBHOOK_ID" "$WEBHOOK_TIMESTAMP" "$BODY" |
  openssl dgst -sha256 -hmac "$WEBHOOK_SECRET" -binary | base64)"
case " $WEBHOOK_SIGNATURE " in *" $expected "*) echo good ;; *) echo bad; exit 1 ;; esac
\`\`\`

Reject a \`webhook-timestamp\` that differs from your clock by more than five minutes.
`;
