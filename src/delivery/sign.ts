// The signature of a delivery, as Standard Webhooks defines it (webhook-signature, version v1).
import { Buffer } from "node:buffer";
import { hash } from "node:crypto";

/** What is signed. */
export interface SignedMessage {
  /** Each 64 hexadecimal characters; more than one while a secret is being rotated, the newest first. */
  secrets: readonly string[];
  /** The `webhook-id`: the delivery's id. */
  id: string;
  /** The `webhook-timestamp`: Unix seconds. */
  timestampSeconds: number;
  /** What is sent: bytes as they are, a text in UTF-8. */
  body: string | Uint8Array;
}

/**
 * The value of `webhook-signature`: for each secret two signatures over `id.timestamp.body`, separated by spaces.
 * Libraries read a secret of 64 hexadecimal characters in two ways, so the first is keyed with its 64 ASCII bytes (raw
 * mode, openssl) and the second with the 48 bytes that it gives when it is read as base64 (the libraries' default). One
 * match is enough.
 */
export function signPayload({ secrets, id, timestampSeconds, body }: SignedMessage): string {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const head = `${id}.${timestampSeconds}.`;
  const message = Buffer.allocUnsafe(BLOCK_BYTES + head.length + bytes.length);
  message.write(head, BLOCK_BYTES, "latin1");
  message.set(bytes, BLOCK_BYTES + head.length);
  const keys = secrets.flatMap((secret) => [Buffer.from(secret), Buffer.from(secret, "base64")]);
  return keys.map((key) => `v1,${hmacSha256(key, message)}`).join(" ");
}

/** SHA-256 works on blocks of so many bytes. */
const BLOCK_BYTES = 64;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;

/**
 * HMAC-SHA-256 (RFC 2104) in base64 of what follows the first block of the message, which is overwritten. The runtime's
 * `createHmac` builds two streams for each signature, which cost several times what the hashing of a delivery does. The
 * key has 64 bytes at most, as both readings of a secret have: a longer one would have to be hashed first.
 */
function hmacSha256(key: Uint8Array, message: Uint8Array): string {
  if (key.length > BLOCK_BYTES) throw new Error("a secret is longer than a block");
  pad(message, key, INNER_PAD);
  const digest = hash("sha256", message, "buffer");
  const outer = Buffer.allocUnsafe(BLOCK_BYTES + digest.length);
  pad(outer, key, OUTER_PAD);
  outer.set(digest, BLOCK_BYTES);
  return hash("sha256", outer, "base64");
}

/** Fills the first block with the key, XORed with the pad. */
function pad(block: Uint8Array, key: Uint8Array, value: number): void {
  block.fill(value, 0, BLOCK_BYTES);
  for (let at = 0; at < key.length; at++) block[at] = (key[at] ?? 0) ^ value;
}
