// A database's file that is removed under a store: what was acknowledged is kept, and what lies at its path goes.
import assert from "node:assert/strict";
import { join } from "node:path";
import { watchMoved } from "../../src/cli/moved_database.ts";
import { createMachine } from "../../src/platform/machine.ts";
import { inspectDatabase } from "../../src/store/sqlite/inspect.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { anEvent, publish } from "../store/contract/given.ts";
import { withFolder } from "../support/process.ts";
import { testVault } from "../support/vault.ts";

const NOW_MS = Date.UTC(2026, 10, 22, 12, 15);
const STAMP = "20261122T121500Z";

/** A store as the commands open it, and what was said of its file. */
function openMoving(path: string) {
  Deno.openSync(path, { append: true, create: true }).close(); // as a command does it before
  const machine = createMachine();
  const said: string[] = [];
  const log = { error: (text: string) => void said.push(text) };
  const whenMoved = watchMoved({ path, name: path, machine, clock: { nowMs: () => NOW_MS }, log });
  const identify = (side: string) => machine.identityOf(`${path}${side}`);
  return { store: openStore(path, testVault, null, { identify, whenMoved }), said };
}

const eventsIn = (path: string) => {
  const { rows, problems } = inspectDatabase(path);
  return [rows["events"], problems];
};

Deno.test("a file that is copied away and removed, or replaced by a copy, is kept with all that was acknowledged", async () => {
  // Told before the end, or removed just before it.
  for (const isTold of [true, false]) {
    for (const isReplaced of [true, false]) {
      await withFolder(async (folder) => {
        const path = join(folder, "regfeed.db");
        const { store, said } = openMoving(path);
        await publish(store, [anEvent("evt_1")]);
        assert.equal(await store.trouble(), null);
        await publish(store, [anEvent("evt_2")]);
        Deno.copyFileSync(path, join(folder, "copy.db")); // without what stands in the log
        if (isReplaced) Deno.renameSync(join(folder, "copy.db"), path);
        else Deno.removeSync(path);
        if (isTold) assert.equal(await store.trouble(), "moved");
        await store.close();
        assert.match(
          said.join("\n"),
          /^the database's file was removed: all that it held is kept in another, [^\n]*$/,
        );
        const kept = `${path}.removed-${STAMP}`;
        assert.deepEqual(eventsIn(kept), [2, []]);
        assert.equal((await Deno.stat(kept)).mode! & 0o777, 0o600);
        assert.deepEqual(
          [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => /-(wal|shm)$/.test(name)),
          [],
        );
      });
    }
  }
});

Deno.test("a file that only has another name is not kept twice, nor one whose store has ended before", () =>
  withFolder(async (folder) => {
    const path = join(folder, "regfeed.db");
    for (const act of [() => Deno.renameSync(path, `${path}.aside`), () => {}]) {
      const { store, said } = openMoving(path);
      await publish(store, [anEvent("evt_1")]);
      assert.equal(await store.trouble(), null);
      act();
      await store.trouble();
      await store.close();
      assert.deepEqual(said, []);
    }
  }));

Deno.test("what cannot be kept when it is removed is tried again at the end", () =>
  withFolder(async (folder) => {
    const [path, kept] = [join(folder, "regfeed.db"), join(folder, `regfeed.db.removed-${STAMP}`)];
    const { store, said } = openMoving(path);
    await publish(store, [anEvent("evt_1")]);
    assert.equal(await store.trouble(), null);
    await Deno.mkdir(kept); // where it would be kept
    Deno.removeSync(path);
    assert.equal(await store.trouble(), "moved");
    assert.equal(await store.trouble(), "moved");
    assert.match(
      said.join("\n"),
      /^the database's file was removed, and what it held cannot be kept; it is tried/,
    );
    assert.equal(said.length, 1);
    await Deno.remove(kept);
    await store.close();
    assert.deepEqual(eventsIn(kept), [1, []]);
  }));
