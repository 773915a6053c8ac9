// Files of a database that are moved, removed or replaced under a store: nothing is lost, nothing gets into another one.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Store } from "../../src/domain/store.ts";
import { StoreError } from "../../src/domain/store_trouble.ts";
import { removeBeside } from "../../src/platform/database_files.ts";
import { createMachine } from "../../src/platform/machine.ts";
import { inspectDatabase } from "../../src/store/sqlite/inspect.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { testVault } from "../support/vault.ts";
import { anEvent, publish } from "./contract/given.ts";
import { TEMPORARY } from "../support/temporary.ts";

async function withFile(work: (file: string) => Promise<void> | void): Promise<void> {
  const folder = await Deno.makeTempDir({ ...TEMPORARY, prefix: "regfeed-trouble-" });
  try {
    await work(join(folder, "regfeed.db"));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** A store that sees when its files are moved. */
function openWatched(file: string): Store {
  const machine = createMachine();
  return openStore(file, testVault, null, {
    identify: (side) => machine.identityOf(`${file}${side}`),
    whenMoved: { removeBeside: (side) => removeBeside(file, side), keepRemoved() {}, closed() {} },
  });
}

/** Stores an event as another process: what locks and shares files tells processes apart, not connections. */
async function publishElsewhere(file: string, event: string): Promise<void> {
  const [store, vault, given] = [
    "src/store/sqlite/store.ts",
    "tests/support/vault.ts",
    "tests/store/contract/given.ts",
  ]
    .map((path) => JSON.stringify(new URL(`../../${path}`, import.meta.url).href));
  const script = `import { openStore } from ${store}; import { testVault } from ${vault};
    import { anEvent, publish } from ${given};
    const store = openStore(${JSON.stringify(file)}, testVault);
    await publish(store, [anEvent(${JSON.stringify(event)})]);
    await store.close();`;
  const args = ["eval", "--quiet", "--no-check", script];
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

Deno.test("a file that is moved away under a store is told, is read, takes nothing that would be lost, and heals when it is back", async () => {
  await withFile(async (file) => {
    const store = openWatched(file);
    await publish(store, [anEvent("evt_1")]);
    assert.equal(await store.trouble(), null);
    const move = (from: string, to: string) => {
      for (const side of ["", "-wal", "-shm"]) {
        Deno.renameSync(`${file}${from}${side}`, `${file}${to}${side}`);
      }
    };
    const isMoved = async (name: string) => {
      assert.equal(await store.trouble(), "moved");
      const publishing = publish(store, [anEvent(name)]);
      await assert.rejects(publishing, (error) => error instanceof StoreError && error.trouble === "moved");
      assert.notEqual(await store.findEvent("evt_1"), null);
    };
    move("", ".aside");
    await isMoved("evt_2");
    const other = openStore(file, testVault);
    await publish(other, [anEvent("evt_9")]);
    await other.close();
    await isMoved("evt_3");
    assert.deepEqual(await store.takeTrouble(), { now: "moved", met: "moved" });
    move(".aside", "");
    assert.equal(await store.trouble(), null);
    await publish(store, [anEvent("evt_4")]);
    await store.close();
    assert.equal(inspectDatabase(file).rows["events"], 2);
  });
});

Deno.test("a file that is moved away from its log keeps what stood in it, and what takes its place is given nothing of it", async () => {
  // Told before the end, or moved just before it.
  for (const isTold of [true, false]) {
    await withFile(async (file) => {
      const other = openStore(file, testVault);
      await publish(other, [anEvent("evt_9")]);
      await other.close();
      const backup = `${file}.backup`;
      Deno.copyFileSync(file, backup);
      const store = openWatched(file);
      await publish(store, [anEvent("evt_1"), anEvent("evt_2")]);
      assert.equal(await store.trouble(), null);
      Deno.renameSync(file, `${file}.aside`);
      Deno.renameSync(backup, file);
      if (isTold) {
        assert.equal(await store.trouble(), "moved");
        assert.notEqual(await store.findEvent("evt_2"), null);
      }
      await store.close();
      const events = (path: string) => inspectDatabase(path).rows["events"];
      assert.deepEqual([events(file), events(`${file}.aside`)], [1, 3]);
    });
  }
});

Deno.test("what another server writes at the path while this one ends is whole", async () => {
  await withFile(async (file) => {
    const store = openWatched(file);
    await publish(store, [anEvent("evt_1")]);
    assert.equal(await store.trouble(), null);
    Deno.renameSync(file, `${file}.aside`);
    assert.equal(await store.trouble(), "moved");
    const other = openStore(file, testVault);
    await publish(other, [anEvent("evt_8"), anEvent("evt_9")]);
    assert.equal(await store.trouble(), "moved");
    await store.close();
    await publish(other, [anEvent("evt_10")]);
    await other.close();
    const events = (path: string) => inspectDatabase(path).rows["events"];
    assert.deepEqual([events(file), events(`${file}.aside`)], [3, 1]);
  });
});

Deno.test("a file that comes back after another was written at its path has nothing of that one in it", async () => {
  await withFile(async (file) => {
    const store = openWatched(file);
    await publish(store, [anEvent("evt_1"), anEvent("evt_2")]);
    assert.equal(await store.trouble(), null);
    Deno.renameSync(file, `${file}.aside`);
    assert.equal(await store.trouble(), "moved");
    await publishElsewhere(file, "evt_9");
    Deno.renameSync(file, `${file}.made`);
    Deno.renameSync(`${file}.aside`, file);
    assert.equal(await store.trouble(), null);
    for (const [name, isThere] of [["evt_1", true], ["evt_9", false]] as const) {
      assert.equal(await store.findEvent(name) !== null, isThere, name);
    }
    await publish(store, [anEvent("evt_3")]);
    await store.close();
    for (const [path, events] of [[file, 3], [`${file}.made`, 1]] as const) {
      const { rows, problems } = inspectDatabase(path);
      assert.deepEqual([rows["events"], problems], [events, []], path);
    }
  });
});

Deno.test("what another process goes on to write to a file that was moved is in it at the end", async () => {
  await withFile(async (file) => {
    const store = openWatched(file);
    const other = openStore(file, testVault);
    await publish(store, [anEvent("evt_1")]);
    assert.equal(await store.trouble(), null);
    Deno.renameSync(file, `${file}.aside`);
    assert.equal(await store.trouble(), "moved");
    await publish(other, [anEvent("evt_2")]);
    await other.close();
    await store.close();
    const { rows, problems } = inspectDatabase(`${file}.aside`);
    assert.deepEqual([rows["events"], problems], [2, []]);
  });
});

Deno.test("a log that is removed under a store is made anew, and loses nothing that was written to it", async () => {
  await withFile(async (file) => {
    const store = openWatched(file);
    await publish(store, [anEvent("evt_1")]);
    assert.equal(await store.trouble(), null);
    for (const side of ["-wal", "-shm"]) Deno.removeSync(`${file}${side}`);
    await publish(store, [anEvent("evt_2")]);
    assert.equal(await store.trouble(), null);
    await publish(store, [anEvent("evt_3")]);
    const other = openStore(file, testVault);
    for (const name of ["evt_1", "evt_2", "evt_3"]) assert.notEqual(await other.findEvent(name), null, name);
    await publish(other, [anEvent("evt_4")]);
    assert.notEqual(await store.findEvent("evt_4"), null);
    await other.close();
    await store.close();
    assert.equal(inspectDatabase(file).rows["events"], 4);
  });
});

Deno.test("a file that was moved away takes no page of the one that another server made meanwhile", async () => {
  await withFile(async (file) => {
    await openStore(file, testVault).close();
    const store = openWatched(file);
    await publish(store, [anEvent("evt_1")]);
    assert.equal(await store.trouble(), null);
    Deno.renameSync(file, `${file}.aside`);
    const other = openStore(file, testVault); // which removes the log that it finds, and goes on with its index
    await publish(other, [anEvent("evt_8"), anEvent("evt_9")]);
    assert.equal(await store.trouble(), "moved");
    await store.close();
    await publish(other, [anEvent("evt_10")]);
    await other.close();
    const { rows, problems } = inspectDatabase(`${file}.aside`);
    assert.deepEqual([inspectDatabase(file).rows["events"], rows["events"], problems], [3, 0, []]);
  });
});
