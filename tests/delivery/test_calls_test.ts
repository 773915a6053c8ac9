// Test deliveries, and the check of a webhook URL when a subscription is created.
import assert from "node:assert/strict";
import { createDelivery, type Delivery } from "../../src/delivery/loop.ts";
import type { TestOutcome } from "../../src/delivery/test_calls.ts";
import { NetworkError } from "../../src/domain/ports/ports.ts";
import { deliveryPayload } from "../../src/wire/delivery.ts";
import { A_TEST, aSubscription, aWorld, hang, HOST, respond, settle, textOf } from "./given.ts";

const SUB = aSubscription().id;

Deno.test("test() sends a synthetic delivery like any other, and does not return the response body", async () => {
  const { deps, network, store, clock } = aWorld();
  network.endpoints.set(HOST, async (request) => {
    await clock.sleep(40, request.signal);
    return { ...respond(500), body: new TextEncoder().encode("internals of the receiver") };
  });
  const outcome = createDelivery(deps).test(aSubscription({ language: "de" }), A_TEST);
  await settle();
  await clock.advance(40);
  const { delivery_id, ...rest } = await outcome;
  assert.deepEqual(rest, {
    delivered: false,
    status_code: 500,
    duration_ms: 40,
    problem: "the endpoint responded with 500",
  });
  const body = deliveryPayload.parse(JSON.parse(textOf(network.requests[0]?.body)));
  assert.deepEqual(
    [body.type, body.source, body.severity, body.language, body.delivery_id, body.subscription_id],
    ["event.test", "test", "info", "de", delivery_id, SUB],
  );
  assert.equal(network.requests[0]?.headers["webhook-id"], delivery_id);
  assert.equal(store.batches.length, 0);
});

Deno.test("test() refuses a private address as a delivery does", async () => {
  const { deps, network } = aWorld();
  network.addresses.set(HOST, ["169.254.169.254"]);
  const { delivered, problem } = await createDelivery(deps).test(aSubscription(), A_TEST);
  assert.deepEqual([delivered, problem], [false, "this URL cannot receive webhooks"]);
  assert.equal(network.requests.length, 0);
});

/** Starts `each` test calls for every customer. The calls hang. */
function callsOf(delivery: Delivery, customers: number, each: number): Promise<TestOutcome>[] {
  return Array.from(
    { length: customers * each },
    (_, at) => delivery.test(aSubscription({ customerId: `cus_${at % customers}` }), A_TEST),
  );
}

Deno.test("test() refuses a fourth concurrent call of a customer, and allows calls again when they end", async () => {
  const { deps, network, clock, store } = aWorld();
  network.endpoints.set(HOST, (request) => hang(request.signal));
  const delivery = createDelivery(deps);
  const own = callsOf(delivery, 1, 3);
  await settle();
  await assert.rejects(delivery.test(aSubscription({ customerId: "cus_0" }), A_TEST), {
    name: "AppError",
    code: "test_limit_reached",
    retryInSeconds: 15,
  });
  assert.equal(store.testCalls, 3, "a refused call is not counted");
  const other = delivery.test(aSubscription({ customerId: "cus_1" }), A_TEST);
  await settle();
  await clock.advance(15_000);
  for (const outcome of await Promise.all([...own, other])) {
    assert.equal(outcome.problem, "no complete response within 15 s");
  }
  network.endpoints.set(HOST, () => respond(200));
  assert.equal((await delivery.test(aSubscription({ customerId: "cus_0" }), A_TEST)).delivered, true);
});

Deno.test("test() refuses more than 100 concurrent calls of all customers", async () => {
  const { deps, network, clock } = aWorld();
  network.endpoints.set(HOST, (request) => hang(request.signal));
  const delivery = createDelivery(deps);
  const calls = callsOf(delivery, 50, 2);
  await settle();
  await assert.rejects(delivery.test(aSubscription(), A_TEST), { code: "unavailable", retryInSeconds: 15 });
  await clock.advance(15_000);
  assert.equal((await Promise.all(calls)).length, 100);
});

Deno.test("whyRefused() refuses what a delivery would refuse, and permits hosts that cannot be resolved now", async () => {
  const { deps, network, clock } = aWorld();
  network.addresses.set("private.example", ["192.168.1.9"]);
  network.addresses.set("mixed.example", ["1.1.1.1", "::1"]);
  const delivery = createDelivery(deps);
  const rows: [url: string, accepted: boolean][] = [
    ["https://hooks.receiver.example/in", true],
    ["https://private.example/", false],
    ["https://mixed.example/", false],
    ["https://localhost/", false],
    ["https://10.0.0.1/", false],
    ["http://hooks.receiver.example/in", false],
    ["hooks", false],
  ];
  for (const [url, accepted] of rows) assert.equal(await delivery.whyRefused(url) === null, accepted, url);
  const resolver = { resolve: () => Promise.reject(new NetworkError("host name not found")) };
  const unknown = createDelivery({ ...deps, resolver });
  assert.equal(await unknown.whyRefused("https://not-yet.example/"), null);
  const hanging = createDelivery({ ...deps, resolver: { resolve: (_host, signal) => hang(signal) } });
  const slow = hanging.whyRefused("https://slow.example/");
  await settle();
  await clock.advance(3_000);
  assert.equal(await slow, null);
});
