// Randomness: the runtime's cryptographic generator.
import type { Random } from "../domain/ports/ports.ts";

/** The most bytes that the generator gives in one call (Web Cryptography, section 10.1.1). */
const MAX_CALL_BYTES = 65_536;
const TWO_TO_32 = 2 ** 32;

/** Randomness of cryptographic quality. */
export function createRandom(): Random {
  return {
    bytes(count) {
      const bytes = new Uint8Array(count);
      for (let start = 0; start < count; start += MAX_CALL_BYTES) {
        crypto.getRandomValues(bytes.subarray(start, start + MAX_CALL_BYTES));
      }
      return bytes;
    },
    fraction() {
      const [word = 0] = crypto.getRandomValues(new Uint32Array(1));
      return word / TWO_TO_32;
    },
  };
}
