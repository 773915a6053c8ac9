// Only one process can hold the lock of a store.
import assert from "node:assert/strict";
import { join } from "node:path";
import { lockStore, storeUser } from "../../src/server/instance_lock.ts";

Deno.test({
  name: "lockStore() rejects with the holder's name until the lock is released",
  sanitizeOps: false, // the refused lock may be acquired and dropped after the test
}, async () => {
  const folder = await Deno.makeTempDir({ prefix: "regfeed-lock-" });
  try {
    const store = join(folder, "regfeed.db");
    assert.equal(await storeUser(store), null);
    const one = await lockStore(store, "a restore");
    assert.equal(await storeUser(store), `process ${Deno.pid}, a restore`);
    await assert.rejects(
      lockStore(store, "since today"),
      new RegExp(`regfeed\\.db is in use \\(process ${Deno.pid}, a restore\\): stop that process first`),
    );
    one.release();
    (await lockStore(store, "since today")).release();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("lockStore() names a file that cannot be locked, and the reason", async () => {
  await assert.rejects(
    lockStore("/nowhere/regfeed.db", "since today"),
    /^Error: cannot lock \/nowhere\/regfeed\.db\.server: No such file or directory/,
  );
});
