// The signature of a delivery, as Standard Webhooks defines it (webhook-signature, version v1).
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";

/** What is signed. */
export interface SignedMessage {
  /** Each 64 hexadecimal characters; more than one while a secret is being rotated, the newest first. */
  secrets: readonly string[];
  /** The `webhook-id`: the delivery's id. */
  id: string;
  /** The `webhook-timestamp`: Unix seconds. */
  timestampSeconds: number;
  body: string;
}

/**
 * The value of `webhook-signature`: for each secret two signatures over `id.timestamp.body`, separated by spaces.
 * Libraries read a secret of 64 hexadecimal characters in two ways, so the first is keyed with its 64 ASCII bytes (raw
 * mode, openssl) and the second with the 48 bytes that it gives when it is read as base64 (the libraries' default). One
 * match is enough.
 */
export function signPayload({ secrets, id, timestampSeconds, body }: SignedMessage): string {
  const content = `${id}.${timestampSeconds}.${body}`;
  const keys = secrets.flatMap((secret) => [secret, Buffer.from(secret, "base64")]);
  return keys.map((key) => `v1,${createHmac("sha256", key).update(content).digest("base64")}`).join(" ");
}
