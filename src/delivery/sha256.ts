// One step of SHA-256 (FIPS 180-4, section 6.2.2): for a hash whose beginning is known, so that it is hashed once.

/** What one step takes, bytes. */
export const BLOCK_BYTES = 64;
/** A digest, bytes: the words of the state after the last block, each with its highest byte first. */
export const DIGEST_BYTES = 32;

/** The fractional parts of the cube roots of the first 64 primes (section 4.2.2). */
// deno-fmt-ignore
const K = Int32Array.of(
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
);

// deno-fmt-ignore
const H = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

/** The state before the first block: the fractional parts of the square roots of the first 8 primes (section 5.3.3). */
export const FIRST_STATE: Readonly<Int32Array> = Int32Array.from(H);

/** The words of the block at hand (W): nothing of one call is read by the next. */
const schedule = new Int32Array(64);

/**
 * Puts the state that follows `state` after a block of 16 words into `next`, which may be `state`; each state is 8 words.
 */
export function compressBlock(
  state: Readonly<Int32Array>,
  block: Readonly<Int32Array>,
  next: Int32Array,
): void {
  expand(block);
  let a = state[0] as number, b = state[1] as number, c = state[2] as number, d = state[3] as number;
  let e = state[4] as number, f = state[5] as number, g = state[6] as number, h = state[7] as number;
  for (let t = 0; t < 64; t++) {
    const e1 = (e >>> 6 | e << 26) ^ (e >>> 11 | e << 21) ^ (e >>> 25 | e << 7);
    const choice = g ^ (e & (f ^ g));
    const one = h + e1 + choice + (K[t] as number) + (schedule[t] as number) | 0;
    const a0 = (a >>> 2 | a << 30) ^ (a >>> 13 | a << 19) ^ (a >>> 22 | a << 10);
    const majority = (a & b) ^ (c & (a ^ b));
    h = g;
    g = f;
    f = e;
    e = d + one | 0;
    d = c;
    c = b;
    b = a;
    a = one + a0 + majority | 0;
  }
  next[0] = (state[0] as number) + a;
  next[1] = (state[1] as number) + b;
  next[2] = (state[2] as number) + c;
  next[3] = (state[3] as number) + d;
  next[4] = (state[4] as number) + e;
  next[5] = (state[5] as number) + f;
  next[6] = (state[6] as number) + g;
  next[7] = (state[7] as number) + h;
}

/** Makes the words of a block: its own, and those that follow from them. */
function expand(block: Readonly<Int32Array>): void {
  for (let t = 0; t < 16; t++) schedule[t] = block[t] as number;
  for (let t = 16; t < 64; t++) {
    const x = schedule[t - 15] as number;
    const y = schedule[t - 2] as number;
    const x0 = (x >>> 7 | x << 25) ^ (x >>> 18 | x << 14) ^ x >>> 3;
    const y1 = (y >>> 17 | y << 15) ^ (y >>> 19 | y << 13) ^ y >>> 10;
    schedule[t] = x0 + (schedule[t - 7] as number) + y1 + (schedule[t - 16] as number);
  }
}
