// The second thread: does the database's long work and says what failed.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createThread } from "../../src/platform/thread.ts";
import { SCHEMA_VERSION } from "../../src/store/sqlite/migrate.ts";
import { openVaultFile } from "../../src/platform/vault.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { anEvent, publish } from "../store/contract/given.ts";

const PROGRAM = new URL("../../src/worker.ts", import.meta.url);

Deno.test("a thread inspects a database while this one goes on, and tells what went wrong", async () => {
  const folder = await Deno.makeTempDir({ prefix: "regfeed-thread-" });
  const thread = createThread(PROGRAM);
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
    assert.deepEqual([schema, rows["events"], problems], [SCHEMA_VERSION, 2, []]);
    await assert.rejects(thread.call("dance", ""), /there is no task dance/);
  } finally {
    thread.end();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a thread that is ended fails what it was asked, and a later call begins another", async () => {
  const thread = createThread(PROGRAM);
  const call = thread.call("dance", "");
  thread.end();
  await assert.rejects(call, /the second thread was ended/);
  await assert.rejects(thread.call("dance", ""), /there is no task dance/);
  thread.end();
});

/** A program that counts its calls and gives what it is sent piece by piece. */
const COUNTING = new URL(`data:application/javascript,${
  encodeURIComponent(`
let calls = 0;
onmessage = ({ data: { number, task, argument } }) => {
  if (task === "break") return void setTimeout(() => { throw new Error("broken on purpose"); });
  for (const part of argument) postMessage({ number, part });
  postMessage({ number, result: ++calls });
};`)
}`);

Deno.test("a thread gives parts in order, ends when it was idle, and begins anew with the next call", async () => {
  const thread = createThread(COUNTING, { idleMs: 0 });
  const parts: unknown[] = [];
  const call = () => thread.call("count", [1, { two: [2] }, "three"], (part) => parts.push(part));
  try {
    assert.deepEqual(await Promise.all([call(), call()]), [1, 2]);
    assert.deepEqual(parts, [1, { two: [2] }, "three", 1, { two: [2] }, "three"]);
    await new Promise((resolve) => setTimeout(resolve, 0)); // set after the thread's own, so it goes off after it
    assert.equal(await call(), 1);
    await assert.rejects(thread.call("count", [() => {}]), /could not be cloned/);
    await assert.rejects(thread.call("break", []), /the second thread broke: .*broken on purpose/);
    assert.equal(await call(), 1);
  } finally {
    thread.end();
  }
});
