// Explains to the author of a receiver why the signature of a delivery is not valid.
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { formatCount } from "../../domain/format_count.ts";
import { type BodyForm, bodyForms, readJson } from "./altered_bodies.ts";
import { type Finding, note, problem, readHeaders, type SignatureHeaders } from "./signature_headers.ts";

/** Maximum difference between `webhook-timestamp` and the receiver's clock, s, as in the libraries of the standard. */
const TOLERANCE_SECONDS = 300;

export interface ReceivedDelivery {
  /** The secret as configured in the receiver. */
  secret: string;
  headers: readonly (readonly [name: string, value: string])[];
  body: Uint8Array;
  /** The time of the receiver's clock, in Unix ms. */
  nowMs: number;
}

export interface Diagnosis {
  ok: boolean;
  /** The matching signatures, each with the interpretation of the secret; empty unless `ok` is true. */
  ways: string[];
  findings: Finding[];
  /** The signatures computed from the secret, headers and body; null if a header is missing. */
  expected: { ascii: string; base64: string } | null;
}

/** An interpretation of the secret as the key of the HMAC. */
interface Reading {
  name: string;
  key: Uint8Array;
  /** The mistake that leads to this interpretation; null if verifiers use this interpretation. */
  fault: string | null;
}

export function diagnose(delivery: ReceivedDelivery): Diagnosis {
  const { headers, findings } = readHeaders(delivery.headers);
  const secret = unquoted(delivery.secret.trim());
  findings.push(...secretFindings(delivery.secret));
  if (headers === null) return { ok: false, ways: [], findings, expected: null };
  findings.push(...timeFindings(headers.timestamp, delivery.nowMs));
  findings.push(...bodyFindings(delivery.body, headers.id));
  const search = { headers, forms: bodyForms(delivery.body), readings: readingsOf(secret) };
  const matched = findGood(search);
  const ways = matched.map(({ reading, place }) =>
    `signature ${place + 1} of ${headers.signatures.length}, with the secret read as ${reading.name}`
  );
  if (matched.length === 0) findings.push(...explain(search, secret));
  else findings.push(...oneReadingNote(matched.map(({ reading }) => reading), headers.signatures.length));
  const ok = matched.length > 0 && findings.every(({ kind }) => kind === "note");
  const expected = {
    ascii: `v1,${sign(Buffer.from(bareSecret(secret)), headers, delivery.body)}`,
    base64: `v1,${sign(readBase64(bareSecret(secret)), headers, delivery.body)}`,
  };
  return { ok, ways: ok ? ways : [], findings, expected };
}

const PREFIX = "whsec_";
const API_KEY_PREFIX = "rgf_";

/** Returns the secret without the prefix that libraries remove before they decode it as base64. */
function bareSecret(secret: string): string {
  return secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
}

function unquoted(text: string): string {
  return /^(["'])(.*)\1$/s.exec(text)?.[2] ?? text;
}

/** Decodes base64. Like libraries, ignores invalid characters and an incomplete byte at the end. */
function readBase64(text: string): Uint8Array {
  const written = text.replace(/[^A-Za-z0-9+/_-]/g, "");
  return Buffer.from(written.length % 4 === 1 ? written.slice(0, -1) : written, "base64");
}

function secretFindings(given: string): Finding[] {
  const trimmed = given.trim();
  const secret = unquoted(trimmed);
  const findings: Finding[] = [];
  if (secret !== trimmed) {
    findings.push(
      problem("The secret is in quotes, which are not part of it. Remove them; this check ignores them."),
    );
  }
  if (trimmed !== given) {
    findings.push(problem(
      "The secret has leading or trailing whitespace, perhaps a line break at the end of its file. Remove it; this " +
        "check ignores it.",
    ));
  }
  const bare = bareSecret(secret);
  if (secret !== bare) {
    findings.push(note(
      `The secret begins with ${PREFIX}. Libraries remove this prefix in their default mode. In raw mode or in ` +
        "your own code, you must remove it yourself.",
    ));
  }
  if (bare.startsWith(API_KEY_PREFIX)) {
    findings.push(note(
      "This is an API key. Deliveries are signed with the webhook_secret of their subscription (64 hexadecimal digits).",
    ));
  } else if (!/^[0-9a-f]{64}$/.test(bare)) {
    const many = formatCount(bare.length, "character");
    const odd = bare.length === 64 ? ", and not all of them are such digits" : "";
    findings.push(note(
      `Regfeed's secrets are 64 hexadecimal digits in lower case, but this one has ${many}${odd}. Is it the ` +
        "complete webhook_secret of the subscription?",
    ));
  }
  return findings;
}

function timeFindings(timestamp: string, nowMs: number): Finding[] {
  if (!/^\d{1,15}$/.test(timestamp)) {
    return [
      problem(`webhook-timestamp is ${JSON.stringify(timestamp)}, but it must be a number of Unix seconds.`),
    ];
  }
  const seconds = Number(timestamp);
  if (timestamp.length >= 13) {
    return [
      problem("webhook-timestamp looks like milliseconds. Pass it on as it was sent: in seconds."),
    ];
  }
  const late = Math.floor(nowMs / 1_000) - seconds;
  if (Math.abs(late) <= TOLERANCE_SECONDS) return [];
  const when = new Date(seconds * 1_000).toISOString().replace(".000Z", "Z");
  const difference = `${describeSeconds(Math.abs(late))} ${late > 0 ? "before" : "after"}`;
  return [problem(
    `The signing time (${when}) is ${difference} the time of this check. Verifiers reject a difference of more than 5 minutes, to prevent replay attacks. Check the receiver's clock, and make sure that deliveries do not wait in a queue before they are verified. For a saved delivery, set its time of arrival (--at).`,
  )];
}

function describeSeconds(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const counts = {
    day: Math.floor(hours / 24),
    hour: hours % 24,
    minute: minutes % 60,
    second: seconds % 60,
  };
  return Object.entries(counts).filter(([, count]) => count > 0).slice(0, 2)
    .map(([unit, count]) => formatCount(count, unit)).join(" ");
}

function bodyFindings(body: Uint8Array, id: string): Finding[] {
  if (body.length === 0) {
    return [problem("The body is empty. Something read it before it was saved or verified.")];
  }
  const value = readJson(new TextDecoder().decode(body));
  if (value === undefined) {
    return [note("The body is not complete JSON. It may be truncated, or may not be the one that was sent.")];
  }
  const named = (value as { delivery_id?: unknown } | null)?.delivery_id;
  if (typeof named !== "string" || named === id) return [];
  const [inBody, inHeaders] = [named, id].map((text) => JSON.stringify(text.slice(0, 40)));
  return [problem(
    `The body is that of delivery ${inBody}, but the headers are those of ${inHeaders}. They belong to different requests.`,
  )];
}

function readingsOf(secret: string): Reading[] {
  const bare = bareSecret(secret);
  const readings: Reading[] = [
    { name: "its ASCII characters (raw mode)", key: Buffer.from(bare), fault: null },
    { name: "base64 (the libraries' default)", key: readBase64(bare), fault: null },
  ];
  const add = (name: string, key: Uint8Array, fault: string): void => {
    if (!readings.some((reading) => Buffer.compare(reading.key, key) === 0)) {
      readings.push({ name, key, fault });
    }
  };
  if (secret !== bare) {
    add(
      "its characters with the prefix",
      Buffer.from(secret),
      `The signature is keyed with ${PREFIX} as a part of the secret; remove the prefix first`,
    );
  }
  if (/^([0-9a-f]{2})+$/i.test(bare)) {
    add(
      "hexadecimal",
      Buffer.from(bare, "hex"),
      "The signature is keyed with the bytes that the hexadecimal digits represent; the key must be " +
        "the characters themselves",
    );
  }
  add(
    "its characters in lower case",
    Buffer.from(bare.toLowerCase()),
    "The secret was written in upper case",
  );
  add(
    "its characters and a line break",
    Buffer.from(`${bare}\n`),
    "The signature is keyed with the secret and a trailing line break; trim the secret",
  );
  return readings;
}

interface Search {
  headers: SignatureHeaders;
  forms: readonly BodyForm[];
  readings: readonly Reading[];
}

/** Returns the positions of the signatures that verifiers accept, each with the interpretation of the secret. */
function findGood({ headers, forms, readings }: Search): { reading: Reading; place: number }[] {
  const body = forms[0]?.bytes ?? new Uint8Array();
  return readings.filter(({ fault }) => fault === null).flatMap((reading) => {
    const place = headers.signatures.indexOf(`v1,${sign(reading.key, headers, body)}`);
    return place === -1 ? [] : [{ reading, place }];
  });
}

function oneReadingNote(readings: readonly Reading[], signatures: number): Finding[] {
  const [only] = readings;
  if (readings.length > 1 || only === undefined) return [];
  return [note(
    `The signature is valid only with the secret read as ${only.name}. Regfeed signs for both readings` +
      (signatures === 1
        ? ", but this header has only one signature. Was the header split at the space, or created elsewhere?"
        : ".") +
      " A verifier that reads the secret the other way rejects this header.",
  )];
}

/** The signed content, and common mistakes in building it. */
const CONTENTS: readonly [name: string, of: (headers: SignatureHeaders, body: string) => string][] = [
  ["id.timestamp.body", ({ id, timestamp }, body) => `${id}.${timestamp}.${body}`],
  ["timestamp.id.body", ({ id, timestamp }, body) => `${timestamp}.${id}.${body}`],
  ["body.id.timestamp", ({ id, timestamp }, body) => `${body}.${id}.${timestamp}`],
  ["timestamp.body", ({ timestamp }, body) => `${timestamp}.${body}`],
  ["id.body", ({ id }, body) => `${id}.${body}`],
  ["the body alone", (_, body) => body],
  ["id, timestamp and body without dots", ({ id, timestamp }, body) => `${id}${timestamp}${body}`],
  ["id.timestamp.body with milliseconds", ({ id, timestamp }, body) => `${id}.${timestamp}000.${body}`],
];

const DIGESTS: readonly [name: string, of: (digest: Uint8Array) => string][] = [
  ["base64", (digest) => Buffer.from(digest).toString("base64")],
  ["hexadecimal", (digest) => Buffer.from(digest).toString("hex")],
  ["base64url", (digest) => Buffer.from(digest).toString("base64url")],
];

/** Searches for a combination of body, key, signed content and encoding that gives one of the signatures. */
function explain(search: Search, secret: string): Finding[] {
  const { headers, forms, readings } = search;
  const given = new Set(headers.signatures.map((signature) => signature.replace(/^v1[,=]/, "")));
  for (const form of forms) {
    const body = Buffer.from(form.bytes).toString("latin1"); // one character per byte; encoded again below
    for (const reading of readings) {
      for (const [content, contentOf] of CONTENTS) {
        const bytes = Buffer.from(contentOf(headers, body), "latin1");
        const digest = createHmac("sha256", reading.key).update(bytes).digest();
        for (const [written, write] of DIGESTS) {
          if (given.has(write(digest))) return faultsOf({ form, reading, content, written });
        }
      }
    }
  }
  const isWhole = /^[0-9a-f]{64}$/.test(bareSecret(secret));
  const other = isWhole ? " (that of another subscription, or from before a rotation)" : "";
  return [problem(
    "No signature in the header matches this secret and this body, or a known variant of the body. Either the secret " +
      `is a different one${other}, or the body is not the one that was sent with these headers.`,
  )];
}

function faultsOf(
  { form, reading, content, written }: { form: BodyForm; reading: Reading; content: string; written: string },
): Finding[] {
  const faults: string[] = [];
  if (form.damage !== null) faults.push(form.damage);
  if (reading.fault !== null) faults.push(reading.fault);
  if (content !== "id.timestamp.body") {
    faults.push(
      `The signature is over ${content}; it must be over id.timestamp.body, separated by dots`,
    );
  }
  if (written !== "base64") faults.push(`The signature is encoded as ${written}; it must be base64`);
  if (faults.length === 0) faults.push("The signature matches, but does not begin with `v1,`");
  return [
    ...faults.map((fault) => problem(`${fault}.`)),
    note(`With this corrected, the signature is valid with the secret read as ${reading.name}.`),
  ];
}

function sign(key: Uint8Array, { id, timestamp }: SignatureHeaders, body: Uint8Array): string {
  return createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
}
