// The next state of a delivery for every pair of state and trigger.
import assert from "node:assert/strict";
import {
  DELIVERY_STATUSES,
  type DeliveryStatus,
  type HoldReason,
} from "../../../src/domain/delivery/delivery.ts";
import {
  DELIVERY_TRIGGERS,
  type DeliveryFacts,
  type DeliveryTrigger,
  nextState,
} from "../../../src/domain/delivery/delivery_life.ts";

/** Columns follow DELIVERY_TRIGGERS. "." changes nothing, + uses quota, - returns it, and ! restarts the schedule. */
const FIRST_TIME: Record<string, string> = {
  //                arrived      missed     exhausted  quota-spent   switched-off     released     abandoned    replayed
  "pending counted":
    "delivered | pending | failed -  | held quota - | held disabled - | .          | cancelled - | pending !",
  "held quota":
    "delivered + | .       | .         | .            | held disabled   | pending +! | cancelled   | .",
  "held disabled":
    "delivered + | .       | .         | held quota   | .               | pending +! | cancelled   | .",
  "failed":
    "delivered + | .       | .         | .            | .               | .          | .           | pending +!",
  "cancelled":
    "delivered + | .       | .         | .            | .               | .          | .           | .",
};

/** The same table for a delivery that arrived before. It stays counted and delivered, and is never held. */
const ARRIVED: Record<string, string> = {
  "delivered counted": ". | . | . | . | . | . | . | pending !",
  "pending counted": "delivered | pending | delivered | delivered | delivered | . | delivered | pending !",
};

function factsOf(name: string, hasArrived: boolean): DeliveryFacts {
  const [status, ...rest] = name.split(" ");
  return {
    status: status as DeliveryStatus,
    holdReason: (rest.find((word) => word !== "counted") ?? null) as HoldReason | null,
    hasArrived,
    isCounted: rest.includes("counted"),
  };
}

function shown(facts: DeliveryFacts, trigger: DeliveryTrigger): string {
  const next = nextState(facts, trigger);
  if (next === null) return ".";
  const marks = { take: "+", "give-back": "-", keep: "" }[next.quota] + (next.restarts ? "!" : "");
  return [next.status, next.holdReason ?? "", marks].filter((part) => part !== "").join(" ");
}

Deno.test("nextState() covers every state and every trigger", () => {
  let pairs = 0;
  for (const [table, hasArrived] of [[FIRST_TIME, false], [ARRIVED, true]] as const) {
    for (const [name, row] of Object.entries(table)) {
      const expected = row.split("|").map((cell) => cell.trim());
      assert.equal(expected.length, DELIVERY_TRIGGERS.length, name);
      const facts = factsOf(name, hasArrived);
      assert.deepEqual(DELIVERY_TRIGGERS.map((trigger) => shown(facts, trigger)), expected, name);
      pairs += expected.length;
    }
  }
  assert.equal(pairs, 7 * DELIVERY_TRIGGERS.length);
  const covered = Object.keys({ ...FIRST_TIME, ...ARRIVED }).map((name) => name.split(" ")[0]);
  assert.deepEqual(new Set(covered), new Set(DELIVERY_STATUSES));
});

Deno.test("nextState() never loses an arrival, whatever happens after it", () => {
  const triples = DELIVERY_TRIGGERS.flatMap((one) =>
    DELIVERY_TRIGGERS.flatMap((two) => DELIVERY_TRIGGERS.map((three) => [one, two, three]))
  );
  for (const triggers of triples) {
    let facts = factsOf("delivered counted", true);
    for (const trigger of triggers) {
      const next = nextState(facts, trigger);
      assert.ok(next === null || next.quota === "keep", "it stays counted, without its replay");
      if (next !== null) facts = { ...facts, status: next.status, holdReason: next.holdReason };
    }
    assert.ok(!["failed", "cancelled"].includes(facts.status), triggers.join(", "));
  }
});
