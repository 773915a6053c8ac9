// The real clock: sleeping, aborts and deadlines.
import assert from "node:assert/strict";
import { DeadlineError } from "../../src/domain/ports/ports.ts";
import { createClock } from "../../src/platform/clock.ts";
import { LOOPBACK } from "../support/loopback.ts";

const clock = createClock();
const LONG_MS = 86_400_000;

Deno.test("sleep() resolves after its time", async () => {
  await clock.sleep(1);
});

Deno.test("sleep(0) lets waiting work run", async () => {
  let isServed = false;
  setTimeout(() => isServed = true, 0);
  for (const startMs = Date.now(); !isServed && Date.now() - startMs < 10_000;) await clock.sleep(0);
  assert.ok(isServed);
});

Deno.test("sleep(0) lets the server respond between the pieces of five tasks", async () => {
  await using server = Deno.serve(LOOPBACK, () => new Response());
  const address = `http://127.0.0.1:${server.addr.port}`;
  let pieces = 0;
  let isOver = false;
  const tasks = Array.from({ length: 5 }, async () => {
    while (!isOver) {
      for (const startMs = performance.now(); performance.now() - startMs < 5;);
      pieces++;
      await clock.sleep(0);
    }
  });
  const during: number[] = [];
  for (let request = 0; request < 20; request++) {
    const before = pieces;
    await (await fetch(address)).body?.cancel();
    during.push(pieces - before);
  }
  isOver = true;
  await Promise.all(tasks);
  during.sort((a, b) => a - b);
  // Sending, accepting, responding and receiving each wait for one piece of work. With separate timers they would wait
  // for all five.
  assert.ok((during[10] ?? NaN) < 10, `pieces of work during a request: ${during}`);
});

Deno.test("sleep() resolves when its signal aborts, and leaves no timer", async () => {
  await clock.sleep(LONG_MS, AbortSignal.abort());
  const controller = new AbortController();
  const sleeping = clock.sleep(LONG_MS, controller.signal);
  controller.abort();
  await sleeping;
});

Deno.test("sleep() longer than a timer's maximum does not end at once", async () => {
  const controller = new AbortController();
  let isAwake = false;
  const sleeping = clock.sleep(2 ** 40, controller.signal).then(() => isAwake = true);
  await clock.sleep(5);
  assert.equal(isAwake, false);
  controller.abort();
  await sleeping;
});

Deno.test("within() rejects with the error of the work and leaves no timer", async () => {
  await assert.rejects(clock.within(LONG_MS, () => Promise.reject(new Error("broken"))), /broken/);
  await assert.rejects(
    clock.within(LONG_MS, () => {
      throw new Error("broken at once");
    }),
    /broken at once/,
  );
});

Deno.test("within() rejects with the stop signal's reason, even if the work continues", async () => {
  const stop = new AbortController();
  let reason: unknown;
  const bounded = clock.within(LONG_MS, (signal) => {
    signal.addEventListener("abort", () => reason = signal.reason);
    return new Promise(() => {});
  }, stop.signal);
  stop.abort(new Error("stopped"));
  await assert.rejects(bounded, /stopped/);
  assert.equal(reason, stop.signal.reason);
});

Deno.test("within() rejects with a DeadlineError after its time, even if the work continues", async () => {
  let reason: unknown;
  const late = Promise.withResolvers<void>();
  const bounded = clock.within(1, (signal) => {
    signal.addEventListener("abort", () => reason = signal.reason);
    return late.promise;
  });
  await assert.rejects(bounded, (error: unknown) => error instanceof DeadlineError && error.ms === 1);
  assert.ok(reason instanceof DeadlineError);
  // A late rejection is not reported as unhandled.
  late.reject(new Error("too late"));
});
