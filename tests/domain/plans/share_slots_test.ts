// Delivery slots are shared fairly: each rule by itself, then all rules under generated loads.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import {
  type Lane,
  type RunningAttempt,
  shareSlots,
  Slots,
  SLOW_AFTER_MS,
  type WaitingCustomer,
  type WaitingSubscription,
} from "../../../src/domain/plans/share_slots.ts";

const NOW = 1_000_000;

/**
 * Builds customers with subscriptions. `{ ana: { "1": 5 } }` has five normal deliveries ready; `slow 1` and `replay 1`
 * are in other lanes.
 */
function waiting(customers: Record<string, Record<string, number>>): WaitingCustomer[] {
  return Object.entries(customers).map(([id, subscriptions]) => ({
    id,
    subscriptions: Object.entries(subscriptions).map(([name, ready]) => {
      const lane = /^(slow|replay) /.exec(name)?.[1] ?? "normal";
      return { id: `${id} ${name}`, lane: lane as Lane, ready };
    }),
  }));
}

/** Returns attempts of a customer. Each is of a different subscription unless `change` names one. */
function attempts(customerId: string, count: number, change: Partial<RunningAttempt> = {}): RunningAttempt[] {
  return Array.from({ length: count }, (_, at) => ({
    customerId,
    subscriptionId: `${customerId} running ${at}`,
    lane: "normal" as const,
    startedAtMs: NOW,
    ...change,
  }));
}

function slotsOf(slots: number, running: RunningAttempt[] = [], limit = Infinity): Slots {
  return new Slots({ slots, limit, running, nowMs: NOW });
}

function started(customers: Record<string, Record<string, number>>, slots: Slots): Record<string, number> {
  const { shares } = shareSlots(waiting(customers), slots);
  return Object.fromEntries(Array.from(shares, ([{ id }, share]) => [id, share]));
}

Deno.test("shareSlots() alternates between customers, and then between each customer's subscriptions", () => {
  const customers = { ana: { a: 9, b: 9, c: 9 }, bo: { a: 1 }, cy: { a: 9, b: 9 } };
  const rows: [limit: number, expected: Record<string, number>][] = [
    [0, {}],
    [2, { "ana a": 1, "bo a": 1 }],
    [4, { "ana a": 1, "bo a": 1, "cy a": 1, "ana b": 1 }],
    [9, { "ana a": 2, "bo a": 1, "cy a": 2, "ana b": 1, "cy b": 2, "ana c": 1 }],
  ];
  for (const [limit, expected] of rows) {
    assert.deepEqual(started(customers, slotsOf(100, [], limit)), expected, `${limit} slots`);
  }
  const { lastCustomerId } = shareSlots(waiting(customers), slotsOf(100, [], 4));
  assert.equal(lastCustomerId, "ana", "the next call continues after it");
});

Deno.test("shareSlots() gives a customer more than a quarter only while no other customer waits", () => {
  const alone = started({ ana: { a: 99 } }, slotsOf(100));
  assert.deepEqual(alone, { "ana a": 42 });
  const both = started({ ana: { a: 99 }, bo: { a: 99 } }, slotsOf(100));
  assert.deepEqual(both, { "ana a": 25, "bo a": 25 });
  const soonAlone = started({ ana: { a: 99 }, bo: { a: 3 } }, slotsOf(100));
  assert.deepEqual(soonAlone, { "ana a": 40, "bo a": 3 });
  const arrives = started({ ana: { a: 99 }, bo: { a: 3 } }, slotsOf(100, attempts("ana", 40)));
  assert.deepEqual(arrives, { "bo a": 3 });
});

Deno.test("shareSlots() gives a quarter of the slots to slow and probed endpoints, and an eighth to replays", () => {
  const many = (lane: string) =>
    Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`cus ${at}`, { [`${lane} 1`]: 5 }]));
  const total = (shares: Record<string, number>) => Object.values(shares).reduce((sum, one) => sum + one, 0);
  assert.equal(total(started(many("slow"), slotsOf(100))), 25);
  assert.equal(total(started(many("replay"), slotsOf(100))), 12);
  assert.equal(total(started(many("normal"), slotsOf(100))), 63);
  const slots = slotsOf(100, Object.keys(many("slow")).flatMap((id) => attempts(id, 1, { lane: "slow" })));
  assert.deepEqual(
    started({ ana: { "slow 1": 5, a: 1, "replay 1": 1 } }, slots),
    { "ana a": 1, "ana replay 1": 1 },
  );
});

Deno.test("a long attempt leaves the normal lane and counts as slow, without using the slow slots of others", () => {
  const long = attempts("ana", 50, { startedAtMs: NOW - SLOW_AFTER_MS });
  const slots = () => slotsOf(100, long);
  assert.ok(slots().isSlowNow("ana running 30"));
  assert.deepEqual(started({ ana: { "slow 1": 5 } }, slots()), {}, "it has twice the slow slots");
  assert.deepEqual(started({ ana: { a: 99 } }, slots()), { "ana a": 17 }, "it has two thirds of all slots");
  assert.deepEqual(started({ bo: { "slow 1": 5, a: 5 } }, slots()), { "bo slow 1": 5, "bo a": 5 });
  assert.ok(!slotsOf(100, attempts("ana", 1)).isSlowNow("ana running 0"));
});

Deno.test("shareSlots() starts at least one delivery of each lane with any number of slots, and never exceeds that number", () => {
  for (const slots of [1, 2, 3, 4, 5, 10]) {
    for (const lane of ["", "slow ", "replay "]) {
      const shares = started({ ana: { [`${lane}1`]: 99 } }, slotsOf(slots));
      assert.ok((shares[`ana ${lane}1`] ?? 0) >= 1, `${slots} ${lane}`);
    }
    const all = started({ ana: { a: 9, "slow 1": 9, "replay 1": 9 }, bo: { a: 9 } }, slotsOf(slots));
    assert.ok(Object.values(all).reduce((sum, one) => sum + one, 0) <= slots);
  }
});

const lane = fc.constantFrom<Lane>("normal", "slow", "replay");
const load = fc.array(
  fc.record({
    running: fc.array(fc.record({ lane, ageMs: fc.integer({ min: 0, max: 3_000 }) }), { maxLength: 40 }),
    subscriptions: fc.array(fc.record({ lane, ready: fc.integer({ min: 1, max: 8 }) }), { maxLength: 6 }),
  }),
  { maxLength: 12 },
);

Deno.test("shareSlots() keeps its limits under any load", () => {
  fc.assert(fc.property(load, fc.integer({ min: 1, max: 120 }), (customers, count) => {
    const running = customers.flatMap((customer, at) =>
      customer.running.flatMap(({ lane, ageMs }) =>
        attempts(`cus ${at}`, 1, { lane, startedAtMs: NOW - ageMs })
      )
    ).slice(0, count);
    const waits: WaitingCustomer[] = customers.map(({ subscriptions }, at) => ({
      id: `cus ${at}`,
      subscriptions: subscriptions.map((one, number) => ({ id: `sub ${at} ${number}`, ...one })),
    }));
    const slots = slotsOf(count, running);
    const { shares } = shareSlots(waits, slots);
    const held = (id: string) => running.filter(({ customerId }) => customerId === id).length;
    const granted = (customer: WaitingCustomer) =>
      [...customer.subscriptions].reduce((sum, one) => sum + (shares.get(one) ?? 0), 0);
    const total = waits.reduce((sum, customer) => sum + granted(customer), running.length);
    assert.ok(total <= Math.max(count, running.length), "never more than all slots");
    const wants = (customer: WaitingCustomer): WaitingSubscription[] =>
      [...customer.subscriptions].filter((one) => (shares.get(one) ?? 0) < one.ready);
    for (const customer of waits) {
      for (const one of customer.subscriptions) assert.ok((shares.get(one) ?? 0) <= one.ready);
      const all = held(customer.id) + granted(customer);
      const others = waits.filter((other) =>
        other !== customer && wants(other).some(({ lane }) => slots.admits(other.id, lane))
      );
      if (granted(customer) > 0 && others.length > 0) {
        assert.ok(all <= Math.max(1, Math.floor(count / 4)), `${customer.id} holds ${all} of ${count}`);
      }
      // No customer waits while it could get a slot, except customers that have their share while others wait too.
      const open = wants(customer).some(({ lane }) => slots.admits(customer.id, lane));
      if (open && !slots.areTaken) {
        assert.ok(slots.hasShare(customer.id) && others.length > 0, `${customer.id} waits`);
      }
    }
  }));
});

Deno.test("shareSlots() serves every subscription eventually, even if many always want more", () => {
  fc.assert(fc.property(
    fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 30 }),
    fc.integer({ min: 1, max: 40 }),
    (sizes, count) => {
      // Customers and subscriptions take turns, starting after the one served last, as in an engine.
      let order = sizes.map((size, at) => ({
        id: `cus ${at}`,
        subscriptions: Array.from({ length: size }, (_, number) => ({
          id: `sub ${at} ${number}`,
          lane: "normal" as const,
          ready: 3,
        })),
      }));
      const served = new Set<string>();
      for (let call = 0; call < 300; call++) {
        const { shares, lastCustomerId } = shareSlots(order, slotsOf(count));
        for (const { id } of shares.keys()) served.add(id);
        for (const customer of order) {
          const last = customer.subscriptions.findLastIndex((one) => shares.has(one)) + 1;
          customer.subscriptions.push(...customer.subscriptions.splice(0, last));
        }
        const at = order.findIndex(({ id }) => id === lastCustomerId) + 1;
        order = [...order.slice(at), ...order.slice(0, at)];
      }
      assert.equal(served.size, sizes.reduce((sum, size) => sum + size, 0));
    },
  ));
});
