// The diagnosis of signatures, compared with the official verifiers.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "npm:svix@2.5.0";
import { diagnose, type Diagnosis, type ReceivedDelivery } from "../../../src/delivery/verify/diagnose.ts";
import { preparePayload } from "../../../src/delivery/match/payload.ts";
import { signPayload } from "../../../src/delivery/sign.ts";
import { EXAMPLE_EVENT, EXAMPLE_REVISION } from "../../../src/wire/examples.ts";

const SECRET = "0123456789abcdef".repeat(4);
const ID = "dlv_01JNQ2B3C4D5E6F7G8H9JKMNPQ";
const PREPARED = preparePayload({ event: EXAMPLE_REVISION, previous: EXAMPLE_EVENT }, 1_785_513_605_000);
const BODY = PREPARED.openingFor({
  deliveryId: ID,
  subscriptionId: "sub_01KYWDAKRR5WRWT5EF8803K207",
  sequence: 42,
}) + PREPARED.endingIn("de");
const NOW_MS = Date.now();
const SECONDS = Math.floor(NOW_MS / 1_000);

type Headers = Record<string, string>;

const SIGNED: Headers = {
  "webhook-id": ID,
  "webhook-timestamp": String(SECONDS),
  "webhook-signature": signPayload({ secrets: [SECRET], id: ID, timestampSeconds: SECONDS, body: BODY }),
};
const [ASCII_SIGNATURE = "", BASE64_SIGNATURE = ""] = (SIGNED["webhook-signature"] ?? "").split(" ");

interface Change {
  secret?: string;
  headers?: Headers;
  body?: string | Uint8Array;
  nowMs?: number;
}

function received(
  { secret = SECRET, headers = SIGNED, body = BODY, nowMs = NOW_MS }: Change,
): ReceivedDelivery {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return { secret, headers: Object.entries(headers), body: bytes, nowMs };
}

function problemsOf({ findings }: Diagnosis): string[] {
  return findings.filter(({ kind }) => kind === "problem").map(({ text }) => text);
}

const hmac = (key: string | Uint8Array, content: string): Buffer =>
  createHmac("sha256", key).update(content).digest();
const withSignature = (signature: string): Headers => ({ ...SIGNED, "webhook-signature": signature });
/** Headers with a signature over other content, with another key or in another encoding. */
const signed = (key: string | Uint8Array, content: string, encoding: "base64" | "hex" = "base64") => ({
  headers: withSignature(`v1,${hmac(key, content).toString(encoding)}`),
});
const CONTENT = `${ID}.${SECONDS}.${BODY}`;
const without = (name: string): Headers =>
  Object.fromEntries(Object.entries(SIGNED).filter(([own]) => own !== name));

/** Every key of every object in alphabetical order, as `json.dumps(sort_keys=True)` has it. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1).map(([key, own]) => [key, sortKeys(own)]),
  );
}

const PARSED = JSON.parse(BODY);
const escaped = (text: string): string =>
  text.replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

Deno.test("diagnose() reports how a valid delivery verifies", () => {
  const both = diagnose(received({}));
  assert.deepEqual(both.ways, [
    "signature 1 of 2, the secret read as its ASCII characters (raw mode)",
    "signature 2 of 2, the secret read as base64 (the libraries' default)",
  ]);
  assert.deepEqual(both.findings, []);
  assert.ok(both.ok);
  assert.deepEqual(both.expected, { ascii: ASCII_SIGNATURE, base64: BASE64_SIGNATURE });
});

Deno.test("diagnose() accepts unusual deliveries that verify, with a note", () => {
  const other = signPayload({ secrets: ["f".repeat(64)], id: ID, timestampSeconds: SECONDS, body: BODY });
  const rows: [name: string, change: Change, note: RegExp | null, ways: number][] = [
    [
      "one signature, ASCII",
      { headers: withSignature(ASCII_SIGNATURE) },
      /only with .*ASCII.*one signature/,
      1,
    ],
    [
      "one signature, base64",
      { headers: withSignature(BASE64_SIGNATURE) },
      /only with .*base64.*one signature/,
      1,
    ],
    ["the prefix of the libraries", { secret: `whsec_${SECRET}` }, /begins with whsec_/, 2],
    [
      "the new and the old secret",
      { headers: withSignature(`${other} ${SIGNED["webhook-signature"]}`) },
      null,
      2,
    ],
    [
      "names of CGI",
      {
        headers: {
          HTTP_WEBHOOK_ID: ID,
          HTTP_WEBHOOK_TIMESTAMP: String(SECONDS),
          HTTP_WEBHOOK_SIGNATURE: ASCII_SIGNATURE,
        },
      },
      /came as HTTP_WEBHOOK_ID/,
      1,
    ],
    [
      "names in capitals",
      {
        headers: Object.fromEntries(
          Object.entries(SIGNED).map(([name, value]) => [name.toUpperCase(), value]),
        ),
      },
      null,
      2,
    ],
    ["five minutes ago to the second", { nowMs: (SECONDS + 300) * 1_000 }, null, 2],
  ];
  for (const [name, change, note, ways] of rows) {
    const found = diagnose(received(change));
    assert.ok(found.ok, `${name}: ${problemsOf(found)}`);
    assert.equal(found.ways.length, ways, name);
    const notes = found.findings.map(({ text }) => text).join("\n");
    if (note === null) assert.equal(notes, "", name);
    else assert.match(notes, note, name);
  }
});

const FAULTS: [name: string, change: Change, ...problems: RegExp[]][] = [
  ["an hour late", { nowMs: NOW_MS + 3_725_000 }, /is 1 hour 2 minutes before the time of this check/],
  [
    "a clock behind",
    { nowMs: NOW_MS - 86_400_000 * 2 },
    /is (1 day 23 hours|2 days) .*after the time of this check/,
  ],
  [
    "milliseconds",
    { headers: { ...SIGNED, "webhook-timestamp": String(NOW_MS) } },
    /milliseconds/,
    /No signature/,
  ],
  [
    "a date",
    { headers: { ...SIGNED, "webhook-timestamp": "today" } },
    /must be Unix seconds/,
    /No signature/,
  ],
  [
    "no id",
    { headers: without("webhook-id") },
    /header webhook-id is missing \(there are: webhook-timestamp/,
  ],
  [
    "no headers but one",
    { headers: { host: "x" } },
    /webhook-id/,
    /webhook-timestamp/,
    /webhook-signature/,
  ],
  ["renamed", {
    headers: { ...without("webhook-id"), "X-Webhook-Id": ID },
  }, /came as X-Webhook-Id/],
  [
    "no version",
    { headers: withSignature(ASCII_SIGNATURE.slice(3)) },
    /no signature of version v1/,
    /does not begin/,
  ],
  ["an empty header", { headers: withSignature("") }, /is empty/, /No signature/],
  ["another secret", { secret: "f".repeat(64) }, /No signature .*another subscription/],
  ["half the secret", { secret: SECRET.slice(0, 32) }, /No signature/],
  ["a break behind the secret", { secret: `${SECRET}\n` }, /leading or trailing white space/],
  [
    "quotes around the secret",
    { secret: `"${SECRET}"\n` },
    /is in quotes/,
    /leading or trailing white space/,
  ],
  ["a secret that no base64 can be", { secret: "wrong" }, /No signature/],
  ["an API key for a secret", { secret: `rgf_${SECRET}` }, /No signature/],
  ["a secret in capitals", { secret: SECRET.toUpperCase() }, /written in upper case/],
  [
    "keyed with decoded digits",
    signed(Buffer.from(SECRET, "hex"), CONTENT),
    /bytes that the hexadecimal digits/,
  ],
  [
    "keyed with the prefix",
    { secret: `whsec_${SECRET}`, ...signed(`whsec_${SECRET}`, CONTENT) },
    /keyed with whsec_ as a part/,
  ],
  ["in hexadecimal", signed(SECRET, CONTENT, "hex"), /written in hexadecimal/],
  ["in another order", signed(SECRET, `${SECONDS}.${ID}.${BODY}`), /over timestamp\.id\.body: it must be/],
  ["like Stripe", signed(SECRET, `${SECONDS}.${BODY}`, "hex"), /over timestamp\.body/, /hexadecimal/],
  ["the body alone", signed(SECRET, BODY), /over the body alone/],
  ["a line break behind the body", { body: `${BODY}\n` }, /ends with a line break/],
  ["a byte order mark", { body: `\ufeff${BODY}` }, /byte order mark/],
  ["both", { body: `\ufeff${BODY}\r\n` }, /line break.*byte order mark/],
  ["base64", { body: Buffer.from(BODY).toString("base64") }, /in base64/],
  ["as a shell of Windows saves it", { body: Buffer.from(`\ufeff${BODY}\r\n`, "utf16le") }, /UTF-16/],
  ["a JSON text in a JSON text", { body: JSON.stringify(BODY) }, /JSON text within a JSON text/],
  ["blanks before", { body: `  ${BODY}` }, /White space/],
  [
    "pretty",
    { body: JSON.stringify(PARSED, null, 2) },
    /parsed as JSON and serialised again with different whitespace/,
  ],
  ["as Python writes", {
    body: escaped(BODY.replaceAll('":', '": ').replaceAll(',"', ', "')),
  }, /serialised again with different whitespace or escapes/],
  [
    "as PHP writes",
    { body: escaped(BODY).replaceAll("/", "\\/") },
    /serialised again with different whitespace or escapes/,
  ],
  [
    "as Go writes a map",
    { body: JSON.stringify(sortKeys(PARSED)) },
    /serialised again, its fields in another order/,
  ],
  ["and pretty", { body: `${JSON.stringify(sortKeys(PARSED), null, 2)}\n` }, /fields in another order/],
  ["misread as ISO 8859-1", { body: Buffer.from(BODY).toString("latin1") }, /read as ISO 8859-1/],
  ["cut off", { body: BODY.slice(0, -10) }, /No signature/],
  ["empty", { body: "" }, /body is empty/, /No signature/],
  [
    "of another request",
    {
      body: BODY.replace(ID, "dlv_01JNQ2B3C4D5E6F7G8H9JKMNPR"),
    },
    /belong to different requests/,
    /No signature/,
  ],
  [
    "late and pretty",
    {
      body: JSON.stringify(PARSED, null, 1),
      nowMs: NOW_MS + 600_000,
    },
    /before the time of this check/,
    /parsed as JSON/,
  ],
];

Deno.test("diagnose() reports each problem and no other", () => {
  for (const [name, change, ...problems] of FAULTS) {
    const found = diagnose(received(change));
    assert.ok(!found.ok, name);
    const told = problemsOf(found);
    assert.equal(told.length, problems.length, `${name}: ${told.join("\n")}`);
    for (const [place, pattern] of problems.entries()) assert.match(told[place] ?? "", pattern, name);
    assert.ok(!JSON.stringify(found).includes(change.secret?.trim() ?? SECRET), "the secret is not told");
  }
});

Deno.test("diagnose() is as strict as the official verifiers", () => {
  const verifiers = [
    new StandardWebhook(SECRET),
    new StandardWebhook(SECRET, { format: "raw" }),
    new SvixWebhook(SECRET),
    new SvixWebhook(SECRET, { format: "raw" }),
  ];
  const rows: Change[] = [
    {},
    { headers: withSignature(ASCII_SIGNATURE) },
    { headers: withSignature(BASE64_SIGNATURE) },
    { headers: withSignature(`v1,AAAA v2,BBBB ${BASE64_SIGNATURE}`) },
    { body: `${BODY}\n` },
    { body: `\ufeff${BODY}` },
    { body: JSON.stringify(PARSED, null, 1) },
    { headers: without("webhook-id") },
    { headers: withSignature(ASCII_SIGNATURE.slice(3)) },
    { headers: withSignature(`${ASCII_SIGNATURE},${BASE64_SIGNATURE}`) },
    { headers: { ...SIGNED, "webhook-timestamp": String(SECONDS - 400) } },
  ];
  for (const change of rows) {
    const { headers = SIGNED, body = BODY } = change;
    const accepted = verifiers.some((verifier) => {
      try {
        verifier.verify(String(body), headers);
        return true;
      } catch {
        return false;
      }
    });
    assert.equal(diagnose(received(change)).ok, accepted, JSON.stringify(change).slice(0, 200));
  }
});
