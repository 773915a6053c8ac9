// Fairness with the SQLite engine: slow endpoints do not delay other customers.
import assert from "node:assert/strict";
import { createDelivery, type DeliveryDeps } from "../../src/delivery/loop.ts";
import type { IncomingResponse } from "../../src/domain/ports/ports.ts";
import type { Store } from "../../src/domain/ports/store/store.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { addCustomer, anEvent, publish, subscribe } from "../store/contract/given.ts";
import { testVault } from "../support/vault.ts";
import { aQueue, aWorld, hang, HOST, type JumpingClock, respond, runLoop, settle } from "./given.ts";

/** Maximum lag of a working endpoint, ms. */
const SOON_MS = 2_000;
const STEP_MS = 50;

/** A delivery loop over a store in memory, with the default number of slots. */
class Room {
  readonly store: Store = openStore(":memory:", testVault);
  readonly clock: JumpingClock;
  /** The lag of each delivery, ms, by host. */
  readonly lagsMs = new Map<string, number[]>();
  /** Requests in progress, by customer. */
  readonly running = new Map<string, number>();
  readonly #network;
  readonly #deps: DeliveryDeps;
  #stop = new AbortController();
  #done: Promise<void> = Promise.resolve();
  #events = 0;

  constructor(change: Partial<DeliveryDeps> = {}) {
    const { deps, clock, network } = aWorld({ concurrency: 100, concurrencyPerSubscription: 5, ...change });
    this.clock = clock;
    this.#network = network;
    this.#deps = { ...deps, store: this.store };
  }

  /** Adds a subscription to `NAME.CUSTOMER.example`, which responds after this time in ms, or never if it is null. */
  async subscribe(customer: string, name: string, afterMs: number | null): Promise<void> {
    const host = `${name}.${customer}.example`;
    const id = `sub_${customer}_${name}`;
    await subscribe(this.store, id, {
      customerId: `cus_${customer}`,
      webhookUrl: `https://${host}/in`,
      // Subscriptions whose names differ only in the number get the same events.
      sources: [`source-${customer}-${name.replace(/\d+$/, "")}`],
    });
    this.#network.endpoints.set(host, async (request): Promise<IncomingResponse> => {
      const { type, event } = JSON.parse(new TextDecoder().decode(request.body as Uint8Array));
      assert.equal(type, "event.published");
      const lags = this.lagsMs.get(host) ?? [];
      lags.push(this.clock.nowMs() - event.ingested_at);
      this.lagsMs.set(host, lags);
      if (afterMs === 0) return respond(200);
      this.running.set(customer, (this.running.get(customer) ?? 0) + 1);
      try {
        if (afterMs === null) return await hang(request.signal);
        await this.clock.sleep(afterMs, request.signal);
        request.signal.throwIfAborted();
        return respond(200);
      } finally {
        this.running.set(customer, (this.running.get(customer) ?? 0) - 1);
      }
    });
  }

  /** Publishes events for the customer's subscriptions whose names are `name`, or `name` and a number. */
  async publish(customer: string, name: string, count = 1): Promise<void> {
    for (let at = 0; at < count; at++) {
      const id = `evt_${String(++this.#events).padStart(5, "0")}`;
      const nowMs = this.clock.nowMs();
      const times = { published_at: nowMs, ingested_at: nowMs };
      await publish(this.store, [anEvent(id, { source_id: `source-${customer}-${name}`, ...times })]);
    }
  }

  start(): void {
    this.#stop = new AbortController();
    this.#done = createDelivery(this.#deps).run(this.#stop.signal);
  }

  /** Advances the clock in small steps, and calls `look` after each of them. */
  async pass(ms: number, look: () => Promise<void> | void = () => {}): Promise<void> {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      await this.clock.advance(STEP_MS);
      await settle();
      await look();
    }
  }

  longestMs(hosts: RegExp): number {
    return Math.max(...[...this.lagsMs].filter(([host]) => hosts.test(host)).flatMap(([, lags]) => lags));
  }

  async close(): Promise<void> {
    this.#stop.abort();
    for (let second = 0; second < 20; second++) await this.clock.advance(1_000);
    await this.#done;
    await this.store.close();
  }
}

async function inRoom(
  work: (room: Room) => Promise<void>,
  change: Partial<DeliveryDeps> = {},
): Promise<void> {
  const room = new Room(change);
  try {
    await work(room);
  } finally {
    await room.close();
  }
}

/** Returns each customer's maximum number of requests in progress while time passes. */
async function mostRunning(room: Room, ms: number): Promise<Map<string, number>> {
  const most = new Map<string, number>();
  await room.pass(ms, () => {
    for (const [customer, count] of room.running) {
      most.set(customer, Math.max(most.get(customer) ?? 0, count));
    }
  });
  return most;
}

Deno.test("25 endpoints that respond after 14 s do not delay another customer's delivery", () =>
  inRoom(async (room) => {
    await addCustomer(room.store, "a", { tier: "gpai" });
    for (let at = 0; at < 25; at++) await room.subscribe("a", `slow${at}`, 14_000);
    await room.publish("a", "slow", 40);
    await addCustomer(room.store, "b");
    await room.subscribe("b", "good", 0);
    room.start();
    for (let event = 0; event < 20; event++) {
      await room.pass(3_350);
      await room.publish("b", "good");
    }
    await room.pass(SOON_MS);
    assert.equal(room.lagsMs.get("good.b.example")?.length, 20);
    assert.ok(room.longestMs(/^good\.b/) <= 200, `${room.longestMs(/^good\.b/)} ms`);
    assert.ok(room.lagsMs.size === 26, "slow endpoints also receive deliveries");
  }, { concurrency: 50 }));

Deno.test("slow endpoints of many customers leave slots for others from the beginning", () =>
  inRoom(async (room) => {
    for (let at = 0; at < 12; at++) {
      const customer = (at + 16).toString(16);
      await addCustomer(room.store, customer, { tier: "gpai" });
      for (let each = 0; each < 10; each++) await room.subscribe(customer, `slow${each}`, 14_000);
      await room.publish(customer, "slow", 10);
    }
    await addCustomer(room.store, "f0");
    for (let at = 0; at < 5; at++) await room.subscribe("f0", `good${at}`, 20);
    room.start();
    for (let event = 0; event < 12; event++) {
      await room.publish("f0", "good");
      await room.pass(3_350);
    }
    assert.equal(room.lagsMs.get("good4.f0.example")?.length, 12);
    assert.ok(room.longestMs(/\.f0\./) <= SOON_MS, `${room.longestMs(/\.f0\./)} ms`);
  }));

Deno.test("a customer's working endpoints wait at most until the first attempts to reach its slow ones end", () =>
  inRoom(async (room) => {
    await addCustomer(room.store, "a", { tier: "gpai" });
    for (let at = 0; at < 12; at++) await room.subscribe("a", `hangs${at}`, null);
    for (let at = 0; at < 13; at++) await room.subscribe("a", `good${at}`, 20);
    await room.publish("a", "hangs", 20);
    room.start();
    for (let event = 0; event < 12; event++) {
      await room.publish("a", "good");
      await room.pass(3_350);
    }
    assert.equal(room.lagsMs.get("good12.a.example")?.length, 12);
    assert.ok(room.longestMs(/^good/) <= SOON_MS, `${room.longestMs(/^good/)} ms`);
  }, { concurrency: 40 }));

Deno.test("no customer uses more than a quarter of the slots while another waits", () =>
  inRoom(async (room) => {
    for (const customer of ["a", "b"]) {
      await addCustomer(room.store, customer, { tier: "gpai" });
      for (let at = 0; at < 10; at++) await room.subscribe(customer, `each${at}`, 600);
    }
    await room.publish("a", "each", 60);
    await room.publish("b", "each", 30);
    room.start();
    await room.pass(1_000); // long enough for the events of both customers to be matched
    const together = await mostRunning(room, 4_000);
    assert.deepEqual(Object.fromEntries(together), { a: 25, b: 25 });
    while (room.running.get("b") !== 0) await room.pass(STEP_MS);
    const alone = await mostRunning(room, 1_000);
    assert.ok((alone.get("a") ?? 0) > 25, `${alone.get("a")}`);
  }));

Deno.test("an endpoint that succeeds slowly is limited to the slots for probes, even after a restart", () =>
  inRoom(async (room) => {
    await addCustomer(room.store, "a", { tier: "gpai" });
    for (let at = 0; at < 20; at++) await room.subscribe("a", `slow${at}`, 3_000);
    await room.publish("a", "slow", 3);
    room.start();
    const first = await mostRunning(room, 500);
    assert.ok((first.get("a") ?? 0) > 25, "nothing is known about them yet");
    await room.pass(12_000);
    await room.publish("a", "slow", 5);
    const then = await mostRunning(room, 2_000);
    assert.ok((then.get("a") ?? 0) <= 17, `${then.get("a")} of 25 slow slots`);
    room.start(); // another process over the same store
    for (let at = 0; at < 20; at++) await room.pass(3_000);
    assert.ok([...room.lagsMs.values()].every((lags) => lags.length === 8), "all arrive eventually");
  }));

Deno.test("a failing endpoint gets at most as many attempts as slots until the failure is recorded", async () => {
  for (const status of [410, 500]) {
    const { deps, store, network, clock } = aQueue(200);
    network.endpoints.set(HOST, () => respond(network.requests.length <= 100 ? 204 : status));
    const finish = store.finishAttempts.bind(store);
    const disk = Promise.withResolvers<void>();
    store.finishAttempts = async (finished, nowMs) => {
      if (finished.some(({ next }) => next.kind !== "delivered")) await disk.promise;
      await finish(finished, nowMs);
    };
    await using loop = await runLoop(deps);
    for (let turn = 0; turn < 50; turn++) await clock.advance(5);
    assert.equal(network.requests.length, 104, `after ${status}`);
    disk.resolve();
    loop.stop();
    for (let turn = 0; turn < 10; turn++) await clock.advance(5);
  }
});
