// A restore replaces nothing unless it is forced, and keeps the files that it replaces.
import assert from "node:assert/strict";
import { restoreBackup } from "../../src/backup/restore.ts";
import { inspectDatabase, releaseDatabase } from "../../src/store/sqlite/connection/inspect.ts";
import { MIGRATIONS } from "../../src/store/sqlite/schema/migrate.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { anEvent, publish } from "../store/contract/given.ts";
import { testVault } from "../support/vault.ts";
import { create, NOW_MS, type Place, withPlace } from "./place.ts";

function restore(
  { archive, database, key, tools }: Place,
  change: { force?: boolean; schemaVersion?: number } = {},
) {
  const request = { from: archive, database, secretKey: key, force: change.force ?? false, nowMs: NOW_MS };
  const schemaVersion = change.schemaVersion ?? MIGRATIONS.length;
  const claim = () => Promise.resolve(() => {});
  return restoreBackup(request, { ...tools, claim, release: releaseDatabase, schemaVersion });
}

Deno.test("restoreBackup() replaces nothing without force, and keeps the replaced files", () =>
  withPlace(async (place) => {
    await create(place, true);
    const store = openStore(place.database, testVault);
    await publish(store, [anEvent("evt_4")]);
    await store.close();
    await Deno.writeTextFile(place.key, "n".repeat(32));
    await assert.rejects(restore(place), /add --force/);
    assert.equal(inspectDatabase(place.database).rows["events"], 4);

    const restored = await restore(place, { force: true });
    assert.equal(inspectDatabase(place.database).rows["events"], 3);
    assert.equal(await Deno.readTextFile(place.key), "k".repeat(32));
    assert.equal(inspectDatabase(`${place.database}.replaced-20260801T031500Z`).rows["events"], 4);
    assert.equal(await Deno.readTextFile(`${place.key}.replaced-20260801T031500Z`), "n".repeat(32));
    assert.deepEqual(restored.kept.length, 2);
    assert.equal((await Deno.stat(place.database)).mode! & 0o777, 0o600);
  }));

Deno.test("restoreBackup() keeps the files of several restores within one second", () =>
  withPlace(async (place) => {
    await create(place, true);
    for (const name of ["evt_4", "evt_5"]) {
      const store = openStore(place.database, testVault);
      await publish(store, [anEvent(name)]);
      await store.close();
    }
    await Deno.writeTextFile(place.key, "n".repeat(32));
    await restore(place, { force: true });
    const { kept } = await restore(place, { force: true });
    const first = "replaced-20260801T031500Z";
    assert.deepEqual(kept, [`${place.key}.${first}-2`, `${place.database}.${first}-2`]);
    assert.equal(inspectDatabase(`${place.database}.${first}`).rows["events"], 5);
    assert.equal(inspectDatabase(`${place.database}.${first}-2`).rows["events"], 3);
    assert.equal(await Deno.readTextFile(`${place.key}.${first}`), "n".repeat(32));
  }));

Deno.test("restoreBackup() always leaves a database in place, and releases its lock", () =>
  withPlace(async (place) => {
    await create(place);
    const { files } = place.tools;
    const isThere: boolean[] = [];
    let claims = 0;
    const claim = () => Promise.resolve((claims++, () => void claims--));
    const look = async () => void isThere.push(await files.exists(place.database));
    const request = { from: place.archive, database: place.database, secretKey: place.key, force: true };
    const tools = {
      ...place.tools,
      claim,
      release: () => {},
      schemaVersion: MIGRATIONS.length,
      files: {
        ...files,
        move: async (from: string, to: string) => {
          await look();
          assert.equal(claims, 1);
          await files.move(from, to);
          await look();
        },
      },
    };
    await restoreBackup({ ...request, nowMs: NOW_MS }, tools);
    assert.deepEqual(isThere, [true, true]);
    await assert.rejects(restoreBackup({ ...request, nowMs: NOW_MS, from: place.config }, tools));
    assert.equal(claims, 0);
  }));

Deno.test("restoreBackup() refuses a database in use", () =>
  withPlace(async (place) => {
    await create(place);
    const store = openStore(place.database, testVault);
    await publish(store, [anEvent("evt_4")]);
    await assert.rejects(restore(place, { force: true }), /in use: stop the server first/);
    await publish(store, [anEvent("evt_5")]);
    await store.close();
    assert.equal(inspectDatabase(place.database).rows["events"], 5);
  }));

Deno.test("restoreBackup() refuses a newer schema and names the version that reads it", () =>
  withPlace(async (place) => {
    await create(place);
    const before = await Deno.readFile(place.database);
    await assert.rejects(
      restore(place, { force: true, schemaVersion: MIGRATIONS.length - 1 }),
      new RegExp(
        `has schema ${MIGRATIONS.length}.*up to ${
          MIGRATIONS.length - 1
        }: restore it with Regfeed 1\\.2\\.3 or a newer one`,
      ),
    );
    assert.deepEqual(await Deno.readFile(place.database), before);
  }));

Deno.test("restoreBackup() leaves no old log beside the database, because SQLite would apply it", () =>
  withPlace(async (place) => {
    await create(place);
    await Deno.remove(place.database);
    await Deno.writeTextFile(`${place.database}-wal`, "an old log");
    await restore(place);
    assert.equal(inspectDatabase(place.database).rows["events"], 3);
    assert.equal(await Deno.readTextFile(`${place.database}-wal.replaced-20260801T031500Z`), "an old log");
  }));
