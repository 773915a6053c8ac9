// Attempts are recorded when the disk has them, and nobody waits for it meanwhile.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openWritten } from "../../src/platform/database_files.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { testVault } from "../support/vault.ts";
import { anEvent, aPublication, eventIds, recordIt } from "./contract/given.ts";
import { TEMPORARY } from "../support/temporary.ts";

Deno.test("finishAttempts() settles when the log is written through, and the store works meanwhile", async () => {
  const folder = await Deno.makeTempDir(TEMPORARY);
  const path = join(folder, "regfeed.db");
  const written = Promise.withResolvers<void>();
  const seen: string[] = [];
  const store = openStore(path, testVault, (log) => {
    assert(existsSync(log));
    seen.push(`open ${log === `${path}-wal`}`);
    return { writeThrough: () => written.promise, close: () => seen.push("close") };
  });
  try {
    const recorded = store.finishAttempts([], 1).then(() => seen.push("recorded"));
    assert.equal((await store.health()).pendingDeliveries, 0);
    assert.deepEqual(seen, ["open true"]);
    written.resolve();
    await recorded;
    await store.finishAttempts([], 2); // the same handle
  } finally {
    await store.close();
    await Deno.remove(folder, { recursive: true });
  }
  assert.deepEqual(seen, ["open true", "recorded", "close"]);
});

Deno.test("recordPublications() settles when the log is written through, and the next call knows what it recorded", async () => {
  const folder = await Deno.makeTempDir(TEMPORARY);
  const written = Promise.withResolvers<void>();
  const store = openStore(join(folder, "regfeed.db"), testVault, () => ({
    writeThrough: () => written.promise,
    close() {},
  }));
  const seen: string[] = [];
  const paper = aPublication("paper", "1");
  const [id = ""] = eventIds(1, 1);
  try {
    const first = store.recordPublications("board", [paper], recordIt(anEvent(id, { source_id: "board" })))
      .then(() => seen.push("first"));
    const second = store.recordPublications("board", [paper], (_, stored) => {
      seen.push(`decides with version ${stored?.version}`);
      return { kind: "unchanged" };
    }).then(() => seen.push("second"));
    await store.health();
    assert.deepEqual(seen, ["decides with version 1"]);
    written.resolve();
    await Promise.all([first, second]);
    assert.deepEqual(seen, ["decides with version 1", "first", "second"]);
  } finally {
    await store.close();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("nobody is told of an event before the disk has it, and after a disk that failed reads go on", async () => {
  const folder = await Deno.makeTempDir(TEMPORARY);
  let written = Promise.withResolvers<void>();
  const store = openStore(join(folder, "regfeed.db"), testVault, () => ({
    writeThrough: () => written.promise,
    close() {},
  }));
  const [first = "", second = ""] = eventIds(1, 2);
  const record = (id: string, paper: string) =>
    store.recordPublications(
      "board",
      [aPublication(paper, "1")],
      recordIt(anEvent(id, { source_id: "board" })),
    );
  try {
    const seen: string[] = [];
    const recorded = record(first, "paper").then(() => seen.push("recorded"));
    const reading = Promise.all([
      Promise.resolve(store.findEvent(first)).then((found) => seen.push(`found ${found !== null}`)),
      Promise.resolve(store.listEvents({ limit: 10 })).then((list) => seen.push(`listed ${list.length}`)),
      store.listVersions(first).then((list) => seen.push(`versions ${list.length}`)),
    ]);
    for (let turn = 0; turn < 100; turn++) await null;
    assert.deepEqual(seen, []);
    written.resolve();
    await Promise.all([recorded, reading]);
    assert.deepEqual(seen.toSorted(), ["found true", "listed 1", "recorded", "versions 1"]);
    assert.equal(store.findEvent(first) instanceof Promise, false, "once it is kept, it is there at once");

    written = Promise.withResolvers<void>();
    const failing = assert.rejects(record(second, "other"), { trouble: "io" });
    const found = store.findEvent(first);
    written.reject(new Error("Input/output error (os error 5)"));
    await failing;
    assert.notEqual(await found, null);
  } finally {
    await store.close();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("finishAttempts() rejects when the disk fails, as a commit does then", async () => {
  const folder = await Deno.makeTempDir(TEMPORARY);
  const store = openStore(join(folder, "regfeed.db"), testVault, () => ({
    writeThrough: () => Promise.reject(new Error("Input/output error (os error 5)")),
    close() {},
  }));
  try {
    await assert.rejects(store.finishAttempts([], 1), { trouble: "io" });
  } finally {
    await store.close();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("what is recorded while the log is written through waits for one more time, and shares it", async () => {
  const folder = await Deno.makeTempDir(TEMPORARY);
  const times: PromiseWithResolvers<void>[] = [];
  const store = openStore(join(folder, "regfeed.db"), testVault, () => ({
    writeThrough: () => {
      const time = Promise.withResolvers<void>();
      times.push(time);
      return time.promise;
    },
    close() {},
  }));
  const seen: string[] = [];
  const record = (name: string) =>
    store.finishAttempts([], 1).then(() => seen.push(name), () => seen.push(`${name} failed`));
  const turn = () => new Promise((resolve) => setTimeout(resolve));
  try {
    const all = [record("first"), record("second"), record("third")];
    await turn();
    assert.deepEqual([times.length, seen], [1, []]);
    times[0]?.reject(new Error("Input/output error (os error 5)"));
    await turn();
    assert.deepEqual([times.length, seen], [2, ["first failed"]]);
    all.push(record("fourth")); // the second time may have passed by what it wrote
    times[1]?.resolve();
    await turn();
    assert.deepEqual([times.length, seen], [3, ["first failed", "second", "third"]]);
    times[2]?.resolve();
    await Promise.all(all);
    assert.deepEqual(seen.slice(3), ["fourth"]);
    all.push(record("fifth"));
    await turn();
    assert.equal(times.length, 4);
    times[3]?.resolve();
    await Promise.all(all);
  } finally {
    await store.close();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("openWritten() writes through a log that SQLite writes", async () => {
  const folder = await Deno.makeTempDir(TEMPORARY);
  const store = openStore(join(folder, "regfeed.db"), testVault, openWritten);
  try {
    await store.finishAttempts([], 1);
    await store.finishAttempts([], 2);
  } finally {
    await store.close();
    await Deno.remove(folder, { recursive: true });
  }
});
