// The signature of a delivery, as Standard Webhooks defines it (webhook-signature, version v1).
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";

interface SignedMessage {
  /** Secrets of 64 hexadecimal characters, newest first. There are two while a replaced secret still signs. */
  secrets: readonly string[];
  id: string;
  timestampSeconds: number;
  /** The body exactly as sent. A string is encoded as UTF-8. */
  body: string | Uint8Array;
}

/**
 * Returns the value of `webhook-signature`: two signatures over `id.timestamp.body` for each secret, separated by
 * spaces. Libraries interpret a secret of 64 hexadecimal characters in two ways, so the first signature is keyed with
 * the 64 ASCII bytes (raw mode, openssl), and the second with the 48 bytes that base64 decoding yields (the libraries'
 * default). A verifier needs only one match.
 */
export function signPayload({ secrets, id, timestampSeconds, body }: SignedMessage): string {
  const prefix = `${id}.${timestampSeconds}.`;
  return secrets
    .flatMap((secret) => [secret, Buffer.from(secret, "base64")])
    .map((key) => `v1,${createHmac("sha256", key).update(prefix).update(body).digest("base64")}`)
    .join(" ");
}
