// Failure reasons contain no secrets and no control characters from a document or response.
import assert from "node:assert/strict";
import { failureReason, MAX_REASON_LENGTH } from "../../../src/ingest/fetch/failure_reason.ts";
import { FEED, fetchForeseen, withSources } from "../../support/collecting.ts";
import { boardConfig } from "../../support/samples.ts";

const HEX = "0123456789abcdef".repeat(4);
const SECRETS = { authorization: "Bearer hush-4711", headers: { "x-api-key": "hush-0815" } };

Deno.test("failureReason() returns a short line without control characters, secrets or URL queries", () => {
  const rows: [text: string, reason: string][] = [
    ["responded with 403", "responded with 403"],
    ["two\nlines\r\n\x1b[2J\x9b\u202e", "two lines  [2J"],
    ["it begins: hush-4711, hush-0815", "it begins: [redacted], [redacted]"],
    ['"Authorization": "Bearer hush-4711"', '"Authorization": "[redacted]"'],
    [`key ${HEX}`, "key [redacted]"],
    ["https://a.example/x?token=abc is gone", "https://a.example/x is gone"],
    ["https://user:pass@a.example/ is gone", "https://user:[redacted]@a.example/ is gone"],
  ];
  for (const [text, reason] of rows) assert.equal(failureReason(text, SECRETS), reason);
  const long = failureReason("é".repeat(1_000_000), SECRETS);
  assert.equal(long.length, MAX_REASON_LENGTH);
  assert.ok(long.endsWith("…"));
  assert.equal(failureReason("a b", { headers: { accept: "a" } }), "a b", "a short value is not a secret");
});

/** Control characters, a line break and secrets, as a server may write them into a response. */
const HOSTILE = "\x1b]0;owned\x07\x9b31m\u202e\nfake line  OK hush-4711 https://a.example/?token=hush-0815";

const STRATEGIES: [what: string, source: string, contentType: string, body: string][] = [
  [
    "broken JSON",
    'fetch_strategy = "json"\n[sources.json]\nitems = "found"\ntitle = "t"\nlink = "l"\n',
    "application/json",
    `{"found": [${HOSTILE}`,
  ],
  ["plain text in place of a feed", "", "text/plain", HOSTILE],
  ["a page in place of a feed", "", "text/html", `<html><title>${HOSTILE}</title>`],
  ["XML of another kind", "", "text/xml", `<r${HOSTILE.replaceAll(/[\s:/?=]/g, "")} />`],
];

for (const [what, source, contentType, body] of STRATEGIES) {
  Deno.test(`the reason that is stored, logged and reported for ${what} has no control character and no secret`, () => {
    const secrets = 'authorization = "Bearer hush-4711"\nheaders = { "x-api-key" = "hush-0815" }\n';
    return withSources(boardConfig({ source: secrets + source }), async (world) => {
      world.platform.http.serve(FEED, () => ({ headers: { "content-type": contentType }, body }));
      const { report, foreseen } = await fetchForeseen(world);
      const [state] = await world.store.listSources();
      assert.ok(!report.ok && (state?.lastError ?? "") !== "");
      const log = world.platform.lines.map(({ fields }) => Object.values(fields ?? {})).flat();
      for (const text of [state?.lastError, report.error, foreseen.error, ...log]) {
        // deno-lint-ignore no-control-regex -- the test searches for them
        assert.doesNotMatch(String(text), /[\u0000-\u001f\u007f-\u009f\u202e]|hush-/);
      }
    });
  });
}

Deno.test("a long secret that a text repeats is redacted wherever the text is cut", () => {
  const token = "k".repeat(700);
  const reason = failureReason(token.repeat(20), { headers: { "x-key": token } });
  assert.equal(reason, "[redacted]".repeat(20));
});
