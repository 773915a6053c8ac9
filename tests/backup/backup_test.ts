// Backups are made only of undamaged stores, and leave no other files behind.
import assert from "node:assert/strict";
import { join } from "node:path";
import { backupName, backupTime, findLeftovers, scheduledName } from "../../src/backup/create.ts";
import type { BackupTools } from "../../src/backup/backup_ports.ts";
import { withBackup } from "../../src/backup/verify.ts";
import { inspectDatabase } from "../../src/store/sqlite/connection/inspect.ts";
import { MIGRATIONS } from "../../src/store/sqlite/schema/migrate.ts";
import { create, listed, names, NOW_MS, withPlace } from "./place.ts";
import { needs, ROOT } from "../support/needs.ts";

Deno.test("a backup contains one consistent config, even during an edit", () =>
  withPlace(async (place) => {
    const { archives } = place.tools;
    const edit = () => Deno.writeTextFile(place.config, "# the config, edited and longer\n");
    const tools: BackupTools = {
      ...place.tools,
      archives: {
        ...archives,
        pack: async (to, entries) => (await edit(), await archives.pack(to, entries)),
      },
    };
    await create({ ...place, tools });
    await withBackup(place.archive, place.tools, async (_, unpacked) => {
      assert.equal(await Deno.readTextFile(join(unpacked, "regfeed.toml")), "# the config\n");
    });
  }));

Deno.test("a backup is a tar archive with a manifest of its files, for its owner alone", () =>
  withPlace(async (place) => {
    const manifest = await create(place);
    assert.deepEqual(await listed(place.archive), ["manifest.json", "regfeed.toml", "regfeed.db"]);
    assert.equal((await Deno.stat(place.archive)).mode! & 0o777, 0o600);
    assert.equal(manifest.rows["events"], 3);
    assert.equal(manifest.schema, MIGRATIONS.length);
    assert.equal(manifest.version, "1.2.3");
    const made = ["backup.tar.gz", "regfeed.db", "regfeed.db.key", "regfeed.toml"];
    assert.deepEqual(await names(place.folder), made);
    await withBackup(place.archive, place.tools, (read) => {
      assert.deepEqual(read.manifest, manifest);
      assert.equal(read.database.rows["events"], 3);
      return Promise.resolve();
    });
  }));

Deno.test("a backup contains the secret key only on request", async () => {
  await withPlace(async (place) => {
    await create(place, true);
    assert.ok((await listed(place.archive)).includes("regfeed.db.key"));
  });
  await withPlace(async (place) => {
    await create(place);
    assert.ok(!(await listed(place.archive)).includes("regfeed.db.key"));
  });
});

Deno.test("createBackup() overwrites no file", () =>
  withPlace(async (place) => {
    await Deno.writeTextFile(place.archive, "mine");
    await assert.rejects(create(place), /already exists: choose another name/);
    assert.equal(await Deno.readTextFile(place.archive), "mine");
  }));

Deno.test("createBackup() refuses a damaged database, and leaves no file", () =>
  withPlace(async (place) => {
    const inspect = (path: string) =>
      Promise.resolve({ ...inspectDatabase(path), problems: ["row 7 missing"] });
    const tools = { ...place.tools, inspect };
    await assert.rejects(
      create({ ...place, tools }),
      /the database is damaged.*row 7 missing.*keep your older/s,
    );
    assert.deepEqual(await names(place.folder), ["regfeed.db", "regfeed.db.key", "regfeed.toml"]);
  }));

Deno.test("createBackup() reports required and free space if the disk fills up, and leaves no file", () =>
  withPlace(async (place) => {
    const pack = () =>
      Promise.reject(new Error("cannot write the archive: No space left on device (os error 28)"));
    const freeing = (bytes: number) => ({ ...place.tools.files, freeBytes: () => Promise.resolve(bytes) });
    const before = await names(place.folder);
    for (
      const tools of [
        { ...place.tools, files: freeing(5_000_000), archives: { ...place.tools.archives, pack } },
        { ...place.tools, files: freeing(100_000) }, // detected before anything is written
      ]
    ) {
      await assert.rejects(
        create({ ...place, tools }),
        /not enough space for a backup in .* \(about .* needed, .* free\)/,
      );
      assert.deepEqual(await names(place.folder), before);
    }
    // A failure with another cause keeps its message.
    const broken = { ...place.tools.archives, pack: () => Promise.reject(new Error("the reader has gone")) };
    await assert.rejects(
      create({ ...place, tools: { ...place.tools, archives: broken } }),
      /^Error: the reader has gone$/,
    );
  }));

Deno.test("createBackup() removes leftovers of a killed process, but no files in use", () =>
  withPlace(async (place) => {
    const [dead, busy] = [
      join(place.folder, ".regfeed-backup-dead"),
      join(place.folder, ".regfeed-backup-busy"),
    ];
    const agoMs = (path: string, ms: number) => Deno.utime(path, (NOW_MS - ms) / 1e3, (NOW_MS - ms) / 1e3);
    for (const path of [dead, busy]) {
      await Deno.mkdir(path);
      await Deno.writeTextFile(join(path, "regfeed.db"), "a copy");
    }
    await agoMs(join(dead, "regfeed.db"), 2_000_000);
    await agoMs(join(busy, "regfeed.db"), 60_000); // only this file is recent, not its folder
    for (const path of [dead, busy]) await agoMs(path, 2_000_000);
    const { files } = place.tools;
    assert.deepEqual(await findLeftovers(place.folder, NOW_MS, files), [dead]);
    await create(place);
    assert.deepEqual(await findLeftovers(place.folder, Infinity, files), [busy]);
  }));

Deno.test("createBackup() copies the config and the key for their owner alone", () =>
  withPlace(async (place) => {
    await Deno.chmod(place.config, 0o644);
    const modes: string[] = [];
    const archives = {
      ...place.tools.archives,
      async pack(to: string, entries: readonly { name: string; path: string }[]) {
        for (const { path } of entries) modes.push((((await Deno.stat(path)).mode ?? 0) & 0o777).toString(8));
        await place.tools.archives.pack(to, entries);
      },
    };
    await create({ ...place, tools: { ...place.tools, archives } }, true);
    assert.deepEqual([...new Set(modes)], ["600"]);
  }));

Deno.test(
  needs("createBackup() run by root gives folder and archive to the owner of the database", ROOT),
  () =>
    withPlace(async (place) => {
      const [service, folder] = [65_534, join(place.folder, "data", "backups")];
      await Deno.chown(place.database, service, service);
      await create({ ...place, archive: join(folder, "one.tar.gz") });
      for (const made of ["data", "data/backups", "data/backups/one.tar.gz"]) {
        assert.equal(Deno.statSync(join(place.folder, made)).uid, service, made);
      }
    }),
);

Deno.test("createBackup() rejects an archive that does not read back as it was written", () =>
  withPlace(async (place) => {
    const archives = {
      ...place.tools.archives,
      pack: async (to: string, entries: readonly { name: string; path: string }[]) => {
        await place.tools.archives.pack(to, entries);
        await Deno.truncate(to, (await Deno.stat(to)).size - 500);
      },
    };
    const tools = { ...place.tools, archives };
    await assert.rejects(create({ ...place, tools }), /cannot read the archive/);
    assert.deepEqual(await names(place.folder), ["regfeed.db", "regfeed.db.key", "regfeed.toml"]);
  }));

Deno.test("backupTime() reverses backupName(), and returns null for other names", () => {
  assert.equal(backupName(NOW_MS), "regfeed-20260801T031500Z.tar.gz");
  assert.equal(backupTime(backupName(NOW_MS)), NOW_MS);
  assert.equal(scheduledName(NOW_MS), "scheduled-regfeed-20260801T031500Z.tar.gz");
  assert.equal(backupTime(scheduledName(NOW_MS)), NOW_MS);
  for (const rest of [".tar.gz", "-20260801T031500Z.tar.gz.part", "-20261341T031500Z.tar.gz"]) {
    assert.equal(backupTime(`regfeed${rest}`), null);
  }
});
