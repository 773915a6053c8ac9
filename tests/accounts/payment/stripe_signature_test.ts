// Signatures are checked as Stripe's own library makes them.
import assert from "node:assert/strict";
import { checkStripeSignature } from "../../../src/accounts/payment/stripe_signature.ts";
import { STRIPE_SECRET } from "../../support/samples.ts";
import { stripeSignature } from "../../support/peers/stripe.ts";

const NOW = Date.parse("2026-08-01T10:00:00Z");
const TEXT = '{"id":"evt_1","note":"größe 1 € — 中"}';
const BODY = new TextEncoder().encode(TEXT);

const check = (
  header: string | null,
  { body = BODY, secret = STRIPE_SECRET }: { body?: Uint8Array; secret?: string } = {},
) => checkStripeSignature({ header, body, secret, nowMs: NOW });

const GOOD = await stripeSignature(TEXT, NOW);
const [time = "", signature = ""] = GOOD.split(",");

Deno.test("checkStripeSignature() accepts signatures of Stripe's library with a tolerance of five minutes", async () => {
  for (const offset of [0, 300_000, -300_000]) {
    assert.deepEqual(check(await stripeSignature(TEXT, NOW + offset)), { kind: "good" }, String(offset));
  }
});

Deno.test("checkStripeSignature() accepts one valid v1 of several, and ignores other schemes", () => {
  const bad = `v1=${"0".repeat(64)}`;
  const rows = [
    `${time},${bad},${signature}`,
    `${time},${signature},${bad}`,
    `${time},v0=${"1".repeat(64)},${signature}`,
    `${signature},${time}`,
    `${time}, ${signature}`,
    `${time},v2=x,${signature},unknown`,
  ];
  for (const header of rows) assert.deepEqual(check(header), { kind: "good" }, header);
});

Deno.test("checkStripeSignature() rejects everything else, and reports the likely cause without the secret", async () => {
  const other = await stripeSignature(TEXT, NOW, "whsec_other");
  const flipped = signature.replace(/.$/, (last) => last === "0" ? "1" : "0");
  const [old, early] = [
    await stripeSignature(TEXT, NOW - 301_000),
    await stripeSignature(TEXT, NOW + 301_000),
  ];
  const rows: [name: string, verdict: ReturnType<typeof check>, cause: RegExp][] = [
    ["no header", check(null), /Stripe-Signature header is missing/],
    ["empty", check(""), /Stripe-Signature header is missing/],
    ["nonsense", check("nonsense"), /no valid time/],
    ["no time", check(signature), /no valid time/],
    ["two times", check(`${time},${time},${signature}`), /no valid time/],
    ["no number", check(`t=1e9,${signature}`), /no valid time/],
    ["only v0", check(`${time},v0=${signature.slice(3)}`), /no v1 signature/],
    ["another secret", check(other), /belongs to another endpoint/],
    ["flipped", check(`${time},${flipped}`), /belongs to another endpoint/],
    ["short", check(`${time},${signature.slice(0, -1)}`), /belongs to another endpoint/],
    ["empty signature", check(`${time},v1=`), /belongs to another endpoint/],
    ["other body", check(GOOD, { body: BODY.slice(1) }), /changed the body/],
    ["other time", check(`t=${Number(time.slice(2)) + 1},${signature}`), /belongs to another endpoint/],
    ["too old", check(old), /signed 301 s ago: this machine's clock is ahead/],
    ["too new", check(early), /301 s in the future: .*clock is behind/],
    ["an API key", check(GOOD, { secret: "sk_live_1" }), /does not start with whsec_/],
    ["blanks", check(GOOD, { secret: `${STRIPE_SECRET} ` }), /whitespace/],
  ];
  for (const [name, verdict, cause] of rows) {
    assert.ok(verdict.kind === "bad", name);
    assert.match(verdict.cause, cause, name);
    assert.doesNotMatch(verdict.cause, /5f1c0a7d|sk_live/, name);
  }
});

Deno.test("checkStripeSignature() rejects headers longer than any of Stripe's", () => {
  const verdict = check(`${time},${"v1=aa,".repeat(1_000)}${signature}`);
  assert.match(verdict.kind === "bad" ? verdict.cause : "", /has \d{4} characters/);
});

Deno.test("checkStripeSignature() computes one HMAC for a header, regardless of its number of v1 signatures", () => {
  const body = new Uint8Array(4 * 1024 * 1024);
  const header = (count: number) => [time, ...Array(count).fill(`v1=${"0".repeat(64)}`)].join(",");
  // The shortest of several runs is the least affected by other load.
  const fastestMs = (count: number) =>
    Math.min(...Array.from({ length: 5 }, () => {
      const startedMs = performance.now();
      assert.equal(check(header(count), { body }).kind, "bad");
      return performance.now() - startedMs;
    }));
  const [one, twenty] = [fastestMs(1), fastestMs(20)];
  assert.ok(twenty < 5 * one, `20 signatures take ${twenty} ms, one takes ${one} ms`);
});
