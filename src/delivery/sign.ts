// The signature of a delivery, as Standard Webhooks defines it (webhook-signature, version v1).
import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import { BLOCK_BYTES, compressBlock, DIGEST_BYTES, FIRST_STATE } from "./sha256.ts";

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
  const length = BLOCK_BYTES + head.length + bytes.length;
  const message = length <= SCRATCH_BYTES ? scratch.subarray(0, length) : new Uint8Array(length);
  // Few letters, all of them ASCII: the runtime makes an array of them first.
  for (let at = 0; at < head.length; at++) message[BLOCK_BYTES + at] = head.charCodeAt(at);
  message.set(bytes, BLOCK_BYTES + head.length);
  let signatures = "";
  for (const secret of secrets) {
    for (const key of keysOf(secret)) signatures += ` v1,${hmacSha256(key, message)}`;
  }
  return signatures.slice(1);
}

/** Nearly every body fits: memory for each message would cost as much as hashing it. Nothing of one call outlives it. */
const SCRATCH_BYTES = 65_536;
const scratch = new Uint8Array(SCRATCH_BYTES);

const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;

/** A key, as both hashes of a HMAC begin with it. */
interface PaddedKey {
  /** XORed with the inner pad: the first block of the inner hash. */
  inner: Uint8Array;
  /** The state of the outer hash after its first block, which is the key XORed with the outer pad. */
  outer: Int32Array;
}

/** Secrets whose keys are kept; with more, all are forgotten. */
const MAX_KEPT = 1_000;
const kept = new Map<string, PaddedKey[]>();

function keysOf(secret: string): PaddedKey[] {
  const known = kept.get(secret);
  if (known !== undefined) return known;
  const keys = [padKey(Buffer.from(secret)), padKey(Buffer.from(secret, "base64"))];
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(secret, keys);
  return keys;
}

/** The key has 64 bytes at most, as both readings of a secret have: a longer one would have to be hashed first. */
function padKey(key: Uint8Array): PaddedKey {
  if (key.length > BLOCK_BYTES) throw new Error("a secret is longer than a block");
  const inner = new Uint8Array(BLOCK_BYTES).fill(INNER_PAD);
  const block = new Uint8Array(BLOCK_BYTES).fill(OUTER_PAD);
  for (const [at, byte] of key.entries()) {
    inner[at] = INNER_PAD ^ byte;
    block[at] = OUTER_PAD ^ byte;
  }
  const outer = new Int32Array(FIRST_STATE.length);
  compressBlock(FIRST_STATE, wordsOf(block), outer);
  return { inner, outer };
}

/** The words of bytes, each with its highest byte first. */
function wordsOf(bytes: Uint8Array): Int32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return Int32Array.from({ length: bytes.length / 4 }, (_, at) => view.getInt32(4 * at));
}

/** The outer hash's second and last block: the inner digest, a bit, and the length of both blocks in bits. */
const lastBlock = new Int32Array(BLOCK_BYTES / 4);
lastBlock[DIGEST_BYTES / 4] = 1 << 31;
lastBlock[lastBlock.length - 1] = 8 * (BLOCK_BYTES + DIGEST_BYTES);
const lastState = new Int32Array(DIGEST_BYTES / 4);
const digest = Buffer.alloc(DIGEST_BYTES);
const digestView = new DataView(digest.buffer, digest.byteOffset);

/**
 * HMAC-SHA-256 (RFC 2104) in base64 of what follows the first block of the message, which is overwritten. The runtime's
 * `createHmac` builds two streams for each signature, which cost several times what the hashing of a delivery does; of
 * its `hash` the call costs more than one block, which is all that the outer hash has left to do.
 */
function hmacSha256({ inner, outer }: PaddedKey, message: Uint8Array): string {
  message.set(inner);
  const hex = hash("sha256", message, "hex"); // bytes would come as an object of their own
  for (let at = 0; at < lastState.length; at++) lastBlock[at] = wordIn(hex, 8 * at);
  compressBlock(outer, lastBlock, lastState);
  for (let at = 0; at < lastState.length; at++) digestView.setInt32(4 * at, lastState[at] as number);
  return digest.toString("base64");
}

/** The word that eight hexadecimal digits in lower case give. */
function wordIn(hex: string, from: number): number {
  let word = 0;
  for (let at = from; at < from + 8; at++) {
    const code = hex.charCodeAt(at);
    word = word << 4 | (code > 0x39 ? code - 0x57 : code - 0x30);
  }
  return word;
}
