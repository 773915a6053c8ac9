// The signature of a delivery, as Standard Webhooks defines it (webhook-signature, version v1).
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";

export interface SignedMessage {
  /** Each 64 hexadecimal characters. More than one while a secret is being rotated, the newest first. */
  secrets: readonly string[];
  id: string;
  timestampSeconds: number;
  /** The body as it is sent. A string is encoded as UTF-8. */
  body: string | Uint8Array;
}

/**
 * The value of `webhook-signature`: two signatures over `id.timestamp.body` for each secret, separated by spaces.
 * Libraries interpret a secret of 64 hexadecimal characters in two ways. So the first signature is keyed with the 64
 * ASCII bytes (raw mode, openssl), and the second with the 48 bytes that base64 decoding gives (the libraries'
 * default). A verifier needs one match.
 */
export function signPayload({ secrets, id, timestampSeconds, body }: SignedMessage): string {
  const prefix = `${id}.${timestampSeconds}.`;
  return secrets
    .flatMap((secret) => [secret, Buffer.from(secret, "base64")])
    .map((key) => `v1,${createHmac("sha256", key).update(prefix).update(body).digest("base64")}`)
    .join(" ");
}
