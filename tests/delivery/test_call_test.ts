// What the API asks of the delivery room: a test delivery, and whether an address may be subscribed.
import assert from "node:assert/strict";
import { createDelivery } from "../../src/delivery/loop.ts";
import { NetworkError } from "../../src/domain/ports.ts";
import { deliveryPayload } from "../../src/wire/delivery.ts";
import { answer, aSubscription, aWorld, hang, settle, textOf } from "./stand_ins.ts";

const HOST = "hooks.receiver.example";
const SUB = aSubscription().id;

Deno.test("test() sends a synthetic delivery the way of every delivery, and shows nothing of the answer", async () => {
  const { deps, network, store, clock } = aWorld();
  network.endpoints.set(HOST, async (request) => {
    await clock.sleep(40, request.signal);
    return { ...answer(500), body: new TextEncoder().encode("internals of the receiver") };
  });
  const outcome = createDelivery(deps).test(aSubscription({ language: "de" }));
  await settle();
  await clock.advance(40);
  const { delivery_id, ...rest } = await outcome;
  assert.deepEqual(rest, {
    delivered: false,
    status_code: 500,
    duration_ms: 40,
    problem: "the endpoint answered 500",
  });
  const body = deliveryPayload.parse(JSON.parse(textOf(network.requests[0]?.body)));
  assert.deepEqual(
    [body.type, body.source, body.severity, body.language, body.delivery_id, body.subscription_id],
    ["event.test", "test", "info", "de", delivery_id, SUB],
  );
  assert.equal(network.requests[0]?.headers["webhook-id"], delivery_id);
  assert.equal(store.batches.length, 0);
});

Deno.test("test() takes the same guard", async () => {
  const { deps, network } = aWorld();
  network.addresses.set(HOST, ["169.254.169.254"]);
  const outcome = await createDelivery(deps).test(aSubscription());
  assert.deepEqual(
    [outcome.delivered, outcome.status_code, outcome.problem],
    [false, null, "this address cannot receive webhooks"],
  );
  assert.equal(network.requests.length, 0);
});

Deno.test("test() refuses more than 32 at once, and makes room again", async () => {
  const { deps, network, clock } = aWorld();
  network.endpoints.set(HOST, (request) => hang(request.signal));
  const delivery = createDelivery(deps);
  const under = Array.from({ length: 32 }, () => delivery.test(aSubscription()));
  await settle();
  await assert.rejects(delivery.test(aSubscription()), { name: "AppError", code: "unavailable" });
  await clock.advance(15_000);
  const outcomes = await Promise.all(under);
  assert.ok(outcomes.every((outcome) => outcome.problem === "no complete answer within 15 s"));
  network.endpoints.set(HOST, () => answer(200));
  assert.equal((await delivery.test(aSubscription())).delivered, true);
});

Deno.test("whyRefused() refuses at creation what would be refused at delivery", async () => {
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
  const unknown = createDelivery({
    ...deps,
    resolver: { resolve: () => Promise.reject(new NetworkError("host name not found")) },
  });
  assert.equal(await unknown.whyRefused("https://not-yet.example/"), null);
  const hanging = createDelivery({ ...deps, resolver: { resolve: (_host, signal) => hang(signal) } });
  const slow = hanging.whyRefused("https://slow.example/");
  await settle();
  await clock.advance(3_000);
  assert.equal(await slow, null);
});
