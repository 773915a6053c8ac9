// One step of SHA-256: against the standard's examples and the runtime's hash.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import fc from "npm:fast-check@4.10.2";
import { BLOCK_BYTES, compressBlock, DIGEST_BYTES, FIRST_STATE } from "../../src/delivery/sha256.ts";

/** The words of a message with its padding: a bit, zeros, and its length in bits (FIPS 180-4, section 5.1.1). */
function padded(message: Uint8Array): Int32Array {
  const blocks = Math.ceil((message.length + 9) / BLOCK_BYTES);
  const bytes = Buffer.alloc(blocks * BLOCK_BYTES);
  bytes.set(message);
  bytes[message.length] = 0x80;
  bytes.writeUInt32BE(8 * message.length, bytes.length - 4);
  return Int32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readInt32BE(4 * at));
}

/** SHA-256 in hexadecimal, of nothing but steps. */
function sha256(message: Uint8Array): string {
  const words = padded(message);
  const state = Int32Array.from(FIRST_STATE);
  for (let at = 0; at < words.length; at += BLOCK_BYTES / 4) {
    compressBlock(state, words.subarray(at, at + BLOCK_BYTES / 4), state);
  }
  const digest = Buffer.alloc(DIGEST_BYTES);
  for (const [at, word] of state.entries()) digest.writeInt32BE(word, 4 * at);
  return digest.toString("hex");
}

/** Of the standard's examples: one block, two blocks, very many; and the empty message. */
const EXAMPLES: [what: string, message: string, digest: string][] = [
  ["nothing", "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  ["one block", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  [
    "two blocks",
    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
  ],
  ["a million", "a".repeat(1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"],
];

for (const [what, message, digest] of EXAMPLES) {
  Deno.test(`compressBlock() gives the standard's digest of ${what}`, () => {
    assert.equal(sha256(Buffer.from(message)), digest);
  });
}

Deno.test("compressBlock() gives what the runtime's hash gives, whatever the bytes are", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5 * BLOCK_BYTES, size: "max" }), (message) => {
      assert.equal(sha256(message), createHash("sha256").update(message).digest("hex"));
    }),
    { numRuns: 5_000 },
  );
});

Deno.test("compressBlock() changes neither the state nor the block that it is given", () => {
  const words = fc.int32Array({ minLength: 16, maxLength: 16 });
  fc.assert(fc.property(fc.int32Array({ minLength: 8, maxLength: 8 }), words, (state, block) => {
    const [sameState, sameBlock] = [state.slice(), block.slice()];
    const next = new Int32Array(8);
    compressBlock(state, block, next);
    assert.deepEqual([state, block], [sameState, sameBlock]);
    compressBlock(state, block, state);
    assert.deepEqual(state, next);
  }));
});
