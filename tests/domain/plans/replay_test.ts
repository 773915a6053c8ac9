// Which deliveries can be sent again.
import assert from "node:assert/strict";
import { type ReplayFacts, replayRefusal } from "../../../src/domain/plans/replay.ts";

Deno.test("replayRefusal() returns the first reason that applies", () => {
  const facts: ReplayFacts = {
    status: "delivered",
    isPruned: false,
    subscription: { isDeleted: false, isDisabled: false },
    customerEnabled: true,
  };
  const deleted = { isDeleted: true, isDisabled: true };
  const disabled = { isDeleted: false, isDisabled: true };
  const cases: [Partial<ReplayFacts>, ReturnType<typeof replayRefusal>][] = [
    [{}, null],
    [{ status: "failed" }, null],
    [{ status: "pending" }, "unfinished"],
    [{ status: "held", subscription: deleted }, "unfinished"],
    [{ status: "cancelled" }, "cancelled"],
    [{ subscription: deleted, isPruned: true }, "cancelled"],
    [{ isPruned: true, subscription: disabled }, "removed"],
    [{ subscription: disabled }, "disabled"],
    [{ customerEnabled: false }, "disabled"],
  ];
  for (const [change, refusal] of cases) {
    assert.equal(replayRefusal({ ...facts, ...change }), refusal, JSON.stringify(change));
  }
});
