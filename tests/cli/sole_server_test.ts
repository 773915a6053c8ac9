// The claim of a server on its store: who is second waits a while in silence, then says it again and again.
import assert from "node:assert/strict";
import { join } from "node:path";
import { claimForAlone, claimStore, findSecondServer } from "../../src/cli/sole_server.ts";
import { createMetrics } from "../../src/domain/metrics.ts";
import type { Clock, Log } from "../../src/domain/ports.ts";
import { needs, POSIX } from "../support/needs.ts";

/** A clock whose sleeps end when they are told to, one after the other. */
function createSleeps() {
  const sleeping: { ms: number; wake(): void }[] = [];
  const clock = {
    nowMs: () => 0,
    sleep(ms: number, signal?: AbortSignal) {
      const { promise, resolve } = Promise.withResolvers<void>();
      signal?.addEventListener("abort", () => resolve());
      sleeping.push({ ms, wake: resolve });
      return promise;
    },
  } as unknown as Clock;
  const wake = async (): Promise<number> => {
    const sleep = sleeping.shift();
    assert.ok(sleep !== undefined, "somebody sleeps");
    sleep.wake();
    await settle();
    return sleep.ms;
  };
  return { clock, wake };
}

/** Lets locks be taken, which happens on another thread. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}

function createLog() {
  const said: string[] = [];
  const say = (level: string) => (text: string) => void said.push(`${level}: ${text.split(/[:;]/)[0]}`);
  const log = { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") } as Log;
  return { said, log };
}

Deno.test("claimStore() lets the server before it end, then calls it an error every hour, and says when it is over", async () => {
  const folder = await Deno.makeTempDir({ prefix: "regfeed-claim-" });
  try {
    const path = join(folder, "regfeed.db");
    const claim = (address: string) => {
      const sleeps = createSleeps();
      const { said, log } = createLog();
      const metrics = createMetrics();
      const release = claimStore({ path, address, log, clock: sleeps.clock, metrics });
      return {
        ...sleeps,
        said,
        release,
        shared: async () => /^regfeed_store_shared (\d)/m.exec(await metrics.render())?.[1],
      };
    };
    const first = claim("http://127.0.0.1:1");
    await settle();
    assert.equal(await first.wake(), 300);
    assert.deepEqual([first.said, await first.shared()], [[], "0"]);
    assert.deepEqual(await findSecondServer(path), []);

    const second = claim("http://127.0.0.1:2");
    assert.equal(await second.wake(), 300);
    assert.deepEqual(second.said, ["warn: another server has this store open"]);
    assert.equal(await second.shared(), "1");
    assert.equal(await second.wake(), 20_000);
    assert.equal(await second.wake(), 3_600_000);
    assert.deepEqual(second.said.slice(1), [
      "error: two servers use one store",
      "error: two servers use one store",
    ]);
    const [finding] = await findSecondServer(path);
    assert.equal(finding?.level, "problem");
    assert.match(finding?.seen ?? "", /127\.0\.0\.1:1.*127\.0\.0\.1:2/);

    first.release();
    await settle();
    assert.equal(second.said.at(-1), "info: the other server has ended");
    assert.equal(await second.shared(), "0");
    assert.deepEqual(await findSecondServer(path), []);
    second.release();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("claimStore() lets a server go on that cannot make its claim, and says what to do", () => {
  const { clock } = createSleeps();
  const { said, log } = createLog();
  claimStore({ path: "/nowhere/regfeed.db", address: "", log, clock, metrics: createMetrics() })();
  assert.deepEqual(said, ["warn: whether another server uses this store cannot be told"]);
});

Deno.test("claimStore() claims a store later that it cannot claim yet, and says once that it cannot", async () => {
  const folder = await Deno.makeTempDir({ prefix: "regfeed-claim-" });
  try {
    const path = join(folder, "disk", "regfeed.db"); // where nothing can be made before the folder is there
    const sleeps = createSleeps();
    const { said, log } = createLog();
    const metrics = createMetrics();
    const release = claimStore({ path, address: "http://127.0.0.1:1", log, clock: sleeps.clock, metrics });
    await settle();
    assert.equal(await sleeps.wake(), 10_000);
    assert.deepEqual(said, ["warn: whether another server uses this store cannot be told"]);
    await Deno.mkdir(join(folder, "disk"));
    assert.equal(await sleeps.wake(), 10_000);
    assert.match(await Deno.readTextFile(`${path}.server`), /^process \d+, http:\/\/127\.0\.0\.1:1$/);
    assert.equal(said.length, 1);
    release();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test({
  ...needs(
    "claimStore() tells servers apart that can make no file, and sees one that can from then on",
    POSIX,
  ),
  sanitizeOps: false, // who waits for the lock is given it when it is free, and that may be after the test
  fn: async () => {
    const folder = await Deno.makeTempDir({ prefix: "regfeed-claim-" });
    try {
      const path = join(folder, "regfeed.db");
      const file = `${path}.server`;
      // A link to nowhere: it can be neither made nor read.
      await Deno.symlink(join(folder, "not", "there"), file);
      const claim = () => {
        const sleeps = createSleeps();
        const { said, log } = createLog();
        const metrics = createMetrics();
        const release = claimStore({ path, address: "", log, clock: sleeps.clock, metrics });
        const shared = async () => /^regfeed_store_shared (\d)/m.exec(await metrics.render())?.[1];
        return { ...sleeps, said, release, shared };
      };
      const first = claim();
      await settle();
      const second = claim();
      await settle();
      while (await second.shared() === "0") await second.wake();
      assert.deepEqual([first.said, await first.shared()], [[], "0"]);
      assert.deepEqual(second.said, ["warn: another server has this store open"]);
      await Deno.remove(file);
      const third = claim();
      await settle();
      while (await first.shared() === "0") await first.wake();
      assert.deepEqual(first.said, ["warn: another server has this store open"]);
      for (const { release } of [first, second, third]) release();
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test({
  name: "claimForAlone() is refused while a server or another restore has the store, and not after that",
  sanitizeOps: false, // who was refused is given the lock when it is free, and that may be after the test
  fn: async () => {
    const folder = await Deno.makeTempDir({ prefix: "regfeed-claim-" });
    try {
      const path = join(folder, "regfeed.db");
      const one = await claimForAlone(path, "a restore");
      await assert.rejects(
        claimForAlone(path, "a restore"),
        new RegExp(
          `regfeed\\.db is in use \\(process ${Deno.pid}, a restore\\): stop the server first, or let`,
        ),
      );
      one.release();
      (await claimForAlone(path, "a restore")).release();
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
