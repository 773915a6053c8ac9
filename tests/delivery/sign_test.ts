// Signatures agree with openssl, recorded vectors, Web Crypto and the official verifiers.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import fc from "npm:fast-check@4.10.2";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "npm:svix@2.5.0";
import { signPayload } from "../../src/delivery/sign.ts";
import { needs, present } from "../support/needs.ts";

const SECRET = "0123456789abcdef".repeat(4);
const OTHER_SECRET = "fedcba9876543210".repeat(4);
const ID = "dlv_01JNQ2B3C4D5E6F7G8H9JKMNPQ";
const BODY = '{"type":"event.test","title":"Grüße – 規則"}';

Deno.test("signPayload() equals openssl, keyed with the ASCII bytes and with the base64-decoded bytes", () => {
  // printf '%s.%s.%s' $ID 1772366400 "$BODY" | openssl dgst -sha256 -hmac "$SECRET" -binary | base64 … | openssl dgst
  // -sha256 -mac HMAC -macopt hexkey:$(printf %s $SECRET | base64 -d | xxd -p -c 99) -binary | base64
  assert.equal(
    signPayload({ secrets: [SECRET], id: ID, timestampSeconds: 1_772_366_400, body: BODY }),
    "v1,w2He2VFiSnfZg2Ux3GfT3lw6+7ZxDJa+6QIYfiArDu4= v1,k2dmB5cr0BOqp4VMJsQBzBCJ1fK3MIPE23kT9V0gHiI=",
  );
});

const listed = new URL("../../../shared/facts/signature_vectors.json", import.meta.url);

Deno.test(needs("signPayload() equals the recorded vector of ../shared/facts", present(listed)), () => {
  const vector = JSON.parse(readFileSync(listed, "utf8"));
  const { secret_hex64: secret, id, ts: timestampSeconds, body } = vector;
  assert.equal(signPayload({ secrets: [secret], id, timestampSeconds, body }), vector.dual_header);
});

async function hmac(key: Uint8Array<ArrayBuffer>, content: Uint8Array<ArrayBuffer>): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  return Buffer.from(await crypto.subtle.sign("HMAC", imported, content)).toString("base64");
}

Deno.test("signPayload() equals Web Crypto for any secrets and bodies", async () => {
  const secret = fc.uint8Array({ minLength: 32, maxLength: 32 })
    .map((bytes) => Buffer.from(bytes).toString("hex"));
  await fc.assert(
    fc.asyncProperty(
      fc.array(secret, { minLength: 1, maxLength: 2 }),
      fc.uint8Array({ maxLength: 4_096, size: "max" }),
      fc.nat(),
      async (secrets, body, timestampSeconds) => {
        const content = new Uint8Array([...Buffer.from(`${ID}.${timestampSeconds}.`), ...body]);
        const keys = secrets.flatMap((text) => [Uint8Array.from(Buffer.from(text)), decodeBase64(text)]);
        const expected = await Promise.all(keys.map(async (key) => `v1,${await hmac(key, content)}`));
        assert.equal(signPayload({ secrets, id: ID, timestampSeconds, body }), expected.join(" "));
      },
    ),
    { numRuns: 500 },
  );
});

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/** Every way in which a receiver may decode its secret, with each official library. */
const VERIFIERS: [
  name: string,
  verifier: (secret: string) => { verify(body: string, headers: Record<string, string>): unknown },
][] = [
  ["standardwebhooks", (secret) => new StandardWebhook(secret)],
  ["standardwebhooks with the prefix", (secret) => new StandardWebhook(`whsec_${secret}`)],
  ["standardwebhooks in raw mode", (secret) => new StandardWebhook(secret, { format: "raw" })],
  ["svix", (secret) => new SvixWebhook(secret)],
  ["svix with the prefix", (secret) => new SvixWebhook(`whsec_${secret}`)],
  ["svix in raw mode", (secret) => new SvixWebhook(secret, { format: "raw" })],
];

/** Returns the headers of a delivery that is signed now, because the verifiers refuse old signatures. */
function headersNow(body: string): Record<string, string> {
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  return {
    "webhook-id": ID,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": signPayload({ secrets: [SECRET], id: ID, timestampSeconds, body }),
  };
}

for (const [name, verifier] of VERIFIERS) {
  Deno.test(`signPayload() satisfies ${name}, which rejects any change`, () => {
    const headers = headersNow(BODY);
    assert.doesNotThrow(() => verifier(SECRET).verify(BODY, headers));
    const later = String(Number(headers["webhook-timestamp"]) + 1);
    const rows: [what: string, secret: string, body: string, headers: Record<string, string>][] = [
      ["body", SECRET, BODY.replace("event.test", "event.other"), headers],
      ["whitespace", SECRET, `${BODY} `, headers],
      ["id", SECRET, BODY, { ...headers, "webhook-id": "dlv_2" }],
      ["timestamp", SECRET, BODY, { ...headers, "webhook-timestamp": later }],
      ["signature", SECRET, BODY, { ...headers, "webhook-signature": "v1,AAAA v1,AAAA" }],
      ["secret", OTHER_SECRET, BODY, headers],
    ];
    for (const [what, secret, body, sent] of rows) {
      assert.throws(() => verifier(secret).verify(body, sent), /signature/i, `${what} changed`);
    }
  });
}

Deno.test("signPayload() with two secrets satisfies every verifier with either secret, newest first", () => {
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  const message = { id: ID, timestampSeconds, body: BODY };
  const both = signPayload({ ...message, secrets: [OTHER_SECRET, SECRET] });
  const [other, own] = [OTHER_SECRET, SECRET].map((secret) => signPayload({ ...message, secrets: [secret] }));
  assert.equal(both, `${other} ${own}`);
  const headers = { ...headersNow(BODY), "webhook-timestamp": String(timestampSeconds) };
  for (const [name, verifier] of VERIFIERS) {
    const sent = { ...headers, "webhook-signature": both };
    for (const secret of [OTHER_SECRET, SECRET]) {
      assert.doesNotThrow(() => verifier(secret).verify(BODY, sent), name);
    }
    assert.throws(() => verifier("ab".repeat(32)).verify(BODY, sent), /signature/i, name);
    const alone = { ...headers, "webhook-signature": String(other) };
    assert.throws(() => verifier(SECRET).verify(BODY, alone), /signature/i, name);
  }
});
