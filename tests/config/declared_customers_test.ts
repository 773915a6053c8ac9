// Customers declared in the config: what they may have, and which problems are reported.
import assert from "node:assert/strict";
import { describeConfig, summariseConfig } from "../../src/config/describe/describe.ts";
import { configOf, linesOf } from "./given.ts";

const HASH = "0123456789abcdef".repeat(4);
const OTHER = "fedcba9876543210".repeat(4);

function customer(...lines: string[]): string {
  const own = new Set(lines.map((line) => line.split(" ")[0]));
  const least = ['id = "bank"', 'email = "ana@bank.example"', 'tier = "team"', `key_sha256 = "${HASH}"`];
  return ["[[customers]]", ...least.filter((line) => !own.has(line.split(" ")[0])), ...lines, ""].join("\n");
}

Deno.test("a declared customer has one or more keys, and limits in the embedded tier", async () => {
  const { customers } = await configOf(
    customer() +
      customer(
        'id = "paper"',
        'email = "b@paper.example"',
        `key_sha256 = ["${OTHER}", "${"9".repeat(64)}"]`,
        'tier = "embedded"',
        "active_subscriptions = 40",
      ),
  );
  assert.deepEqual(customers.map(({ id: _, ...rest }) => rest), [
    { name: "bank", email: "ana@bank.example", tier: "team", limits: {}, language: "en", keyHashes: [HASH] },
    {
      name: "paper",
      email: "b@paper.example",
      tier: "embedded",
      limits: { activeSubscriptions: 40 },
      language: "en",
      keyHashes: [OTHER, "9".repeat(64)],
    },
  ]);
  const [first] = (await configOf(customer("api_requests_per_day = 5", 'tier = "embedded"'))).customers;
  assert.equal(first?.id, customers[0]?.id, "the same name declares the same customer");
  assert.notEqual(first?.id, customers[1]?.id);
});

Deno.test("problems of a declared customer name the line and never repeat a key", async () => {
  const rows: [text: string, expected: RegExp][] = [
    ["[[customers]]", /^regfeed\.toml:1: customers\[0\]\.id: is missing/],
    ["[[customers]]", /customers\[0\]\.key_sha256: is missing: it needs a list of hashes/],
    [
      "[customers]\nid = 1",
      /:1: customers: needs double brackets above each customer, such as \[\[customers\]\]/,
    ],
    [customer('id = "cus_01J9"'), /:5: customers\[0\]\.id: cannot be "cus_01J9": use lower-case/],
    [customer('email = "nobody"'), /:5: \[\[customers\]\] "bank" email: is not a valid email address/],
    [customer('tier = "gold"'), /:5: \[\[customers\]\] "bank" tier: cannot be "gold"/],
    [customer('language = "es"'), /:6: \[\[customers\]\] "bank" language: cannot be "es"/],
    [
      customer('key_sha256 = "abc"'),
      /:5: \[\[customers\]\] "bank" key_sha256.*is not a valid SHA-256 hash.*hash-key/,
    ],
    [
      customer("key_sha256 = []"),
      /:5: \[\[customers\]\] "bank" key_sha256: is empty: a customer needs a key/,
    ],
    [customer(`key_sha256 = "rgf_${HASH}"`), /:5: .*contains an API key: set its hash/],
    [
      customer("key_sha256 = 5"),
      /:5: \[\[customers\]\] "bank" key_sha256.*needs the SHA-256 hash of an API key/,
    ],
    [customer("active_subscriptions = 5"), /:6: .*is allowed only for the embedded tier.*\[tiers\.team\]/],
    [customer("tiers = 5"), /:6: \[\[customers\]\] "bank" tiers: unknown key\. Did you mean "tier"\?/],
    [
      customer() + customer('email = "b@c.example"', `key_sha256 = "${OTHER}"`),
      /:7: \[\[customers\]\] "bank" id: is already used on line 2: choose another id/,
    ],
    [
      customer() + customer('id = "b"', 'email = "ANA@bank.example"', `key_sha256 = "${OTHER}"`),
      /:9: \[\[customers\]\] "b" email: is already used on line 3/,
    ],
    [
      customer() +
      customer('id = "b"', 'email = "b@c.example"', `key_sha256 = ["${OTHER}", "${HASH.toUpperCase()}"]`),
      /:10: \[\[customers\]\] "b" key_sha256\[1\]: is already used on line 5/,
    ],
    [
      customer(`key_sha256 = ["${HASH}", "${HASH}"]`),
      /key_sha256\[1\]: is already used on line 5/,
    ],
  ];
  for (const [text, expected] of rows) {
    const lines = (await linesOf(text)).join("\n");
    assert.match(lines, expected, text);
    assert.doesNotMatch(lines, new RegExp(`${HASH}|${OTHER}`, "i"));
  }
});

Deno.test("the summary contains only the ids of declared customers", async () => {
  const config = await configOf(customer());
  assert.match(describeConfig(config, 0), /^customers +1 declared in this file$/m);
  const summary = JSON.stringify(summariseConfig(config, 0));
  assert.match(summary, /"customers_declared":\["bank"\]/);
  assert.doesNotMatch(summary, new RegExp(`${HASH}|ana@`));
});
