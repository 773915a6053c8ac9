// Randomness from the runtime's cryptographic generator.
import { randomBytes } from "node:crypto";
import type { Random } from "../domain/ports/ports.ts";

export function createRandom(): Random {
  return {
    bytes: (count) => new Uint8Array(randomBytes(count)),
    fraction: () => randomBytes(4).readUInt32BE() / 2 ** 32,
  };
}
