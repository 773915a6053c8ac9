// Which headers an owner can add to deliveries.
import assert from "node:assert/strict";
import {
  headerProblem,
  toCustomHeaders,
  withoutValues,
} from "../../../src/domain/delivery/custom_headers.ts";

Deno.test("headerProblem() permits headers that neither HTTP nor Regfeed sets, with a visible ASCII value", () => {
  const rows: [name: string, value: string, problem: RegExp | null][] = [
    ["Authorization", "Bearer 5ec2e7", null],
    ["X-Api-Key", "a", null],
    ["cookie", "a=b; c=d", null],
    ["x_y.z", "é".normalize("NFD").slice(0, 1), null],
    ["x".repeat(100), "x".repeat(1_024), null],
    ["x".repeat(101), "v", /not a valid header name/],
    ["", "v", /not a valid header name/],
    ["two words", "v", /not a valid header name/],
    ["x:y", "v", /not a valid header name/],
    ["ü", "v", /not a valid header name/],
    ["X\r\nHost", "v", /not a valid header name/],
    ["x", "", /must have a value of 1 to 1024/],
    ["x", "x".repeat(1_025), /must have a value/],
    ["x", "x".repeat(8_192), /must have a value/],
    ["x", "a\nb", /must have a value/],
    ["x", "\u{1f511}", /must have a value/],
    ["x", "a\x7f", /must have a value/],
    ["x", " v", /must have a value/],
    ["x", "v\t", /must have a value/],
    ["x", "a\r\nHost: b", /must have a value/],
    ["x", "a\0", /must have a value/],
    ["x", "käse", /must have a value/],
    ...[
      "Host",
      "Content-Length",
      "content-type",
      "Transfer-Encoding",
      "Connection",
      "keep-alive",
      "TE",
      "Trailer",
      "Upgrade",
      "Expect",
      "Proxy-Authorization",
      "User-Agent",
      "Accept-Encoding",
      "webhook-id",
      "Webhook-Anything",
      "X-Regfeed-Subscription",
    ].map((name): [string, string, RegExp] => [name, "v", /is set by HTTP or by Regfeed/]),
  ];
  for (const [name, value, problem] of rows) {
    const found = headerProblem(name, value);
    if (problem === null) assert.equal(found, null, name);
    else assert.match(found ?? "", problem, `${name}: ${value}`);
  }
  assert.doesNotMatch(headerProblem("x", "s3cret\n") ?? "", /s3cret/);
});

Deno.test("toCustomHeaders() writes names in lower case, and leaves values unchanged", () => {
  assert.deepEqual(toCustomHeaders({ "X-Api-Key": "AbC" }), { "x-api-key": "AbC" });
});

Deno.test("withoutValues() redacts each part of a value that may be a credential", () => {
  const headers = {
    authorization: "Basic dXNlcjpwYXNzd29yZA==",
    cookie: "session=5ec2e7aa; id=7",
    "x-key": "5ec2e7aa5ec2e7aa",
    "x-jwt": "eyJhbGciOi.eyJzdWIiOi",
  };
  const rows: [text: string, redacted: string][] = [
    ['{"authorization":"Basic dXNlcjpwYXNzd29yZA=="}', '{"authorization":"Basic [redacted]=="}'],
    ["5ec2e7aa5ec2e7aa, 5ec2e7aa", "[redacted], [redacted]"],
    ["session 7 is unknown", "session 7 is unknown"],
    ["<td>eyJhbGciOi.eyJzdWIiOi</td>", "<td>[redacted].[redacted]</td>"],
    ["Basic", "Basic"],
  ];
  for (const [text, redacted] of rows) assert.equal(withoutValues(headers, text), redacted);
  assert.equal(withoutValues({}, "text"), "text");
});
