// Attempts are recorded in batches.
import assert from "node:assert/strict";
import { createRecorder } from "../../../src/delivery/send/attempt_recorder.ts";
import type { FinishedAttempt } from "../../../src/domain/delivery/delivery.ts";
import { fakeLog, jumpingClock, settle, START_MS } from "../given.ts";

function finished(deliveryId: string): FinishedAttempt {
  const webhookUrl = "https://a.example/";
  return {
    ...{ deliveryId, subscriptionId: "sub_1", webhookUrl, attempt: 1, tries: 1, mailId: null },
    result: {
      ...{ startedAtMs: START_MS, durationMs: 5, statusCode: 200 },
      ...{ problem: null, retryAtMs: null, response: null },
    },
    next: { kind: "delivered" },
  };
}

/**
 * Returns a store that lists its batches. While `held` is set, a batch waits for `release`. A batch for which
 * `broken` returns true is not recorded.
 */
function aStore(broken: (batch: readonly FinishedAttempt[]) => boolean = () => false) {
  const batches: string[][] = [];
  let release: () => void = () => {};
  const store = {
    batches,
    held: false,
    release: () => release(),
    finishAttempts: async (batch: readonly FinishedAttempt[]) => {
      batches.push(batch.map((one) => one.deliveryId));
      if (store.held) await new Promise<void>((resolve) => release = resolve);
      if (broken(batch)) throw new Error("disk full");
    },
  };
  return store;
}

function aRecorder(store: ReturnType<typeof aStore>) {
  const clock = jumpingClock();
  const log = fakeLog();
  const { record, flushSoon, flush } = createRecorder({ store, clock, log });
  const recorder = {
    flushSoon,
    flush,
    /** Resolves with true when the attempt is recorded, and with false if it cannot be. */
    record: (one: FinishedAttempt) => new Promise<boolean>((settle) => record(one, settle)),
  };
  return { clock, log, recorder };
}

Deno.test("createRecorder() records attempts that end at about the same time in one batch, even while it writes", async () => {
  const store = aStore();
  store.held = true;
  const { recorder, clock } = aRecorder(store);
  const first = [recorder.record(finished("a")), recorder.record(finished("b"))];
  await clock.advance(19);
  first.push(recorder.record(finished("c")));
  await settle();
  assert.deepEqual(store.batches, []);
  await clock.advance(1);
  const second = [recorder.record(finished("d")), recorder.record(finished("e"))];
  await clock.advance(5);
  assert.deepEqual(store.batches, [["a", "b", "c"]]);
  store.release();
  assert.deepEqual(await Promise.all(first), [true, true, true]);
  await clock.advance(14);
  second.push(recorder.record(finished("f")));
  await settle();
  assert.equal(store.batches.length, 1, "the second batch waits for 20 ms");
  await clock.advance(1);
  const third = recorder.record(finished("g"));
  assert.deepEqual(store.batches, [["a", "b", "c"], ["d", "e", "f"]]);
  await clock.advance(20); // "g" is due, but the second batch is still being written
  store.release();
  assert.deepEqual(await Promise.all(second), [true, true, true]);
  await settle();
  assert.deepEqual(store.batches[2], ["g"]);
  store.release();
  assert.equal(await third, true);
});

Deno.test("flushSoon() records the waiting attempts, and later ones wait again", async () => {
  const store = aStore();
  const { recorder, clock } = aRecorder(store);
  recorder.flushSoon();
  const first = recorder.record(finished("a"));
  recorder.flushSoon();
  assert.equal(await first, true);
  const second = recorder.record(finished("b"));
  await settle();
  assert.deepEqual(store.batches, [["a"]]);
  await clock.advance(20);
  assert.equal(await second, true);
});

Deno.test("flush() records the waiting attempts at once, and the recorder continues", async () => {
  const store = aStore();
  const { recorder, clock } = aRecorder(store);
  await recorder.flush();
  for (const id of ["a", "b"]) {
    const recorded = recorder.record(finished(id));
    await recorder.flush();
    assert.equal(await recorded, true);
  }
  assert.deepEqual(store.batches, [["a"], ["b"]]);
  assert.equal(clock.sleeping, 0);
});

Deno.test("createRecorder() logs an attempt that cannot be recorded, and records the others", async () => {
  const store = aStore((batch) => batch.some((one) => one.deliveryId === "bad"));
  const { recorder, log } = aRecorder(store);
  const outcomes = Promise.all(["a", "bad", "c"].map((id) => recorder.record(finished(id))));
  await recorder.flush();
  assert.deepEqual(await outcomes, [true, false, true]);
  assert.deepEqual(store.batches, [["a", "bad", "c"], ["a"], ["bad"], ["c"]]);
  assert.deepEqual(log.lines.map((line) => [line.level, line.fields["delivery"]]), [["error", "bad"]]);
});

Deno.test("createRecorder() writes many concurrent attempts in batches of bounded size", async () => {
  const store = aStore();
  const { recorder } = aRecorder(store);
  const ids = Array.from({ length: 1_234 }, (_, at) => `dlv_${at}`);
  await Promise.all(ids.map((id) => recorder.record(finished(id))));
  assert.deepEqual(store.batches.map((batch) => batch.length), [500, 500, 234]);
  assert.deepEqual(store.batches.flat(), ids);
});
