// The daily quota stays exact under load, after failures and at midnight.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { createQuota, type Quota } from "../../src/accounts/quota.ts";
import type { Store } from "../../src/domain/ports/store/store.ts";
import { type FakeClock, fakeClock } from "../support/clock.ts";

const DAY = 86_400_000;
const MIDNIGHT = Date.UTC(2026, 6, 21);
const T0 = MIDNIGHT - 12 * 3_600_000;

/** A store in memory whose calls can be delayed and can fail. */
class FakeCounts implements Pick<Store, "countedRequests" | "addRequests"> {
  readonly stored = new Map<string, number>();
  reads = 0;
  failures = 0;
  gate: Promise<void> = Promise.resolve();

  async countedRequests(customerId: string, day: string): Promise<number> {
    this.reads++;
    await this.gate;
    return this.stored.get(`${day} ${customerId}`) ?? 0;
  }

  async addRequests(counts: Parameters<Store["addRequests"]>[0]): Promise<void> {
    await this.gate;
    if (this.failures > 0) {
      this.failures--;
      throw new Error("the disk is full");
    }
    for (const { customerId, day, requests } of counts) {
      const key = `${day} ${customerId}`;
      this.stored.set(key, Math.max(0, (this.stored.get(key) ?? 0) + requests));
    }
  }

  /** Delays all calls until the returned function is called. */
  hold(): () => void {
    let open = (): void => {};
    this.gate = new Promise((resolve) => open = resolve);
    return () => {
      this.gate = Promise.resolve();
      open();
    };
  }
}

function given(): { quota: Quota; counts: FakeCounts; clock: FakeClock } {
  const [counts, clock] = [new FakeCounts(), fakeClock(T0)];
  return { quota: createQuota({ store: counts, clock }), counts, clock };
}

async function takeTimes(quota: Quota, times: number, limit = 1_000): Promise<number> {
  let allowed = 0;
  for (let time = 0; time < times; time++) if ((await quota.take("cus_1", limit)).allowed) allowed++;
  return allowed;
}

Deno.test("take() counts down to the limit and then denies without counting", async () => {
  const { quota } = given();
  for (const expected of [[true, 2, 1], [true, 2, 0], [false, 2, 0], [false, 2, 0]]) {
    const { allowed, limit, remaining } = await quota.take("cus_1", 2);
    assert.deepEqual([allowed, limit, remaining], expected);
  }
  assert.equal((await quota.take("cus_1", 3)).allowed, true, "a higher limit allows more");
  assert.equal((await quota.take("cus_1", 1)).remaining, 0, "a lower limit leaves 0");
  assert.equal((await quota.take("cus_2", 0)).allowed, false);
});

Deno.test("take() allows exactly as many concurrent requests as the limit, with one read of the store", async () => {
  const { quota, counts } = given();
  counts.stored.set("2026-07-20 cus_1", 10);
  const open = counts.hold();
  const takes = Array.from({ length: 64 }, () => quota.take("cus_1", 50));
  open();
  const allowances = await Promise.all(takes);
  assert.equal(counts.reads, 1);
  assert.equal(allowances.filter(({ allowed }) => allowed).length, 40);
  const remaining = allowances.filter(({ allowed }) => allowed).map((allowance) => allowance.remaining);
  assert.deepEqual(remaining, Array.from({ length: 40 }, (_, at) => 39 - at));
  await quota.flush();
  assert.equal(counts.stored.get("2026-07-20 cus_1"), 50);
});

Deno.test("take() returns the time of the next 00:00 UTC, and the seconds until then", async () => {
  const { quota, clock } = given();
  const rows: [number, number, number][] = [
    [T0, MIDNIGHT, 43_200],
    [MIDNIGHT - 1_001, MIDNIGHT, 2],
    [MIDNIGHT - 1_000, MIDNIGHT, 1],
    [MIDNIGHT - 1, MIDNIGHT, 1],
    [MIDNIGHT, MIDNIGHT + DAY, 86_400],
  ];
  for (const [nowMs, resetMs, seconds] of rows) {
    clock.set(nowMs);
    const allowance = await quota.take("cus_1", 100);
    assert.deepEqual([allowance.resetMs, allowance.resetInSeconds], [resetMs, seconds], String(nowMs));
  }
});

Deno.test("take() starts again at 00:00 UTC, and stores each day separately", async () => {
  const { quota, counts, clock } = given();
  clock.set(MIDNIGHT - 1);
  assert.equal(await takeTimes(quota, 3, 2), 2);
  clock.set(MIDNIGHT);
  assert.equal(await takeTimes(quota, 3, 2), 2);
  await quota.flush();
  assert.deepEqual(Object.fromEntries(counts.stored), { "2026-07-20 cus_1": 2, "2026-07-21 cus_1": 2 });
});

Deno.test("take() rejects if a read fails, and reads again next time", async () => {
  const { quota, counts } = given();
  counts.gate = Promise.reject(new Error("the disk is gone"));
  const both = await Promise.allSettled([quota.take("cus_1", 1), quota.take("cus_1", 1)]);
  assert.deepEqual(both.map(({ status }) => status), ["rejected", "rejected"]);
  counts.gate = Promise.resolve();
  assert.equal((await quota.take("cus_1", 1)).allowed, true, "the failed calls were not counted");
});

Deno.test("refund() subtracts a counted request only once", async () => {
  const { quota, counts } = given();
  const first = await quota.take("cus_1", 2);
  await quota.take("cus_1", 2);
  const refusedOne = await quota.take("cus_1", 2);
  refusedOne.refund();
  assert.equal((await quota.take("cus_1", 2)).allowed, false);
  assert.equal(refusedOne.remaining, 0);
  first.refund();
  first.refund();
  assert.equal(first.remaining, 2);
  assert.equal(await takeTimes(quota, 2, 2), 1);
  await quota.flush();
  assert.equal(counts.stored.get("2026-07-20 cus_1"), 2);
});

Deno.test("refund() of a request made before midnight subtracts from that day", async () => {
  const { quota, counts, clock } = given();
  clock.set(MIDNIGHT - 1);
  const allowance = await quota.take("cus_1", 5);
  await quota.flush();
  clock.set(MIDNIGHT + 1_000);
  await quota.take("cus_1", 5);
  await quota.flush();
  allowance.refund();
  await quota.flush();
  assert.deepEqual(Object.fromEntries(counts.stored), { "2026-07-20 cus_1": 0, "2026-07-21 cus_1": 1 });
});

Deno.test("flush() rejects on failure, and keeps the counts for the next flush, even after midnight", async () => {
  const { quota, counts, clock } = given();
  await takeTimes(quota, 3);
  counts.failures = 2;
  await assert.rejects(quota.flush(), /the disk is full/);
  await takeTimes(quota, 1);
  const open = counts.hold();
  const failing = quota.flush();
  clock.set(MIDNIGHT + DAY + 1);
  const next = quota.flush();
  open();
  await assert.rejects(failing, /the disk is full/);
  await next;
  assert.equal(counts.stored.get("2026-07-20 cus_1"), 4);
});

Deno.test("overlapping flush() calls store every count once, and resolve when all counts are stored", async () => {
  const { quota, counts } = given();
  await takeTimes(quota, 3);
  const open = counts.hold();
  const first = quota.flush();
  await takeTimes(quota, 2);
  let isDone = false;
  const last = quota.flush().then(() => isDone = true);
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  assert.equal(isDone, false);
  open();
  await Promise.all([first, last]);
  assert.equal(counts.stored.get("2026-07-20 cus_1"), 5);
});

Deno.test("flush() drops the counts of past days, which are complete again if the clock is set back", async () => {
  const { quota, counts, clock } = given();
  await takeTimes(quota, 1);
  await quota.flush();
  await takeTimes(quota, 1);
  clock.set(MIDNIGHT + DAY);
  await quota.flush();
  await quota.flush();
  clock.set(T0); // after the clock was set back, the day is read again
  assert.equal((await quota.take("cus_1", 10)).remaining, 7);
  assert.equal(counts.reads, 2);
});

Deno.test("the counts are exact for any order of takes, refunds, flushes, failures and restarts", async () => {
  const step = fc.constantFrom("take", "take", "take", "refund", "flush", "failing flush", "restart");
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
    const [counts, clock] = [new FakeCounts(), fakeClock(T0)];
    let quota = createQuota({ store: counts, clock });
    const limit = 6;
    let used = 0;
    const refunds: (() => void)[] = [];
    for (const step of steps) {
      if (step === "take") {
        const allowance = await quota.take("cus_1", limit);
        assert.equal(allowance.allowed, used < limit);
        if (allowance.allowed) {
          used++;
          refunds.push(() => allowance.refund());
        }
        assert.equal(allowance.remaining, limit - used);
      } else if (step === "refund") {
        const refund = refunds.pop();
        if (refund !== undefined) used--;
        refund?.();
      } else if (step === "flush") {
        await quota.flush();
        assert.equal(counts.stored.get("2026-07-20 cus_1") ?? 0, used);
      } else if (step === "failing flush") {
        counts.failures = 1;
        await quota.flush().catch(() => {});
        counts.failures = 0;
      } else {
        await quota.flush();
        quota = createQuota({ store: counts, clock });
        refunds.length = 0;
      }
    }
  }));
});
