// When a subscription is enabled.
import assert from "node:assert/strict";
import { isEnabled } from "../../../src/domain/delivery/subscription.ts";

Deno.test("isEnabled() is true while a subscription is neither disabled nor deleted", () => {
  assert.equal(isEnabled({ disabledAtMs: null, deletedAtMs: null }), true);
  assert.equal(isEnabled({ disabledAtMs: 0, deletedAtMs: null }), false);
  assert.equal(isEnabled({ disabledAtMs: null, deletedAtMs: 0 }), false);
});
