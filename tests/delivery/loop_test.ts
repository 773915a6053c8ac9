// The delivery loop: matching, concurrent attempts, and failures of endpoints and of the store.
import assert from "node:assert/strict";
import { createDelivery } from "../../src/delivery/loop.ts";
import { deliveryPayload } from "../../src/wire/delivery.ts";
import {
  anEvent,
  aQueue,
  aSubscription,
  type FakeLog,
  hang,
  HOST,
  respond,
  runLoop,
  settle,
  START_MS,
  textOf,
} from "./given.ts";

const SUB = aSubscription().id;
const MINUTE = 60_000;

const errorLines = ({ lines }: FakeLog) => lines.filter(({ level }) => level === "error");

Deno.test("tick() matches an event, sends it and records the attempt", async () => {
  const { deps, store, network } = aQueue(0);
  store.waiting.push({ event: anEvent(), previous: null });
  const delivery = createDelivery(deps);
  assert.equal(await delivery.tick(), 2); // one event matched, one attempt made
  assert.equal(await delivery.tick(), 0);
  const body = deliveryPayload.parse(JSON.parse(textOf(network.requests[0]?.body)));
  assert.equal(body.delivery_id, network.requests[0]?.headers["webhook-id"]);
  assert.equal(body.event.id, anEvent().id);
  assert.deepEqual(store.finished.map((one) => [one.deliveryId, one.attempt, one.next]), [
    [body.delivery_id, 1, { kind: "delivered" }],
  ]);
});

Deno.test("tick() retries for three days with the same id and bytes, then fails", async () => {
  const { deps, store, network, clock, log } = aQueue(1);
  network.endpoints.set(HOST, () => respond(500));
  const delivery = createDelivery(deps);
  const madeAtMs: number[] = [];
  for (let step = 0; step < 5_000 && store.queue[0]?.status === "pending"; step++) {
    if (await delivery.tick() > 0) madeAtMs.push(clock.nowMs());
    await clock.advance(MINUTE);
  }
  assert.equal(store.queue[0]?.status, "failed");
  assert.equal(madeAtMs.length, 11);
  assert.equal(new Set(network.requests.map((request) => request.headers["webhook-id"])).size, 1);
  assert.equal(new Set(network.requests.map((request) => request.body)).size, 1);
  const hours = ((madeAtMs.at(-1) ?? 0) - START_MS) / (60 * MINUTE);
  assert.ok(hours > 75 && hours < 77, `${hours} h`);
  assert.equal(log.lines.at(-1)?.message, "last attempt failed: delivery failed");
});

Deno.test("tick() makes concurrent attempts within the limits, with leases that outlast an attempt", async () => {
  const { deps, store, network } = aQueue(10, { concurrency: 6, concurrencyPerSubscription: 4 });
  store.subscriptions.push(aSubscription({ id: "sub_2", webhookUrl: "https://second.example/" }));
  for (let at = 10; at < 20; at++) store.enqueue("sub_2", { id: `dlv_${at}` });
  let running = 0;
  let most = 0;
  const endpoint = async () => {
    most = Math.max(most, ++running);
    await settle();
    running--;
    return respond(200);
  };
  network.endpoints.set(HOST, endpoint);
  network.endpoints.set("second.example", endpoint);
  assert.equal(await createDelivery(deps).tick(), 20);
  assert.equal(most, 6);
  const first = network.requests.slice(0, 6).map((request) => request.url.hostname);
  assert.equal(first.filter((host) => host === HOST).length, 4);
  assert.equal(store.finished.length, 20);
  assert.ok(store.leasesMs.every((leaseMs) => leaseMs > deps.timeoutMs + 10_000));
});

Deno.test("tick() checks held deliveries once a second", async () => {
  const { deps, store, clock } = aQueue(0);
  const delivery = createDelivery(deps);
  for (let step = 0; step < 25; step++) {
    await delivery.tick();
    await clock.advance(100);
  }
  assert.deepEqual(store.releases, [START_MS, START_MS + 1_000, START_MS + 2_000]);
  await clock.advance(-3_600_000);
  await delivery.tick();
  assert.equal(store.releases.length, 4);
});

Deno.test("tick() records an internal error as a failed attempt, and logs it without its message", async () => {
  const { deps, store, network, log } = aQueue(2);
  let calls = 0;
  network.endpoints.set(HOST, () => {
    if (++calls === 1) throw new TypeError(`cannot read https://${HOST}/in`);
    return respond(200);
  });
  assert.equal(await createDelivery(deps).tick(), 2);
  assert.deepEqual(store.finished.map((one) => one.next.kind).sort(), ["delivered", "retry"]);
  const failed = store.finished.find((one) => one.next.kind === "retry");
  assert.equal(failed?.result.problem, "the attempt was interrupted by the sender");
  const [line] = errorLines(log);
  assert.equal(line?.fields["delivery"], failed?.deliveryId);
  assert.match(String(line?.fields["cause"]), /^TypeError at /);
  assert.doesNotMatch(JSON.stringify(log.lines), new RegExp(HOST));
});

Deno.test("tick() runs all steps even if one fails, and then rejects with its error", async () => {
  for (const method of ["matchEvents", "releaseHeld"]) {
    const { deps, store, log } = aQueue(1);
    store.failing.set(method, () => new Error("disk full"));
    await assert.rejects(createDelivery(deps).tick(), /disk full/, method);
    assert.equal(store.queue[0]?.status, "delivered", method);
    assert.equal(errorLines(log).length, 1, method);
  }
});

Deno.test("tick() repeats an attempt that could not be recorded, when its lease expires", async () => {
  const { deps, store, network, clock } = aQueue(1);
  store.failing.set("finishAttempts", () => new Error("disk full"));
  const delivery = createDelivery(deps);
  assert.equal(await delivery.tick(), 1);
  store.failing.clear();
  assert.equal(await delivery.tick(), 0);
  await clock.advance(60_000);
  assert.equal(await delivery.tick(), 1);
  assert.equal(store.queue[0]?.status, "delivered");
  assert.deepEqual(network.requests.map(({ headers }) => headers["webhook-id"]), ["dlv_0", "dlv_0"]);
});

Deno.test("tick() logs attempts without URL, body or secret", async () => {
  const { deps, store, network, log } = aQueue(0);
  const statuses = [200, 500, 410];
  for (const status of statuses) {
    store.waiting.push({ event: anEvent({ id: `evt_${status}` }), previous: null });
  }
  network.endpoints.set(HOST, () => respond(statuses.shift() ?? 200));
  await createDelivery(deps).tick();
  assert.equal(log.lines.length, 3);
  assert.doesNotMatch(JSON.stringify(log.lines), /receiver|Guideline|0123456789abcdef/);
});

Deno.test("run() claims deliveries to other endpoints while one is slow", async () => {
  const { deps, store, network, clock } = aQueue(3);
  store.subscriptions.push(aSubscription({ id: "sub_2", webhookUrl: "https://quick.example/" }));
  network.endpoints.set(HOST, (request) => hang(request.signal));
  network.endpoints.set("quick.example", () => respond(200));
  await using _loop = await runLoop(deps);
  for (let at = 0; at < 20; at++) {
    store.enqueue("sub_2", { id: `dlv_quick_${at}`, createdAtMs: clock.nowMs() });
    await clock.advance(200);
  }
  await clock.advance(20);
  assert.equal(store.finished.length, 20);
  assert.ok(store.finished.every((one) => one.deliveryId.startsWith("dlv_quick_")));
  await clock.advance(15_000); // the deadline of the slow attempts
  await clock.advance(20);
  assert.equal(store.finished.length, 23);
});

Deno.test("run() fills free slots without waiting", async () => {
  const { deps, store, network, clock } = aQueue(50);
  for (let at = 0; at < 35; at++) store.waiting.push({ event: anEvent({ id: `evt_${at}` }), previous: null });
  await using _loop = await runLoop(deps);
  for (let turn = 0; turn < 100; turn++) await settle();
  assert.equal(network.requests.length, 85);
  assert.equal(clock.nowMs(), START_MS);
});

Deno.test("run() logs failures of the store and continues after a pause", async () => {
  for (const method of ["matchEvents", "claimDeliveries", "releaseHeld", "finishAttempts"]) {
    const { deps, store, clock, log } = aQueue(1);
    let failures = 3;
    store.failing.set(method, () => failures-- > 0 ? new Error("database is locked") : null);
    await using _loop = await runLoop(deps);
    await clock.advance(20);
    assert.equal(errorLines(log).length, 1, method);
    for (let second = 0; second < 200; second++) await clock.advance(1_000);
    assert.equal(store.queue[0]?.status, "delivered", method);
    const errors = errorLines(log);
    assert.equal(errors.length, 3, method);
    assert.match(String(errors[0]?.fields["cause"]), /database is locked/);
  }
});

Deno.test("run() never sends a delivery twice at the same time when the clock jumps past its lease", async () => {
  const { deps, store, network, clock } = aQueue(1);
  let atOnce = 0;
  let most = 0;
  network.endpoints.set(HOST, (request) => {
    most = Math.max(most, ++atOnce);
    return hang(request.signal).finally(() => atOnce--);
  });
  await using _loop = await runLoop(deps);
  await clock.advance(600_000); // the loop wakes before the attempt's deadline does
  network.endpoints.set(HOST, () => respond(200));
  for (let minute = 0; minute < 3; minute++) await clock.advance(60_000);
  assert.equal(most, 1);
  assert.equal(store.queue[0]?.status, "delivered");
});

Deno.test("run() repeats a due delivery even if its previous attempt is not on disk yet", async () => {
  const { deps, store, network, clock } = aQueue(1);
  const finish = store.finishAttempts.bind(store);
  // The retry is due at once, as if the subscription's URL had been changed in the meantime.
  store.finishAttempts = async (finished, nowMs) => {
    const isDue = finished.map((one) =>
      one.next.kind === "retry" ? { ...one, next: { kind: "retry" as const, atMs: nowMs } } : one
    );
    await finish(isDue, nowMs);
    await clock.sleep(100); // the result is visible, but the slow disk has not stored it yet
  };
  network.endpoints.set(HOST, () => respond(network.requests.length === 1 ? 500 : 200));
  await using _loop = await runLoop(deps);
  for (let waited = 0; waited < 400; waited += 20) await clock.advance(20);
  assert.equal(store.queue[0]?.status, "delivered");
  assert.deepEqual(store.finished.map(({ attempt }) => attempt), [1, 2]);
});

Deno.test("run() stops claiming while nothing can be recorded", async () => {
  const { deps, store, network, clock } = aQueue(3, { concurrency: 1 });
  let failures = 3;
  store.failing.set("finishAttempts", () => failures-- > 0 ? new Error("disk full") : null);
  await using _loop = await runLoop(deps);
  assert.equal(network.requests.length, 3);
  await clock.advance(20); // the batch fails, and then two of its three attempts cannot be recorded singly either
  assert.equal(store.finished.length, 1);
  await clock.advance(200);
  store.enqueue(SUB, { id: "dlv_later" });
  await clock.advance(700);
  assert.equal(network.requests.length, 3);
  await clock.advance(300);
  assert.equal(network.requests.length, 4);
});

Deno.test("run() stops claiming if the store falls far behind", async () => {
  const { deps, store, network, clock } = aQueue(1_500);
  const slow = Promise.withResolvers<void>();
  const finish = store.finishAttempts.bind(store);
  store.finishAttempts = async (finished, nowMs) => {
    await slow.promise;
    await finish(finished, nowMs);
  };
  await using _loop = await runLoop(deps);
  for (let turn = 0; turn < 100; turn++) await clock.advance(100);
  const sent = network.requests.length;
  assert.ok(sent >= 1_000 && sent < 1_100, `${sent}`);
  slow.resolve();
  for (let turn = 0; turn < 100; turn++) await clock.advance(100);
  assert.equal(store.finished.length, 1_500);
});

Deno.test("run() stops at once when no attempt is in progress", async () => {
  const { deps, store, clock } = aQueue(0);
  const loop = await runLoop(deps);
  loop.stop();
  await loop.stopped;
  store.enqueue(SUB, { id: "dlv_late" });
  await clock.advance(60_000);
  await loop.delivery.run(AbortSignal.abort());
  assert.equal(store.finished.length, 0);
  assert.equal(clock.sleeping, 0);
});

Deno.test("run() waits for attempts in progress when it is stopped, and records them", async () => {
  const { deps, store, network, clock } = aQueue(1);
  network.endpoints.set(HOST, async (request) => {
    await clock.sleep(5_000, request.signal);
    return respond(200);
  });
  const loop = await runLoop(deps);
  let hasStopped = false;
  loop.stopped.then(() => hasStopped = true);
  loop.stop();
  await settle();
  await clock.advance(4_000);
  assert.equal(hasStopped, false);
  await clock.advance(1_000);
  await loop.stopped;
  assert.equal(store.queue[0]?.status, "delivered");
  assert.equal(clock.sleeping, 0);
});

Deno.test("run() aborts attempts that outlast the wait, and does not use the store after that", async () => {
  const { deps, store, network, clock, log } = aQueue(2);
  let ended = 0;
  network.endpoints.set(HOST, (request) => {
    request.signal.addEventListener("abort", () => ended++);
    return hang(request.signal);
  });
  const loop = await runLoop(deps);
  loop.stop();
  await settle();
  await clock.advance(8_000);
  await loop.stopped;
  assert.equal(ended, 2);
  assert.deepEqual(log.lines.map((line) => line.message), [
    "stopped with attempts in progress; they are repeated",
  ]);
  await clock.advance(60_000);
  assert.equal(store.batches.length, 0);
  // The leases have expired.
  network.endpoints.set(HOST, () => respond(200));
  assert.equal(await loop.delivery.tick(), 2);
  assert.deepEqual(store.finished.map((one) => one.attempt), [2, 2]);
});
