// A customer's monthly quota: admission, held deliveries and notices.
import assert from "node:assert/strict";
import { CustomerMonth, type MonthFacts } from "../../../src/domain/plans/month_quota.ts";

const month = (facts: Partial<MonthFacts> = {}, hasOlder = false): CustomerMonth =>
  new CustomerMonth({ limit: 10, used: 0, heldLimit: 2, held: 0, ...facts }, () => hasOlder);

Deno.test("take() admits deliveries until the quota is used up, and counts them", () => {
  const one = month({ used: 8 });
  assert.deepEqual([one.take(), one.take(), one.take(), one.taken, one.left], [true, true, false, 2, 0]);
  assert.equal(month({ used: 12 }).take(), false);
});

Deno.test("admits() refuses while older deliveries are held, except for a released one", () => {
  const one = month({}, true);
  assert.deepEqual([one.hasCapacity, one.admits(), one.reserve(), one.taken], [false, false, true, 0]);
});

Deno.test("admits() refuses everything after the first refusal, to keep the order", () => {
  const one = month({ used: 10 });
  assert.equal(one.admits(), false);
  assert.equal(one.hasCapacity, false);
});

Deno.test("takeHeld() allows deliveries to be held up to the limit", () => {
  const one = month({ held: 1 });
  assert.deepEqual([one.takeHeld(), one.takeHeld()], [true, false]);
});

Deno.test("notice() is due once at 80 % and once at 100 %, only for a month with new deliveries", () => {
  const noticeOf = (used: number, { touch = true, sent = "" } = {}) => {
    const one = month({ used });
    if (touch) one.admits();
    return one.notice((kind) => sent.includes(kind) ? 1 : null);
  };
  assert.equal(noticeOf(6), null);
  assert.equal(noticeOf(7), "quota-80");
  assert.equal(noticeOf(7, { touch: false }), null);
  assert.equal(noticeOf(7, { sent: "quota-80" }), null);
  assert.equal(noticeOf(9, { sent: "quota-80" }), "quota-100");
  assert.equal(noticeOf(10, { sent: "quota-80 quota-100" }), null);
});

Deno.test("noticeMail() has a key for each month and limit", () => {
  const one = month({ used: 9 });
  one.take();
  const nowMs = Date.UTC(2026, 6, 20);
  assert.deepEqual(one.noticeMail("quota-100", { customerId: "cus_1", month: "2026-07", nowMs }), {
    kind: "quota-100",
    customerId: "cus_1",
    data: { what: "deliveries", used: 10, limit: 10, resetsAtMs: Date.UTC(2026, 7, 1) },
    onceKey: "quota-100:cus_1:2026-07:10",
    atMs: nowMs,
  });
});
