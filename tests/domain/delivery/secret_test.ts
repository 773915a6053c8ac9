// A signing secret is 32 random bytes in hexadecimal.
import assert from "node:assert/strict";
import { makeSecret } from "../../../src/domain/delivery/secret.ts";

Deno.test("makeSecret() writes 32 random bytes as 64 lower-case hexadecimal characters", () => {
  const asked: number[] = [];
  const secret = makeSecret((count) => {
    asked.push(count);
    return Uint8Array.from({ length: count }, (_, at) => at * 8 + 7);
  });
  assert.deepEqual(asked, [32]);
  assert.equal(secret, "070f171f272f373f474f575f676f777f878f979fa7afb7bfc7cfd7dfe7eff7ff");
});
