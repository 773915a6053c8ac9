// Worker threads run tasks one at a time, within limits.
import assert from "node:assert/strict";
import { join } from "node:path";
import { WorkerLimitError } from "../../../src/domain/ports/ports.ts";
import {
  createThread,
  type Thread,
  type ThreadOptions,
} from "../../../src/platform/process/worker_thread.ts";
import { MIGRATIONS } from "../../../src/store/sqlite/schema/migrate.ts";
import { openVaultFile } from "../../../src/platform/vault.ts";
import { openStore } from "../../../src/store/sqlite/store.ts";
import { needs, WORKER_EXITS } from "../../support/needs.ts";
import { anEvent, publish } from "../../store/contract/given.ts";

const DATABASE_WORKER = new URL("../../../src/database_worker.ts", import.meta.url);

const MB = 1024 * 1024;

const TASKS = new URL("../../support/workers/sample_worker.ts", import.meta.url);

async function withThread(
  work: (thread: Thread) => Promise<void>,
  options: ThreadOptions = {},
): Promise<void> {
  const thread = createThread(TASKS, options);
  try {
    await work(thread);
  } finally {
    thread.end();
  }
}

Deno.test("the database worker inspects a database and returns errors", async () => {
  const folder = await Deno.makeTempDir({ prefix: "regfeed-thread-" });
  const thread = createThread(DATABASE_WORKER);
  try {
    const file = join(folder, "regfeed.db");
    await assert.rejects(thread.call("inspect", join(folder, "not", "there.db")), /unable to open database/);
    const store = openStore(file, (options) => openVaultFile(`${file}.key`, options));
    await publish(store, [anEvent("evt_1"), anEvent("evt_2")]);
    await store.close();
    const [facts] = await Promise.all([
      thread.call("inspect", file),
      thread.call("migrate", { path: file, keyFile: `${file}.key` }),
    ]);
    const { schema, rows, problems } = facts as {
      schema: number;
      rows: Record<string, number>;
      problems: string[];
    };
    assert.deepEqual([schema, rows["events"], problems], [MIGRATIONS.length, 2, []]);
    await assert.rejects(thread.call("dance", ""), /there is no task dance/);
  } finally {
    thread.end();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("end() rejects all calls, and a later call starts another worker", () =>
  withThread(async (thread) => {
    const calls = [thread.call("loop", null, { timeoutMs: 2_000 }), thread.call("count", null)];
    thread.end();
    for (const call of await Promise.allSettled(calls)) {
      assert.match(String((call as PromiseRejectedResult).reason), /the worker thread was terminated/);
    }
    assert.equal(await thread.call("count", null), 1);
  }));

Deno.test("a worker keeps its state between calls and ends when idle", () =>
  withThread(async (thread) => {
    assert.deepEqual(await Promise.all([thread.call("count", null), thread.call("count", null)]), [1, 2]);
    await new Promise((resolve) => setTimeout(resolve, 0)); // started after the thread's timer, so it fires later
    assert.equal(await thread.call("count", null), 1);
  }, { idleMs: 0 }));

Deno.test("an argument that cannot be cloned and a thrown error reject only their call", () =>
  withThread(async (thread) => {
    await assert.rejects(thread.call("count", () => {}), /could not be cloned/);
    await assert.rejects(thread.call("fail", "on purpose"), { name: "TypeError", message: "on purpose" });
    assert.equal(await thread.call("count", null), 1);
  }));

Deno.test(
  needs("the exit of the worker rejects only its call", WORKER_EXITS),
  () =>
    withThread(async (thread) => {
      const [exited, after] = await Promise.allSettled([
        thread.call("exit", null),
        thread.call("count", null),
      ]);
      assert.match(String((exited as PromiseRejectedResult).reason), /the worker thread exited/);
      assert.deepEqual(after, { status: "fulfilled", value: 1 });
    }),
);

Deno.test("a task that exceeds its time is stopped, and the time of waiting tasks starts when they run", () =>
  withThread(async (thread) => {
    const stuck = thread.call("loop", null, { timeoutMs: 1_500 });
    const waiting = thread.call("count", null, { timeoutMs: 1_000 });
    await assert.rejects(
      stuck,
      (error) => error instanceof WorkerLimitError && error.kind === "time" && error.limit === 1_500,
    );
    assert.equal(await waiting, 1);
  }));

Deno.test("an endless regular expression is stopped", () =>
  withThread(async (thread) => {
    const call = thread.call("match", { pattern: "(a+)+$", text: `${"a".repeat(60)}!` }, {
      timeoutMs: 200,
    });
    await assert.rejects(call, WorkerLimitError);
    assert.equal(await thread.call("count", null), 1);
  }));

Deno.test("a stopped task does not continue", () =>
  withThread(async (thread) => {
    const counter = new SharedArrayBuffer(4);
    const counts = new Int32Array(counter);
    await assert.rejects(thread.call("loop", counter, { timeoutMs: 200 }), WorkerLimitError);
    const counted = Atomics.load(counts, 0);
    assert.notEqual(counted, 0);
    await new Promise((later) => setTimeout(later, 300));
    assert.equal(Atomics.load(counts, 0), counted);
  }));

Deno.test("a task that cannot be stopped is abandoned, and the next one gets another worker", () =>
  withThread(async (thread) => {
    const startMs = performance.now();
    await assert.rejects(thread.call("parse", 40_000_000, { timeoutMs: 100 }), WorkerLimitError);
    assert.equal(await thread.call("count", null), 1);
    assert.ok(performance.now() - startMs < 10_000);
  }));

Deno.test("a task that exceeds the memory limit is stopped, and the next one runs", () =>
  withThread(async (thread) => {
    for (let round = 0; round < 3; round++) {
      await assert.rejects(
        thread.call("eat", null, { timeoutMs: 60_000 }),
        (error) => error instanceof WorkerLimitError && error.kind === "memory" && error.limit === 200 * MB,
      );
      assert.equal(await thread.call("count", null), 1);
    }
  }, { maxHeapMb: 200 }));

Deno.test("a signal ends a running and a waiting task", () =>
  withThread(async (thread) => {
    const [running, waiting] = [new AbortController(), new AbortController()];
    const calls = [running, waiting].map(({ signal }) =>
      thread.call("loop", null, { signal, timeoutMs: 2_000 })
    );
    waiting.abort(new Error("not needed any more"));
    running.abort(new Error("stopped"));
    const reasons = (await Promise.allSettled(calls)).map((call) =>
      String((call as PromiseRejectedResult).reason)
    );
    assert.deepEqual(reasons, ["Error: stopped", "Error: not needed any more"]);
    await assert.rejects(thread.call("count", null, { signal: running.signal }), /stopped/);
    assert.equal(await thread.call("count", null), 1);
  }));

Deno.test("a long array arrives completely, and blocks this thread only in short parts", () =>
  withThread(async (thread) => {
    assert.deepEqual(await thread.call("list", 0), []);
    const expected = Array.from({ length: 400_000 }, (_, at) => ({ at }));
    const startMs = performance.now();
    structuredClone(expected);
    const cloneMs = performance.now() - startMs;
    let lastMs = performance.now();
    let longestMs = 0;
    const timer = setInterval(() => {
      const nowMs = performance.now();
      longestMs = Math.max(longestMs, nowMs - lastMs);
      lastMs = nowMs;
    }, 1);
    const results = await Promise.all([thread.call("list", expected.length), thread.call("list", 3)]);
    clearInterval(timer);
    assert.deepEqual(results.map((result) => (result as unknown[]).length), [expected.length, 3]);
    assert.deepEqual((results[0] as unknown[]).at(-1), expected.at(-1));
    assert.ok(longestMs < cloneMs / 2, `${longestMs} ms, and ${cloneMs} ms for a clone`);
  }));

Deno.test("a task that exceeds its first time slice waits for the others, and then gets its whole time", () =>
  withThread(async (thread) => {
    await thread.call("count", null);
    const order: string[] = [];
    const slow = [1, 2, 3].map(() =>
      assert.rejects(
        thread.call("loop", null, { timeoutMs: 1_500 }).finally(() => order.push("slow")),
        (error) => error instanceof WorkerLimitError && error.limit === 1_500,
      )
    );
    const quick = [1, 2].map(() =>
      thread.call("list", 1, { timeoutMs: 1_500 }).finally(() => order.push("quick"))
    );
    await Promise.all([...slow, ...quick]);
    assert.deepEqual(order, ["quick", "quick", "slow", "slow", "slow"]);
    const stopped = new AbortController();
    const call = thread.call("loop", null, { timeoutMs: 60_000, signal: stopped.signal });
    setTimeout(() => stopped.abort(new Error("stopped")), 600);
    await assert.rejects(call, /stopped/);
    assert.equal(await thread.call("count", null), 1);
  }, { firstTryMs: 300 }));
