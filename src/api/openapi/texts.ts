// The words of the description that belong to no single route, in CommonMark.

/** The groups of routes, in the order in which they are shown. */
export const TAGS = {
  Events: "What official bodies have published, newest first or in the order of storing.",
  Subscriptions: "Webhooks: what is delivered where.",
  Deliveries: "What was sent or waits, every attempt, and sending it again.",
  Webhooks: "What your endpoint is sent, and how to know that it is from here.",
  Account: "What you may use, and what you have used.",
  Service: "What is collected, from whom, and how well that goes. No key is needed.",
  Description: "This description itself, for programs and for people. No key is needed.",
} as const;

/** The name of a group. */
export type Tag = keyof typeof TAGS;

/** One line on what the service is. */
export const SUMMARY =
  "What official bodies publish about AI regulation, as a typed, versioned, signed event feed";

/** What holds for the whole API. */
export const OVERVIEW = `
Regfeed collects what official bodies publish about AI regulation, decides what each publication is about (kind, topics,
severity, articles of the AI Act), keeps every revision, and gives it out in two ways: you read it here, or it is posted
to you as signed webhooks.

Every answer with data carries a \`disclaimer\`: the content is information only and not legal advice.

## Keys

Paths that need a key take it as \`Authorization: Bearer rgf_…\`. The key was shown once, when your account was made;
a lost one cannot be recovered, only replaced by the operator. Sources, topics and health need none, and pages of any
origin may read them.

## Bodies and times

Bodies are JSON in UTF-8. Every time is an integer of Unix milliseconds. Ids begin with what they name: \`evt_\`, \`sub_\`,
\`dlv_\`. Fields may be added to answers at any time: ignore those that you do not know. A parameter or field that this
description does not name is refused, so that a misspelt filter never passes for no filter.

\`HEAD\` answers wherever \`GET\` does. Every \`GET\` gives an \`ETag\`; send it back in \`If-None-Match\`, and the answer is
an empty \`304\` while nothing has changed, which does not count against your quota. \`If-None-Match: *\` gets a 304 too,
and counts. Ask for \`gzip\` with
\`Accept-Encoding\`. What can be changed has no tag of its own: a \`PATCH\` changes the fields that it names, of two
changes of one field the later counts, and \`If-Match\` with a tag is refused with 412.

## Daily quota

Your tier allows a number of requests a UTC day. Each answer to a key tells where you stand: \`X-RateLimit-Limit\`,
\`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` (Unix milliseconds), and the same as \`RateLimit\` and
\`RateLimit-Policy\`. Every request with a key counts, except those whose response is 304, 5xx, or 429
\`quota_exceeded\` or \`too_many_requests\`. When the day is used up, the response is 429, with \`Retry-After\` in seconds.

Test calls, replays and backfills have limits of their own per UTC day (\`GET /v1/usage\` shows them). Beyond them the
response is 429 \`test_limit_reached\`, \`replay_limit_reached\` or \`backfill_limit_reached\`, with \`Retry-After\`; such a
request counts.

## Limits of an address

Beside the quota, an address may ask only so often a minute without a key, and far less often with a wrong one. The answer
to more is 429 \`too_many_requests\`, with \`Retry-After\` in seconds. A good key
that was used since the service started is not held up by what others of its address do without one.

## Paging

There are three ways through \`GET /v1/events\`.

- **Older and older:** follow \`Link: <…>; rel="next"\` of each answer until there is none. It goes on exactly behind the
  last event of the page: events of the same moment are neither lost nor repeated, nor is anything when new ones arrive
  meanwhile. With \`latest=true\` the whole walk shows the list as it was at its first page (\`as_of\`), whatever is
  revised meanwhile.
- **Only what is new:** send \`after\` with the id of the last event that you have. The answer holds what was stored after
  it, oldest first. Nothing is skipped and nothing repeated, whatever \`published_at\` says; this is the way for pollers.
  Begin with \`evt_00000000000000000000000000\`.
- **By time:** take the smallest \`published_at\` of the page and send it minus 1 as \`since\`. As \`since\` sets the oldest
  event to be listed and the newest come first, this reads the newest page again whenever more than \`limit\` events
  match. It suits few events and a large \`limit\`; the two ways above suit all.

## Errors

An error is \`application/problem+json\` (RFC 9457): \`code\` for programs, \`detail\` for people, \`errors\` naming each wrong
parameter or field, and \`request_id\`, which every answer also has as \`X-Request-Id\`; name it when you ask the operator
for help. A path answers 405 with \`Allow\` to a method that it does not take, and an unknown path answers 404. Pages of
any origin may read the errors of public paths too.

What is no HTTP request (a control character in a header, headers without end, a \`Content-Length\` that is no number or
stands beside another, a broken request line) is refused before it is looked at: with an empty 400 that has no
\`X-Request-Id\`, and the connection ends. It ends without an answer where the chunks of a body are none.

| code | status | when |
|---|---|---|
`;

/** What a receiver of webhooks has to know. */
export const DELIVERIES = `
A \`POST\` to the subscription's \`webhook_url\` for every matching event, at least once. Answer any 2xx within 15 seconds.
Everything else (another status, a redirect, no answer) is tried again after 5 s, 1, 5 and 30 minutes, 2, 5, 10, 14, 20
and 24 hours; \`Retry-After\` is honoured up to a day. 410 switches the subscription off at once.

The same \`webhook-id\` may come twice: act once. \`sequence\` counts the deliveries made for a subscription, without gaps;
a delivery keeps its number while it is held, when it fails and when it is replayed. Several are on their way at once, so
order by \`sequence\`, not by arrival.

\`GET /v1/deliveries\` tells of each delivery and its attempts. After an outage, \`POST /v1/deliveries/{id}/replay\` and
\`POST /v1/subscriptions/{id}/replay\` send again what was finished: the same id, the same bytes.

**Verify before you trust.** Deliveries are signed as [Standard Webhooks](https://www.standardwebhooks.com): the signed
bytes are \`webhook-id\`, \`webhook-timestamp\` and the raw body, with dots between them. \`webhook-signature\` holds two
signatures, one for each way in which libraries read the secret, and those of the secret before it for a day after a
rotation; one match is enough, and every official library verifies it as it comes. Without a library:

\`\`\`sh
expected="v1,$(printf '%s.%s.%s' "$WEBHOOK_ID" "$WEBHOOK_TIMESTAMP" "$BODY" |
  openssl dgst -sha256 -hmac "$WEBHOOK_SECRET" -binary | base64)"
case " $WEBHOOK_SIGNATURE " in *" $expected "*) echo good ;; *) echo bad; exit 1 ;; esac
\`\`\`

Refuse a \`webhook-timestamp\` that is more than five minutes away from your clock.
`;
