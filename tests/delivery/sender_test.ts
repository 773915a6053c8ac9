// Where attempts are made: on another thread while there are many, with the same outcome, whatever becomes of that thread.
import assert from "node:assert/strict";
import { BrokeOffElsewhere } from "../../src/delivery/attempt_names.ts";
import { createAddressPolicy } from "../../src/delivery/guard.ts";
import { createDelivery } from "../../src/delivery/loop.ts";
import type { Message } from "../../src/delivery/send.ts";
import { Sender } from "../../src/delivery/sender.ts";
import { createSendingThread } from "../../src/delivery/sending_thread.ts";
import type { AttemptResult } from "../../src/domain/delivery.ts";
import type { ThreadProgram } from "../../src/domain/ports.ts";
import { Stopper } from "../../src/domain/stop.ts";
import { answer, aSubscription, aWorld, type FakeClock, FakeNetwork, hang, settle } from "./stand_ins.ts";

const HOST = "hooks.receiver.example";
const MANY = 250;
const BROKEN_OFF = "the attempt broke off on the sender's side";

/** A program that runs here and is in the test's hand. */
interface FakeProgram extends ThreadProgram {
  /** Those that were begun. */
  readonly begun: { isEnded: boolean; told: number; break(reason: string): void }[];
  /** What the thread reaches, which is not what the first one does. */
  readonly network: FakeNetwork;
  /** Whether threads that begin get ready. */
  getsReady: boolean;
  /** Whether they do what they are told, once they are ready. */
  works: boolean;
}

function fakeProgram(clock: FakeClock): FakeProgram {
  const program: FakeProgram = {
    begun: [],
    network: new FakeNetwork(),
    getsReady: true,
    works: true,
    begin({ hear, broke }) {
      const { network } = program;
      const prepare = () => program.getsReady ? Promise.resolve() : new Promise<void>(() => {});
      const tell = (said: unknown): void => {
        // Another thread gets copies, and of data only.
        if (!thread.isEnded) hear(structuredClone(said));
      };
      const world = { http: network, resolver: network, clock, afterTurn: queueMicrotask, prepare };
      const heard = createSendingThread(world, tell);
      const thread = {
        isEnded: false,
        told: 0,
        break(reason: string) {
          thread.isEnded = true;
          broke(reason);
        },
      };
      program.begun.push(thread);
      return {
        tell(message) {
          assert.equal(thread.isEnded, false, "a thread that has ended is told something");
          thread.told++;
          if (thread.told === 1 || program.works) heard(structuredClone(message));
        },
        end: () => void (thread.isEnded = true),
      };
    },
  };
  return program;
}

const aMessage = (change: Partial<Message> = {}): Message => ({
  id: "dlv_1",
  webhookUrl: `https://${HOST}/in`,
  webhookSecrets: ["0123456789abcdef".repeat(4)],
  body: new TextEncoder().encode("{}"),
  ...change,
});

/** A sender, and the worlds of both its threads; every message of {@link anAnswered} is answered by both. */
function aSender() {
  const world = aWorld();
  const { deps, clock, network, log } = world;
  const program = fakeProgram(clock);
  for (const reached of [network, program.network]) reached.endpoints.set(HOST, () => answer(204));
  const sending = { ...deps, policy: createAddressPolicy(deps.policy) };
  const stop = new Stopper();
  const sender = new Sender({ sending, settings: deps, program, log });
  const send = (change: Partial<Message> = {}) => sender.send(aMessage(change), stop);
  /** Sends much, so that a thread is begun, and lets that get ready. */
  const sendMuch = async (): Promise<void> => {
    await Promise.all(Array.from({ length: MANY }, () => send()));
    sender.look();
    await settle();
  };
  return { clock, here: network, there: program.network, log, program, sender, send, sendMuch, stop };
}

Deno.test("send() makes attempts here until there are many, then on the thread, and ends that when it is long over", async () => {
  const { here, there, clock, program, sender, send, sendMuch } = aSender();
  for (let second = 0; second < 5; second++) {
    for (let at = 0; at < MANY - 1; at++) await send();
    sender.look();
    await clock.advance(1_000);
    sender.look();
  }
  assert.equal(program.begun.length, 0, "so many a second are not many");
  await sendMuch();
  assert.equal(program.begun.length, 1);
  const sentHere = here.requests.length;
  await send();
  assert.equal(here.requests.length, sentHere);
  const [request] = there.requests;
  assert.equal(request?.headers["webhook-id"], "dlv_1");
  assert.match(request?.headers["webhook-signature"] ?? "", /^v1,\S+ v1,\S+$/);
  await clock.advance(29_000);
  sender.look();
  assert.equal(program.begun[0]?.isEnded, false);
  await clock.advance(1_000);
  sender.look();
  assert.equal(program.begun[0]?.isEnded, true);
  await send();
  assert.equal(here.requests.length, sentHere + 1);
});

Deno.test("send() gives of the thread what it gives of this one: statuses, words, times, and what the guard refuses", async () => {
  const { here, there, clock, send, sendMuch } = aSender();
  const endpoints = {
    "gone.example": () => answer(410),
    "busy.example": () => answer(503, { "retry-after": "120" }),
    "moved.example": () => answer(302, { location: "http://127.0.0.1/" }),
    "wordy.example": () => ({ ...answer(500), body: new TextEncoder().encode("no\0thing") }),
    "inside.example": () => answer(204),
    "slow.example": ({ signal }: { signal: Parameters<typeof hang>[0] }) => hang(signal),
  };
  for (const reached of [here, there]) {
    for (const [host, endpoint] of Object.entries(endpoints)) reached.endpoints.set(host, endpoint);
    reached.addresses.set("inside.example", ["93.184.215.14", "10.0.0.1"]);
  }
  const urls = ["https://127.0.0.1/", "http://plain.example/", "https://nobody.example/"].concat(
    Object.keys(endpoints).map((host) => `https://${host}/in`),
  );
  const sendAll = async (): Promise<AttemptResult[]> => {
    const results = Promise.all(urls.map((webhookUrl) => send({ webhookUrl })));
    await settle();
    await clock.advance(15_000);
    return await results;
  };
  const before = await sendAll();
  await sendMuch();
  const sentHere = here.requests.length;
  const after = await sendAll();
  const words = (results: AttemptResult[]) =>
    results.map(({ retryAtMs, startedAtMs, ...rest }) => ({
      ...rest,
      retryInMs: retryAtMs === null ? null : retryAtMs - startedAtMs,
    }));
  assert.deepEqual(words(after), words(before));
  assert.deepEqual(
    after.map(({ problem }) => problem),
    [
      "this address cannot receive webhooks",
      "this address cannot receive webhooks",
      "connection refused",
      "the endpoint answered 410: it is gone",
      "the endpoint answered 503",
      "the endpoint answered 302; redirects are not followed",
      "the endpoint answered 500",
      "this address cannot receive webhooks",
      "no complete answer within 15 s",
    ],
  );
  assert.equal(here.requests.length, sentHere);
  const reached = there.requests.map(({ url }) => url.hostname);
  assert.ok(!reached.includes("inside.example") && !reached.includes("127.0.0.1"), String(reached));
});

Deno.test("a thread that breaks leaves what it had as failed, is told of once, and another begins only later", async () => {
  const { here, there, clock, log, program, send, sendMuch } = aSender();
  await sendMuch();
  there.endpoints.set(HOST, ({ signal }) => hang(signal));
  const lost = [send(), send(), send()];
  await settle();
  await clock.advance(100);
  program.begun[0]?.break("out of its mind");
  for (const { problem, statusCode, durationMs } of await Promise.all(lost)) {
    assert.deepEqual([problem, statusCode, durationMs], [BROKEN_OFF, null, 100]);
  }
  const errors = log.lines.filter(({ level }) => level === "error");
  assert.deepEqual(errors.map(({ fields }) => fields), [{ cause: "out of its mind", attempts: 3 }]);
  const sentHere = here.requests.length;
  await sendMuch();
  assert.equal(here.requests.length, sentHere + MANY, "meanwhile all is sent here");
  assert.equal(program.begun.length, 1);
  await clock.advance(60_000);
  await sendMuch();
  assert.equal(program.begun.length, 2);
});

Deno.test("a thread that hangs is ended when an attempt is long over its time", async () => {
  const { clock, log, program, send, sendMuch } = aSender();
  await sendMuch();
  program.works = false;
  const lost = send();
  await settle();
  await clock.advance(24_999);
  assert.equal(program.begun[0]?.isEnded, false);
  await clock.advance(1);
  assert.equal((await lost).problem, BROKEN_OFF);
  assert.equal(program.begun[0]?.isEnded, true);
  assert.deepEqual(log.lines.at(-1)?.fields, { cause: "no word for 25 s", attempts: 1 });
});

Deno.test("a thread that does not get ready is given nothing, and ended", async () => {
  const { here, clock, program, sender, send, sendMuch } = aSender();
  program.getsReady = false;
  await sendMuch();
  await send();
  assert.equal(here.requests.length, MANY + 1);
  assert.equal(program.begun[0]?.told, 1);
  await clock.advance(30_000);
  sender.look();
  assert.equal(program.begun[0]?.isEnded, true);
});

Deno.test("a program that cannot even begin is told of, and all is sent here", async () => {
  const { here, log, program, send, sendMuch } = aSender();
  program.begin = () => {
    throw new Error("no room for a thread");
  };
  await sendMuch();
  await send();
  assert.equal(here.requests.length, MANY + 1);
  assert.deepEqual(log.lines.at(-1)?.fields, { cause: "Error: no room for a thread", attempts: 0 });
});

Deno.test("what is broken within the thread breaks one attempt off, and says where without a word of the message", async () => {
  const { there, program, send, sendMuch } = aSender();
  await sendMuch();
  there.endpoints.set(HOST, () => {
    throw new TypeError(`cannot read https://${HOST}/in`);
  });
  await assert.rejects(send(), (error) => {
    assert.ok(error instanceof BrokeOffElsewhere);
    assert.match(error.where, /^TypeError at /);
    assert.doesNotMatch(error.where + error.message, new RegExp(HOST));
    return true;
  });
  there.endpoints.set(HOST, () => answer(204));
  assert.equal((await send()).statusCode, 204);
  assert.equal(program.begun[0]?.isEnded, false);
});

Deno.test("end() lets the thread finish what it has; a stop gives it up at once, with its reason", async () => {
  const { here, there, clock, program, sender, send, sendMuch, stop } = aSender();
  await sendMuch();
  let letGo = (): void => {};
  there.endpoints.set(HOST, async () => {
    await new Promise<void>((end) => letGo = end);
    return answer(204);
  });
  const last = send();
  await settle();
  sender.end();
  assert.equal(program.begun[0]?.isEnded, false);
  const sentHere = here.requests.length;
  await send();
  assert.equal(here.requests.length, sentHere + 1);
  letGo();
  assert.equal((await last).statusCode, 204);
  assert.equal(program.begun[0]?.isEnded, true);

  await sendMuch();
  there.endpoints.set(HOST, ({ signal }) => hang(signal));
  const given = send();
  const reason = new Error("the service is stopping");
  stop.abort(reason);
  await assert.rejects(given, reason);
  sender.end();
  assert.equal(program.begun[1]?.isEnded, true);
  assert.equal(clock.sleeping, 0, "no deadline is left");
  await assert.rejects(send(), reason);
});

Deno.test("run() sends a queue over the thread, and after that broke every delivery under its own id, none lost", async () => {
  const { deps, store, network: here, clock, log } = aWorld({
    concurrency: 50,
    concurrencyPerSubscription: 50,
  });
  const program = fakeProgram(clock);
  store.subscriptions.push(aSubscription());
  const count = 2_000;
  for (let at = 0; at < count; at++) store.enqueue(aSubscription().id, { id: `dlv_${at}` });
  const arrived: string[] = [];
  let isBroken = false;
  for (const reached of [here, program.network]) {
    reached.endpoints.set(HOST, ({ headers }) => {
      arrived.push(headers["webhook-id"] ?? "");
      return answer(204);
    });
  }
  // In the midst of its work, with answers that nobody will hear of.
  program.network.endpoints.set(HOST, ({ headers }) => {
    arrived.push(headers["webhook-id"] ?? "");
    if (!isBroken && program.network.requests.length === 400) {
      isBroken = true;
      program.begun[0]?.break("on purpose");
    }
    return answer(204);
  });
  const running = new AbortController();
  const delivery = createDelivery({ ...deps, sender: program });
  const done = delivery.run(running.signal);
  for (let step = 0; step < 4_000 && store.queue.some(({ status }) => status !== "delivered"); step++) {
    await clock.advance(20);
  }
  running.abort();
  for (let step = 0; step < 10; step++) await clock.advance(1_000);
  await done;
  assert.ok(isBroken, "the thread was never begun");
  assert.equal(store.queue.filter(({ status }) => status === "delivered").length, count);
  assert.equal(new Set(arrived).size, count);
  const twice = arrived.length - count;
  assert.ok(twice > 0 && twice <= 50, `${twice} came twice`);
  assert.equal(log.lines.filter(({ level }) => level === "error").length, 1);
  assert.ok(program.begun.every(({ isEnded }) => isEnded));
});
