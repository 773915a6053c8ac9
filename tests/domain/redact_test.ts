// Secrets are redacted, and nothing else is.
import assert from "node:assert/strict";
import { redact } from "../../src/domain/redact.ts";

const HEX = "0123456789abcdef".repeat(4);

Deno.test("redact() redacts secrets and nothing else", () => {
  const rows: [string, string][] = [
    [`key rgf_${HEX} used`, "key rgf_[redacted] used"],
    [`rgf_${HEX.slice(0, 9)}`, "rgf_[redacted]"],
    ["whsec_AbC+/=_-9 is wrong", "whsec_[redacted] is wrong"],
    ["authorization: Bearer abc.def-ghi", "authorization: Bearer [redacted]"],
    [`"Bearer ${HEX}"`, '"Bearer [redacted]"'],
    ["bearer  x", "Bearer [redacted]"],
    ["sk_live_abc123 and rk_test_9", "sk_live_[redacted] and rk_test_[redacted]"],
    [`secret ${HEX}.`, "secret [redacted]."],
    ["smtp://user:pa55:word@mail.example", "smtp://user:[redacted]@mail.example"],
    [`two: rgf_${HEX}, rgf_${HEX}`, "two: rgf_[redacted], rgf_[redacted]"],
    [
      "https://feed.example/sign-in/link/Ab-_9 works once",
      "https://feed.example/sign-in/link/[redacted] works once",
    ],
    ["http://127.0.0.1:8080/v1/events?q=a@b", "http://127.0.0.1:8080/v1/events?q=a@b"],
    ["evt_01M7Y5G7Z685RF4HSJQGBQCRA1", "evt_01M7Y5G7Z685RF4HSJQGBQCRA1"],
    [HEX.slice(1), HEX.slice(1)],
    ["the bearers of news", "the bearers of news"],
    ["", ""],
  ];
  for (const [text, redacted] of rows) assert.equal(redact(text), redacted, text);
});
