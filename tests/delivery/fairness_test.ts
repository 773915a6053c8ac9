// Fairness: endpoints that keep their answer back until the deadline cost the others nothing.
import assert from "node:assert/strict";
import { createDelivery } from "../../src/delivery/loop.ts";
import { answer, aSubscription, aWorld, hang, settle, START_MS } from "./stand_ins.ts";

const BAD = 12;
const GOOD = 100;

Deno.test("run() delivers to a hundred good endpoints beside twelve that hang, within a second of the first wave", async () => {
  const { deps, store, network, clock } = aWorld({ concurrency: 40, concurrencyPerSubscription: 5 });
  const arrivedMs = new Map<string, number>();
  const add = (id: string, host: string) =>
    store.subscriptions.push(aSubscription({ id, webhookUrl: `https://${host}/in` }));
  // The bad ones come first, with more deliveries than there are places.
  for (let at = 0; at < BAD; at++) {
    add(`sub_bad_${at}`, `bad-${at}.example`);
    network.endpoints.set(`bad-${at}.example`, (request) => hang(request.signal));
    for (let each = 0; each < 20; each++) store.enqueue(`sub_bad_${at}`, { id: `dlv_bad_${at}_${each}` });
  }
  for (let at = 0; at < GOOD; at++) {
    add(`sub_good_${at}`, `good-${at}.example`);
    network.endpoints.set(`good-${at}.example`, (request) => {
      arrivedMs.set(request.headers["webhook-id"] ?? "", clock.nowMs());
      return answer(200);
    });
    store.enqueue(`sub_good_${at}`, { id: `dlv_good_${at}` });
  }
  const stop = new AbortController();
  const running = createDelivery(deps).run(stop.signal);
  await settle();
  for (let turn = 0; turn < 15; turn++) {
    await clock.advance(100);
    await settle();
  }
  assert.equal(arrivedMs.size, GOOD, "although every place was taken");
  assert.ok(Math.max(...arrivedMs.values()) - START_MS <= 1_500);

  // While the bad ones still hang, what comes anew waits for nothing but the loop's next look.
  arrivedMs.clear();
  const laterMs = clock.nowMs();
  for (let at = 0; at < GOOD; at++) {
    store.enqueue(`sub_good_${at}`, { id: `dlv_later_${at}`, createdAtMs: laterMs });
  }
  for (let turn = 0; turn < 6; turn++) {
    await clock.advance(100);
    await settle();
  }
  assert.equal(arrivedMs.size, GOOD);
  assert.ok(Math.max(...arrivedMs.values()) - laterMs <= 500);
  stop.abort();
  await settle();
  for (let second = 0; second < 10; second++) await clock.advance(1_000);
  await running;
});

Deno.test("an endpoint that fails at once has no more attempts begun than its places before that is recorded", async () => {
  for (const status of [410, 500]) {
    const { deps, store, network, clock } = aWorld();
    store.subscriptions.push(aSubscription());
    for (let at = 0; at < 200; at++) store.enqueue(aSubscription().id, { id: `dlv_${at}` });
    network.endpoints.set(
      "hooks.receiver.example",
      () => answer(network.requests.length <= 100 ? 204 : status),
    );
    const finish = store.finishAttempts.bind(store);
    const disk = Promise.withResolvers<void>();
    store.finishAttempts = async (finished, nowMs) => {
      if (finished.some(({ next }) => next.kind !== "delivered")) await disk.promise;
      await finish(finished, nowMs);
    };
    const stop = new AbortController();
    const running = createDelivery(deps).run(stop.signal);
    for (let turn = 0; turn < 50; turn++) await clock.advance(5);
    assert.equal(network.requests.length, 104, `after ${status}`);
    disk.resolve();
    stop.abort();
    for (let turn = 0; turn < 10; turn++) await clock.advance(5);
    await running;
  }
});
