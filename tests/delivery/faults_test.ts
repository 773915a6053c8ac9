// The delivery loop keeps its limits despite random faults of endpoints, the store and the process.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { type IncomingResponse, NetworkError, type OutgoingRequest } from "../../src/domain/ports/ports.ts";
import { aSubscription, aWorld, hang, respond, runLoop } from "./given.ts";

const CONCURRENCY = 6;
const PER_SUBSCRIPTION = 2;
const DAY_MS = 86_400_000;

const BEHAVIOURS: ((request: OutgoingRequest) => IncomingResponse | Promise<IncomingResponse>)[] = [
  () => respond(200),
  () => respond(500),
  () => respond(503, { "retry-after": "3600" }),
  () => respond(302, { location: "http://127.0.0.1/" }),
  () => Promise.reject(new NetworkError("connection reset")),
  (request) => hang(request.signal),
  () => {
    throw new TypeError("broken here");
  },
];

const faults = fc.record({
  behaviours: fc.array(fc.nat(BEHAVIOURS.length - 1), { minLength: 10, maxLength: 40 }),
  failing: fc.array(fc.boolean(), { minLength: 5, maxLength: 60 }),
  /** Steps by which the clock advances, ms. */
  steps: fc.array(fc.constantFrom(10, 200, 1_000, 4_000, 5_000, 16_000, 120_000), {
    minLength: 5,
    maxLength: 40,
  }),
  /** Whether the process is stopped and restarted after each step. */
  restarts: fc.array(fc.nat(7).map((one) => one === 0), { minLength: 10, maxLength: 20 }),
});

/** Returns four subscriptions with six deliveries each, and endpoints that record violated limits. */
function aStage(behaviourOf: (request: number) => number) {
  const limits = { concurrency: CONCURRENCY, concurrencyPerSubscription: PER_SUBSCRIPTION };
  const world = aWorld(limits);
  const { store, network } = world;
  const underWay = new Map<string, string[]>();
  const arrived = new Set<string>();
  /** Violations are collected, because the loop would treat a failed assertion in an endpoint as another fault. */
  const broken: string[] = [];

  async function receive(host: string, request: OutgoingRequest): Promise<IncomingResponse> {
    const id = request.headers["webhook-id"] ?? "";
    const ids = underWay.get(host) ?? [];
    if (ids.includes(id)) broken.push(`${id} is sent twice at once`);
    if (ids.length >= PER_SUBSCRIPTION) broken.push(`${host} gets more than its share`);
    underWay.set(host, [...ids, id]);
    // Slow attempts have separate slots, as many as the other attempts.
    if ([...underWay.values()].flat().length > 2 * CONCURRENCY) broken.push("too many at once");
    try {
      const response = await BEHAVIOURS[behaviourOf(network.requests.length)]?.(request) ?? respond(200);
      if (response.status === 200) arrived.add(id);
      return response;
    } finally {
      underWay.set(host, (underWay.get(host) ?? []).filter((other) => other !== id));
    }
  }

  for (let at = 0; at < 4; at++) {
    const host = `receiver-${at}.example`;
    store.subscriptions.push(aSubscription({ id: `sub_${at}`, webhookUrl: `https://${host}/in` }));
    network.endpoints.set(host, (request) => receive(host, request));
    for (let each = 0; each < 6; each++) store.enqueue(`sub_${at}`, { id: `dlv_${at}_${each}` });
  }
  return { ...world, arrived, broken };
}

/** Starts a process that runs the loop and can be stopped and restarted. */
async function aProcess({ deps, clock }: Pick<ReturnType<typeof aStage>, "deps" | "clock">) {
  let loop = await runLoop(deps);
  const end = async (): Promise<void> => {
    loop.stop();
    let ended = false;
    loop.stopped.then(() => ended = true);
    for (let second = 0; second < 10 && !ended; second++) await clock.advance(1_000);
    assert.ok(ended, "the loop ends within ten seconds");
  };
  const restart = async (): Promise<void> => {
    await end();
    loop = await runLoop(deps);
  };
  return { end, restart };
}

Deno.test("run() keeps its limits and loses no delivery, whichever part fails", async () => {
  await fc.assert(
    fc.asyncProperty(faults, async ({ behaviours, failing, steps, restarts }) => {
      let faultsEnded = false;
      const stage = aStage((request) => faultsEnded ? 0 : behaviours[request % behaviours.length] ?? 0);
      let calls = 0;
      for (const method of ["matchEvents", "claimDeliveries", "releaseHeld", "finishAttempts"]) {
        const fails = () => !faultsEnded && failing[calls++ % failing.length];
        stage.store.failing.set(method, () => fails() ? new Error("disk full") : null);
      }
      const process = await aProcess(stage);
      for (const [at, step] of steps.entries()) {
        await stage.clock.advance(step);
        if (restarts[at % restarts.length]) await process.restart();
      }
      faultsEnded = true;
      for (let day = 0; day < 3; day++) {
        for (let turn = 0; turn < 30; turn++) await stage.clock.advance(DAY_MS / 30);
        for (let turn = 0; turn < 100; turn++) await stage.clock.advance(200);
      }
      await process.end();
      assert.deepEqual(stage.broken, []);
      for (const { claimed, status } of stage.store.queue) {
        assert.equal(status, "delivered", claimed.id);
        assert.ok(stage.arrived.has(claimed.id), claimed.id);
      }
      assert.equal(stage.clock.sleeping, 0);
    }),
    { numRuns: 100 },
  );
});
