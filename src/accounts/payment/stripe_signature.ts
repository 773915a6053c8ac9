// Stripe's signature over a webhook's bytes: checked here, so that the SDK need not be in the executable.
import { createHmac, timingSafeEqual } from "node:crypto";

/** How far a signature's time may be from ours, seconds (Stripe's own tolerance). */
const TOLERANCE_S = 300;
/** Signatures looked at in one header: two are usual while a secret is being rolled. */
const MAX_SIGNATURES = 20;
/** The longest header that is read, characters: room for so many signatures, and nothing to be kept busy with. */
const MAX_HEADER = 4_096;

/** Whether the bytes are Stripe's; if not, the likely cause, for the operator's eyes: it holds no secret. */
export type SignatureVerdict = { kind: "good" } | { kind: "bad"; cause: string };

/**
 * Checks a `Stripe-Signature` header (`t=SECONDS,v1=HEX,…`): one `v1` must be the HMAC-SHA256 of `t.body`, keyed with
 * the whole secret as text, and `t` at most five minutes away. Other schemes are passed over.
 */
export function checkPaymentSignature(
  { header, body, secret, nowMs }: { header: string | null; body: Uint8Array; secret: string; nowMs: number },
): SignatureVerdict {
  if (header === null || header === "") {
    return bad("there is no Stripe-Signature header: the request is not Stripe's, or a proxy drops headers");
  }
  if (header.length > MAX_HEADER) {
    return bad(`the Stripe-Signature header has ${header.length} characters: the request is not Stripe's`);
  }
  const parts = header.split(",").map((part) => part.trim().split("="));
  const valuesOf = (scheme: string) =>
    parts.filter(([name, value]) => name === scheme && value !== undefined).map(([, value = ""]) => value);
  const [time, secondTime] = valuesOf("t");
  if (time === undefined || secondTime !== undefined || !/^\d{1,12}$/.test(time)) {
    return bad("the Stripe-Signature header names no time (t=…)");
  }
  const signatures = valuesOf("v1").slice(0, MAX_SIGNATURES);
  if (signatures.length === 0) {
    return bad("the Stripe-Signature header holds no v1 signature");
  }
  if (!includes(signatures, sign(time, body, secret))) {
    return bad(whyDifferent(signatures, { time, body, secret }));
  }
  const ageS = Math.round(nowMs / 1_000) - Number(time);
  if (Math.abs(ageS) > TOLERANCE_S) {
    return bad(
      ageS > 0
        ? `it was signed ${ageS} s ago: this machine's clock is ahead, the request was held up, or it is a replay`
        : `it was signed ${-ageS} s in the future: this machine's clock is behind`,
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
    return "the configured secret has blanks around it that do not belong to it";
  }
  if (!secret.startsWith("whsec_")) {
    return "the configured secret does not begin with whsec_: it is an API key or a part, not the signing secret";
  }
  return "the signing secret is another endpoint's (each has its own, test and live mode too, and `stripe listen` " +
    "prints one more), or something on the way has changed the body";
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
