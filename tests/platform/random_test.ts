// The requested number of random bytes is returned.
import assert from "node:assert/strict";
import { createRandom } from "../../src/platform/random.ts";

const random = createRandom();

Deno.test("bytes() returns the requested number of bytes", () => {
  for (const count of [0, 1, 32, 65_536, 65_537, 200_000]) {
    const bytes = random.bytes(count);
    assert.equal(bytes.length, count);
    // 32 zeros at the end would mean that the end was not filled.
    if (count >= 32) assert.ok(bytes.subarray(-32).some((byte) => byte !== 0), `${count} bytes`);
  }
});
