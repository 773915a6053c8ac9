// What happens to the old keys when a new key replaces them.
import assert from "node:assert/strict";
import { planRotation } from "../../../src/domain/plans/key_rotation.ts";
import { aKey } from "../../store/contract/given.ts";

Deno.test("planRotation() ends the keys with the label at once, or at the end of the overlap at the latest", () => {
  const keys = [
    aKey("1"),
    aKey("2", { validUntilMs: 50 }),
    aKey("3", { validUntilMs: 500 }),
    aKey("4", { validUntilMs: 10 }),
    aKey("5", { disabledAtMs: 5 }),
    aKey("6", { label: "ci" }),
  ];
  const rows: [
    oldUntilMs: number | null,
    ended: [lastFour: string, validUntilMs: number | null, disabledAtMs: number | null][],
  ][] = [
    [null, [["1111", null, 10], ["2222", 50, 10], ["3333", 500, 10]]],
    [100, [["1111", 100, null], ["2222", 50, null], ["3333", 100, null]]],
  ];
  for (const [oldUntilMs, ended] of rows) {
    const replaced = planRotation(keys, { label: "default", oldUntilMs, nowMs: 10 });
    assert.deepEqual(
      replaced.map((key) => [key.lastFour, key.validUntilMs, key.disabledAtMs]),
      ended,
    );
  }
  assert.deepEqual(planRotation(keys, { label: "none", oldUntilMs: null, nowMs: 10 }), []);
});
