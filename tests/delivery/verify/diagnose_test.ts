// The diagnosis of a delivery's signature agrees with the official verifiers.
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
const header = (name: string, value: string): Change => ({ headers: { ...SIGNED, [name]: value } });
const withSignature = (signature: string): Change => header("webhook-signature", signature);
/** Returns headers with a signature over this content, with this key and encoding. */
const signed = (key: string | Uint8Array, content: string, encoding: "base64" | "hex" = "base64") =>
  withSignature(`v1,${hmac(key, content).toString(encoding)}`);
const CONTENT = `${ID}.${SECONDS}.${BODY}`;
/** Returns the signed headers under new names. A header whose new name is null is removed. */
const renamed = (rename: (name: string) => string | null): Headers =>
  Object.fromEntries(
    Object.entries(SIGNED).flatMap(([name, value]) => {
      const other = rename(name);
      return other === null ? [] : [[other, value]];
    }),
  );
const WITHOUT_ID = renamed((name) => name === "webhook-id" ? null : name);

/** Sorts the keys of every object, as `json.dumps(sort_keys=True)` does. */
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

Deno.test("diagnose() reports how a valid delivery was verified", () => {
  const both = diagnose(received({}));
  assert.deepEqual(both.ways, [
    "signature 1 of 2, with the secret read as its ASCII characters (raw mode)",
    "signature 2 of 2, with the secret read as base64 (the libraries' default)",
  ]);
  assert.deepEqual(both.findings, []);
  assert.ok(both.ok);
  assert.deepEqual(both.expected, { ascii: ASCII_SIGNATURE, base64: BASE64_SIGNATURE });
});

Deno.test("diagnose() accepts unusual deliveries whose signature is valid, with a note", () => {
  const other = signPayload({ secrets: ["f".repeat(64)], id: ID, timestampSeconds: SECONDS, body: BODY });
  const both = `${other} ${SIGNED["webhook-signature"]}`;
  const cgi = renamed((name) => `HTTP_${name.toUpperCase().replace("-", "_")}`);
  const capitals = renamed((name) => name.toUpperCase());
  const rows: [name: string, change: Change, note: RegExp | null, ways: number][] = [
    ["one ASCII signature", withSignature(ASCII_SIGNATURE), /only with .*ASCII.*one signature/, 1],
    ["one base64 signature", withSignature(BASE64_SIGNATURE), /only with .*base64.*one signature/, 1],
    ["the prefix of the libraries", { secret: `whsec_${SECRET}` }, /begins with whsec_/, 2],
    ["the new and the old secret", withSignature(both), null, 2],
    ["header names of CGI", { headers: cgi }, /arrived as HTTP_WEBHOOK_ID/, 2],
    ["header names in capitals", { headers: capitals }, null, 2],
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

const SORTED = sortKeys(PARSED);
const pretty = (value: unknown): string => JSON.stringify(value, null, 2);
const PYTHON = escaped(BODY.replaceAll('":', '": ').replaceAll(',"', ', "'));
const PHP = escaped(BODY).replaceAll("/", "\\/");
const POWERSHELL = Buffer.from(`\ufeff${BODY}\r\n`, "utf16le");
const SERIALISED = /parsed as JSON and serialised again with different whitespace/;
const ESCAPED = /serialised again with different whitespace or escapes/;

const FAULTS: [name: string, change: Change, ...problems: RegExp[]][] = [
  ["an hour late", { nowMs: NOW_MS + 3_725_000 }, /is 1 hour 2 minutes before the time of this check/],
  [
    "a slow clock",
    { nowMs: NOW_MS - 172_800_000 },
    /is (1 day 23 hours|2 days) .*after the time of this check/,
  ],
  ["milliseconds", header("webhook-timestamp", String(NOW_MS)), /milliseconds/, /No signature/],
  ["a date", header("webhook-timestamp", "today"), /must be a number of Unix seconds/, /No signature/],
  ["no id", { headers: WITHOUT_ID }, /header webhook-id is missing \(received: webhook-timestamp/],
  ["no webhook headers", { headers: { host: "x" } }, /webhook-id/, /webhook-timestamp/, /webhook-signature/],
  ["a renamed header", { headers: { ...WITHOUT_ID, "X-Webhook-Id": ID } }, /arrived as X-Webhook-Id/],
  ["no version", withSignature(ASCII_SIGNATURE.slice(3)), /no signature of version v1/, /does not begin/],
  ["an empty header", withSignature(""), /is empty/, /No signature/],
  ["another secret", { secret: "f".repeat(64) }, /No signature .*another subscription/],
  ["half the secret", { secret: SECRET.slice(0, 32) }, /No signature/],
  ["a line break after the secret", { secret: `${SECRET}\n` }, /leading or trailing whitespace/],
  ["a quoted secret", { secret: `"${SECRET}"\n` }, /is in quotes/, /leading or trailing whitespace/],
  ["a secret that is not base64", { secret: "wrong" }, /No signature/],
  ["an API key as the secret", { secret: `rgf_${SECRET}` }, /No signature/],
  ["a secret in upper case", { secret: SECRET.toUpperCase() }, /written in upper case/],
  ["a decoded key", signed(Buffer.from(SECRET, "hex"), CONTENT), /bytes that the hexadecimal digits/],
  [
    "a key with the prefix",
    { secret: `whsec_${SECRET}`, ...signed(`whsec_${SECRET}`, CONTENT) },
    /keyed with whsec_ as a part/,
  ],
  ["hexadecimal", signed(SECRET, CONTENT, "hex"), /encoded as hexadecimal/],
  ["another order", signed(SECRET, `${SECONDS}.${ID}.${BODY}`), /over timestamp\.id\.body; it must be/],
  ["as Stripe signs", signed(SECRET, `${SECONDS}.${BODY}`, "hex"), /over timestamp\.body/, /hexadecimal/],
  ["the body alone", signed(SECRET, BODY), /over the body alone/],
  ["a line break after the body", { body: `${BODY}\n` }, /ends with a line break/],
  ["a byte order mark", { body: `\ufeff${BODY}` }, /byte order mark/],
  ["both", { body: `\ufeff${BODY}\r\n` }, /line break.*byte order mark/],
  ["base64", { body: Buffer.from(BODY).toString("base64") }, /in base64/],
  ["as PowerShell saves it", { body: POWERSHELL }, /UTF-16/],
  ["a JSON text in a JSON text", { body: JSON.stringify(BODY) }, /encoded as JSON twice/],
  ["leading spaces", { body: `  ${BODY}` }, /Whitespace/],
  ["indented", { body: pretty(PARSED) }, SERIALISED],
  ["as Python writes", { body: PYTHON }, ESCAPED],
  ["as PHP writes", { body: PHP }, ESCAPED],
  ["as Go writes a map", { body: JSON.stringify(SORTED) }, /again with its fields in another order/],
  ["sorted and indented", { body: `${pretty(SORTED)}\n` }, /fields in another order/],
  ["read as ISO 8859-1", { body: Buffer.from(BODY).toString("latin1") }, /read as ISO 8859-1/],
  ["cut off", { body: BODY.slice(0, -10) }, /No signature/],
  ["empty", { body: "" }, /body is empty/, /No signature/],
  [
    "of another request",
    { body: BODY.replace(ID, "dlv_01JNQ2B3C4D5E6F7G8H9JKMNPR") },
    /belong to different requests/,
    /No signature/,
  ],
  [
    "late and indented",
    { body: JSON.stringify(PARSED, null, 1), nowMs: NOW_MS + 600_000 },
    /before the time of this check/,
    SERIALISED,
  ],
];

Deno.test("diagnose() reports each problem and no other", () => {
  for (const [name, change, ...problems] of FAULTS) {
    const found = diagnose(received(change));
    assert.ok(!found.ok, name);
    const texts = problemsOf(found);
    assert.equal(texts.length, problems.length, `${name}: ${texts.join("\n")}`);
    for (const [index, pattern] of problems.entries()) assert.match(texts[index] ?? "", pattern, name);
    assert.ok(!JSON.stringify(found).includes(change.secret?.trim() ?? SECRET), "without the secret");
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
    withSignature(ASCII_SIGNATURE),
    withSignature(BASE64_SIGNATURE),
    withSignature(`v1,AAAA v2,BBBB ${BASE64_SIGNATURE}`),
    { body: `${BODY}\n` },
    { body: `\ufeff${BODY}` },
    { body: JSON.stringify(PARSED, null, 1) },
    { headers: WITHOUT_ID },
    withSignature(ASCII_SIGNATURE.slice(3)),
    withSignature(`${ASCII_SIGNATURE},${BASE64_SIGNATURE}`),
    header("webhook-timestamp", String(SECONDS - 400)),
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
