// Claims: what has a place, what is claimed ahead of its turn, and what goes back unattempted.
import assert from "node:assert/strict";
import { Claims } from "../../src/delivery/claims.ts";
import type { AttemptResult, ClaimedDelivery } from "../../src/domain/delivery.ts";
import { aSubscription, FakeClock, FakeStore } from "./stand_ins.ts";

const LEASE_MS = 45_000;
const PER_SUBSCRIPTION = 2;

/** A queue of so many deliveries for each subscription, and the places that are taken. */
function aQueue(counts: Record<string, number>) {
  const clock = new FakeClock();
  const store = new FakeStore();
  for (const [id, count] of Object.entries(counts)) {
    store.subscriptions.push(aSubscription({ id }));
    for (let number = 1; number <= count; number++) store.enqueue(id, { id: `${id}-${number}` });
  }
  const inFlight = new Map<string, number>();
  const underWay = new Set<string>();
  const limits = { leaseMs: LEASE_MS, perSubscription: PER_SUBSCRIPTION };
  const claims = new Claims({ store, clock, ...limits, inFlight, underWay });
  const count = (id: string, change: 1 | -1) => inFlight.set(id, (inFlight.get(id) ?? 0) + change);
  return {
    clock,
    store,
    claims,
    underWay,
    /** Starts what there is; gives the ids. */
    start: async (places: number, ahead = true): Promise<ClaimedDelivery[]> => {
      const started = await claims.take(places, ahead);
      for (const { subscriptionId } of started) count(subscriptionId, 1);
      return started;
    },
    begin: ({ subscriptionId }: ClaimedDelivery): void => void count(subscriptionId, 1),
    /** Ends attempts. */
    end: (deliveries: readonly ClaimedDelivery[], result: Partial<AttemptResult> = {}): void => {
      for (const delivery of deliveries) {
        count(delivery.subscriptionId, -1);
        claims.note(delivery, { ...TAKEN, ...result });
      }
    },
  };
}

const TAKEN: AttemptResult = {
  startedAtMs: 0,
  durationMs: 3,
  statusCode: 204,
  problem: null,
  retryAtMs: null,
  answer: null,
};

function idsOf(deliveries: readonly ClaimedDelivery[]): string[] {
  return deliveries.map(({ id }) => id);
}

/** Goes on until four are claimed ahead; gives the two that are under way. */
async function runUp({ start, end }: ReturnType<typeof aQueue>): Promise<ClaimedDelivery[]> {
  end(await start(10));
  return await start(10);
}

Deno.test("take() claims ahead for an endpoint that answers at once, and asks the store less often", async () => {
  const queue = aQueue({ a: 100 });
  const seen: string[] = [];
  let running = await queue.start(10);
  for (let turn = 0; turn < 12; turn++) {
    assert.ok(running.length > 0 && running.length <= PER_SUBSCRIPTION);
    seen.push(...idsOf(running));
    queue.end(running);
    running = await queue.start(10);
  }
  seen.push(...idsOf(running));
  assert.deepEqual(
    seen,
    Array.from({ length: seen.length }, (_, at) => `a-${at + 1}`),
    "in order, each once",
  );
  assert.ok(queue.store.claims.length < 8, `${queue.store.claims.length} claims`);
  assert.deepEqual(queue.store.returned, []);
});

Deno.test("take() claims nothing ahead where that is not wanted, or for an endpoint that is slow", async () => {
  for (const { ahead, durationMs } of [{ ahead: false, durationMs: 3 }, { ahead: true, durationMs: 101 }]) {
    const queue = aQueue({ a: 20 });
    for (let turn = 0; turn < 5; turn++) queue.end(await queue.start(10, ahead), { durationMs });
    assert.equal(queue.store.claims.length, 5);
    for (const { ahead } of queue.store.claims) assert.equal(ahead.size, 0);
    assert.deepEqual(queue.store.returned, []);
  }
});

Deno.test("what was claimed ahead goes back, at its place in the order, when the endpoint fails", async () => {
  const queue = aQueue({ a: 100 });
  const running = await runUp(queue);
  const last = Number(running.at(-1)?.id.slice(2));
  queue.end(running, { statusCode: 500 });
  const next = await queue.start(10);
  assert.ok(queue.store.returned.length >= 2, "something was claimed ahead");
  assert.deepEqual(idsOf(next), [`a-${last + 1}`, `a-${last + 2}`], "the same as would have gone");
  for (const { attempt, tries } of next) {
    assert.deepEqual([attempt, tries], [1, 1], "they were not attempted");
  }
});

Deno.test("what was claimed ahead goes back when its wait lasts, and when the loop stops", async () => {
  for (const how of ["wait", "stop"]) {
    const queue = aQueue({ a: 100 });
    await runUp(queue); // and now the endpoint hangs
    assert.deepEqual(queue.store.returned, []);
    if (how === "stop") await queue.claims.returnAll();
    else {
      await queue.clock.advance(101);
      assert.deepEqual(await queue.start(8), []);
    }
    assert.ok(queue.store.returned.length >= 2);
    for (const id of queue.store.returned) {
      const { claimed, nextAttemptAtMs } = queue.store.queue.find((one) => one.claimed.id === id) ?? {};
      assert.deepEqual([claimed?.attempt, nextAttemptAtMs], [0, claimed?.createdAtMs]);
    }
  }
});

Deno.test("what was claimed ahead goes back when a subscription changes: nothing that begins later knows the old one", async () => {
  const queue = aQueue({ a: 100 });
  const running = await runUp(queue);
  const [before] = queue.store.subscriptions;
  assert.ok(before);
  for (const queued of queue.store.queue) {
    queued.claimed = { ...queued.claimed, webhookUrl: "https://new.example/" };
  }
  queue.store.version++;
  queue.end(running);
  const next = await queue.start(10);
  assert.ok(queue.store.returned.length >= 2, "something was claimed ahead");
  assert.equal(next.length, PER_SUBSCRIPTION);
  for (const { webhookUrl } of next) assert.equal(webhookUrl, "https://new.example/");
});

Deno.test("takeOne() gives what waits to a place that becomes free, in order, without a claim", async () => {
  const queue = aQueue({ a: 100 });
  let running = await runUp(queue);
  const { length } = queue.store.claims;
  const last = Number(running.at(-1)?.id.slice(2));
  assert.equal(queue.claims.takeOne(), null, "no place is free");
  const seen: string[] = [];
  for (;;) {
    queue.end(running.slice(0, 1));
    const next = queue.claims.takeOne();
    if (next === null) break;
    queue.begin(next);
    running = [...running.slice(1), next];
    seen.push(next.id);
  }
  assert.ok(seen.length >= 2, "something was claimed ahead");
  assert.deepEqual(seen, seen.map((_, at) => `a-${last + 1 + at}`));
  assert.equal(queue.store.claims.length, length);
});

Deno.test("takeOne() leaves to take() what asks for a look at the store, and what goes back", async () => {
  type Queue = ReturnType<typeof aQueue>;
  const cases: Record<string, (queue: Queue, ended: ClaimedDelivery) => unknown> = {
    "a subscription has changed": ({ store }) => store.version++,
    "the store does not say at once whether one has": ({ store }) => {
      store.subscriptionsVersion = () => Promise.reject(new Error("disk full")) as never;
    },
    "it is time to claim": ({ clock }) => clock.advance(20),
    "the clock was set back": ({ clock }) => clock.advance(-60_000),
    "the endpoint has failed": ({ claims }, ended) => claims.note(ended, { ...TAKEN, statusCode: 500 }),
    "the endpoint is slow": ({ claims }, ended) => claims.note(ended, { ...TAKEN, durationMs: 101 }),
  };
  for (const [name, change] of Object.entries(cases)) {
    const queue = aQueue({ a: 100 });
    const [ended] = await runUp(queue);
    assert.ok(ended);
    queue.end([ended]);
    await change(queue, ended);
    assert.equal(queue.claims.takeOne(), null, name);
  }
});

Deno.test("what was claimed later does not overtake what goes back because it waited", async () => {
  const queue = aQueue({ a: 100 });
  let running = await runUp(queue);
  const last = Number(running.at(-1)?.id.slice(2));
  await queue.clock.advance(10);
  queue.end(running);
  running = await queue.start(2);
  queue.end(running);
  await queue.clock.advance(80); // all places are others' meanwhile
  const claims = queue.store.claims.length;
  const [third] = await queue.start(1);
  assert.equal(queue.store.claims.length, claims + 1, "more is claimed while one still waits");
  await queue.clock.advance(11);
  const [fourth] = await queue.start(1);
  assert.ok(queue.store.returned.length > 0);
  assert.deepEqual([third?.id, fourth?.id], [`a-${last + 3}`, `a-${last + 4}`]);
});

Deno.test("an endpoint that fails while others' deliveries go back gets nothing of what was claimed ahead", async () => {
  const queue = aQueue({ a: 100, b: 100 });
  const running = await runUp(queue);
  const of = (id: string) => running.filter(({ subscriptionId }) => subscriptionId === id);
  queue.end(of("a"), { statusCode: 500 });
  queue.store.failing.set("returnDeliveries", () => {
    queue.store.failing.clear();
    queue.end(of("b"), { statusCode: 410 });
    return null;
  });
  await queue.start(0);
  await queue.start(0);
  const returned = new Set(queue.store.returned.map((id) => id.slice(0, 1)));
  assert.deepEqual([...returned].sort(), ["a", "b"]);
});

Deno.test("what cannot be given back is given back when the store is well again, and goes nowhere before", async () => {
  const queue = aQueue({ a: 100 });
  const running = await runUp(queue);
  queue.end(running, { statusCode: 410 });
  queue.store.failing.set("returnDeliveries", () => new Error("disk I/O error"));
  for (let turn = 0; turn < 2; turn++) await assert.rejects(queue.start(10), /disk I\/O error/);
  queue.store.failing.clear();
  const [next] = await queue.start(10);
  assert.ok(queue.store.returned.length >= 2);
  assert.deepEqual([next?.attempt, next?.id], [1, `a-${Number(running.at(-1)?.id.slice(2)) + 1}`]);
});

Deno.test("take() lets others in within 20 ms while one endpoint's deliveries come ahead", async () => {
  const queue = aQueue({ a: 100 });
  let running = await runUp(queue);
  queue.store.subscriptions.push(aSubscription({ id: "b" }));
  queue.store.enqueue("b", { id: "b-1" });
  await queue.clock.advance(20);
  queue.end(running);
  running = await queue.start(3);
  assert.deepEqual(running.filter(({ subscriptionId }) => subscriptionId === "b").map(({ id }) => id), [
    "b-1",
  ]);
});

Deno.test("take() gives back what is still under way although it is due: it goes when that is over, and not a lease later", async () => {
  const queue = aQueue({ a: 1 });
  queue.underWay.add("a-1");
  assert.deepEqual(await queue.start(10), []);
  assert.deepEqual(queue.store.returned, ["a-1"]);
  queue.underWay.clear();
  await queue.clock.advance(20);
  const [started] = await queue.start(10);
  assert.deepEqual([started?.id, started?.attempt], ["a-1", 1], "no attempt was used up");
});
