// Verifies Stripe's webhook signatures without the SDK, which would add 12 MB to the executable.
import { createHmac, timingSafeEqual } from "node:crypto";

/** Maximum difference in seconds between a signature's time and the current time (Stripe's default). */
const TOLERANCE_S = 300;
/** Maximum number of signatures checked. Two are usual while a secret is being rolled. */
const MAX_SIGNATURES = 20;
const MAX_HEADER = 4_096;

/** Whether the signature is valid. If not, states the likely cause for the operator, without secrets. */
type SignatureVerdict = { kind: "good" } | { kind: "bad"; cause: string };

/**
 * Verifies a `Stripe-Signature` header (`t=SECONDS,v1=HEX,…`). One of the `v1` values must be the HMAC-SHA256 of
 * `t.body` with the whole secret as the key, and `t` must be within five minutes of the current time. Other schemes are
 * ignored.
 */
export function checkStripeSignature(
  { header, body, secret, nowMs }: { header: string | null; body: Uint8Array; secret: string; nowMs: number },
): SignatureVerdict {
  if (header === null || header === "") {
    return bad(
      "the Stripe-Signature header is missing: the request is not from Stripe, or a proxy removes headers",
    );
  }
  if (header.length > MAX_HEADER) {
    return bad(`the Stripe-Signature header has ${header.length} characters: the request is not from Stripe`);
  }
  const parts = header.split(",").map((part) => part.trim().split("="));
  const valuesOf = (scheme: string) =>
    parts.filter(([name, value]) => name === scheme && value !== undefined).map(([, value = ""]) => value);
  const [time, secondTime] = valuesOf("t");
  if (time === undefined || secondTime !== undefined || !/^\d{1,12}$/.test(time)) {
    return bad("the Stripe-Signature header has no valid time (t=…)");
  }
  const signatures = valuesOf("v1").slice(0, MAX_SIGNATURES);
  if (signatures.length === 0) {
    return bad("the Stripe-Signature header has no v1 signature");
  }
  if (!includes(signatures, sign(time, body, secret))) {
    return bad(whyDifferent(signatures, { time, body, secret }));
  }
  const ageS = Math.round(nowMs / 1_000) - Number(time);
  if (Math.abs(ageS) > TOLERANCE_S) {
    return bad(
      ageS > 0
        ? `the request was signed ${ageS} s ago: this machine's clock is ahead, or the request was delayed or replayed`
        : `the request was signed ${-ageS} s in the future: this machine's clock is behind`,
    );
  }
  return { kind: "good" };
}

function whyDifferent(
  signatures: readonly string[],
  { time, body, secret }: { time: string; body: Uint8Array; secret: string },
): string {
  const trimmed = secret.trim();
  if (trimmed !== secret && includes(signatures, sign(time, body, trimmed))) {
    return "the configured secret has leading or trailing whitespace";
  }
  if (!secret.startsWith("whsec_")) {
    return "the configured secret does not start with whsec_: it is an API key, or only a part of the signing secret";
  }
  return "the signing secret belongs to another endpoint (each endpoint, test mode, live mode and `stripe listen` have " +
    "different ones), or a proxy has changed the body";
}

function sign(time: string, body: Uint8Array, secret: string): string {
  return createHmac("sha256", secret).update(`${time}.`).update(body).digest("hex");
}

/** Compares each signature with the expected one in constant time. */
function includes(signatures: readonly string[], expected: string): boolean {
  const wanted = new TextEncoder().encode(expected);
  return signatures.some((signature) => {
    const given = new TextEncoder().encode(signature);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}

function bad(cause: string): SignatureVerdict {
  return { kind: "bad", cause };
}
