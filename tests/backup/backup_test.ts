// Backups: made only of what is sound, believed only when whole, restored without losing what they replace.
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  backupName,
  backupTime,
  type BackupTools,
  createBackup,
  findLeftovers,
  scheduledName,
} from "../../src/backup/create.ts";
import { restoreBackup } from "../../src/backup/restore.ts";
import { withBackup } from "../../src/backup/verify.ts";
import type { BackupManifest } from "../../src/domain/backup.ts";
import { createArchives } from "../../src/platform/archive.ts";
import { createFiles } from "../../src/platform/files.ts";
import { copyDatabase } from "../../src/store/sqlite/copy.ts";
import { createDatabaseFiles } from "../../src/platform/database_files.ts";
import { inspectDatabase, releaseDatabase } from "../../src/store/sqlite/inspect.ts";
import { SCHEMA_VERSION } from "../../src/store/sqlite/migrate.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { anEvent, publish } from "../store/contract/given.ts";
import { testVault } from "../support/vault.ts";

const NOW_MS = Date.parse("2026-08-01T03:15:00Z");

/** A folder with a store of three events, a config, a key, and the tools of a real machine. */
interface Place {
  folder: string;
  database: string;
  config: string;
  key: string;
  archive: string;
  tools: BackupTools;
}

async function withPlace(work: (place: Place) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "regfeed-backup-" });
  const databaseFiles = createDatabaseFiles();
  const at = (name: string) => join(folder, name);
  const place: Place = {
    folder,
    database: at("regfeed.db"),
    config: at("regfeed.toml"),
    key: at("regfeed.db.key"),
    archive: at("backup.tar.gz"),
    tools: {
      files: createFiles(),
      archives: createArchives(),
      copyDatabase: (from, to) => copyDatabase(from, to, databaseFiles),
      inspect: (path) => Promise.resolve(inspectDatabase(path)),
      version: "1.2.3",
    },
  };
  try {
    const store = openStore(place.database, testVault);
    await publish(store, [anEvent("evt_1"), anEvent("evt_2"), anEvent("evt_3")]);
    await store.close();
    await Deno.writeTextFile(place.config, "# the config\n");
    await Deno.writeTextFile(place.key, "k".repeat(32));
    await work(place);
  } finally {
    databaseFiles.close();
    await Deno.remove(folder, { recursive: true });
  }
}

function create({ archive, database, config, key, tools }: Place, withKey = false): Promise<BackupManifest> {
  const secretKey = withKey ? key : null;
  return createBackup({ to: archive, nowMs: NOW_MS, database, config, secretKey }, tools);
}

async function names(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of Deno.readDir(folder)) found.push(name);
  return found.sort();
}

/** The archive's entries as the system's own tar lists them. */
async function listed(archive: string): Promise<string[]> {
  const { stdout, success } = await new Deno.Command("tar", { args: ["tzf", archive] }).output();
  assert.ok(success);
  return new TextDecoder().decode(stdout).trim().split("\n");
}

Deno.test("a backup holds the config of one moment, although somebody edits it meanwhile", async () => {
  await withPlace(async (place) => {
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
  });
});

Deno.test("a backup is an archive that tar opens, with a manifest of what it holds, for its owner alone", async () => {
  await withPlace(async (place) => {
    const manifest = await create(place);
    assert.deepEqual(await listed(place.archive), ["manifest.json", "regfeed.toml", "regfeed.db"]);
    assert.equal((await Deno.stat(place.archive)).mode! & 0o777, 0o600);
    assert.equal(manifest.rows["events"], 3);
    assert.equal(manifest.schema, SCHEMA_VERSION);
    assert.equal(manifest.version, "1.2.3");
    assert.deepEqual(await names(place.folder), [
      "backup.tar.gz",
      "regfeed.db",
      "regfeed.db.key",
      "regfeed.toml",
    ]);
    await withBackup(place.archive, place.tools, (read) => {
      assert.deepEqual(read.manifest, manifest);
      assert.equal(read.database.rows["events"], 3);
      return Promise.resolve();
    });
  });
});

Deno.test("the secret key is in a backup only when it was asked for", async () => {
  await withPlace(async (place) => {
    await create(place, true);
    assert.ok((await listed(place.archive)).includes("regfeed.db.key"));
  });
  await withPlace(async (place) => {
    await create(place);
    assert.ok(!(await listed(place.archive)).includes("regfeed.db.key"));
  });
});

Deno.test("createBackup() overwrites nothing", async () => {
  await withPlace(async (place) => {
    await Deno.writeTextFile(place.archive, "mine");
    await assert.rejects(create(place), /is there already: give another name/);
    assert.equal(await Deno.readTextFile(place.archive), "mine");
  });
});

Deno.test("createBackup() makes no backup of a damaged database, and leaves nothing behind", async () => {
  await withPlace(async (place) => {
    const inspect = (path: string) =>
      Promise.resolve({ ...inspectDatabase(path), problems: ["row 7 missing"] });
    const tools = { ...place.tools, inspect };
    await assert.rejects(
      create({ ...place, tools }),
      /the database is damaged.*row 7 missing.*keep your older/s,
    );
    assert.deepEqual(await names(place.folder), ["regfeed.db", "regfeed.db.key", "regfeed.toml"]);
  });
});

Deno.test("createBackup() removes what a killed process left behind, and nothing that somebody works on", async () => {
  await withPlace(async (place) => {
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
    await agoMs(join(busy, "regfeed.db"), 60_000); // its folder is as old as the other one
    for (const path of [dead, busy]) await agoMs(path, 2_000_000);
    const { files } = place.tools;
    assert.deepEqual(await findLeftovers(place.folder, NOW_MS, files), [dead]);
    await create(place);
    assert.deepEqual(await findLeftovers(place.folder, Infinity, files), [busy]);
  });
});

Deno.test("createBackup() copies the config and the key for their owner alone", async () => {
  await withPlace(async (place) => {
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
  });
});

Deno.test({
  name: "createBackup() run by root leaves folder and archive to the service whose database it is",
  ignore: Deno.uid() !== 0,
  fn: () =>
    withPlace(async (place) => {
      const [service, folder] = [65_534, join(place.folder, "data", "backups")];
      await Deno.chown(place.database, service, service);
      await create({ ...place, archive: join(folder, "one.tar.gz") });
      for (const made of ["data", "data/backups", "data/backups/one.tar.gz"]) {
        assert.equal(Deno.statSync(join(place.folder, made)).uid, service, made);
      }
    }),
});

Deno.test("createBackup() believes no archive that does not read back as it was written", async () => {
  await withPlace(async (place) => {
    const archives = {
      ...place.tools.archives,
      pack: async (to: string, entries: readonly { name: string; path: string }[]) => {
        await place.tools.archives.pack(to, entries);
        await Deno.truncate(to, (await Deno.stat(to)).size - 500);
      },
    };
    await assert.rejects(
      create({ ...place, tools: { ...place.tools, archives } }),
      /cannot read the archive/,
    );
    assert.deepEqual(await names(place.folder), ["regfeed.db", "regfeed.db.key", "regfeed.toml"]);
  });
});

/** What can become of an archive, and what is said of it. */
const DAMAGES: [string, (place: Place) => Promise<void>, RegExp][] = [
  ["cut short", async ({ archive }) => {
    await Deno.truncate(archive, Math.floor((await Deno.stat(archive)).size / 2));
  }, /cannot read the archive/],
  ["empty", ({ archive }) => Deno.truncate(archive, 0), /cannot read the archive|no manifest\.json/],
  [
    "another kind of file",
    ({ archive }) => Deno.writeTextFile(archive, "hello".repeat(200)),
    /cannot read the archive/,
  ],
  ["a byte changed", async ({ archive }) => {
    const bytes = await Deno.readFile(archive);
    const middle = Math.floor(bytes.length / 2);
    bytes[middle] = (bytes[middle] ?? 0) ^ 0x10;
    await Deno.writeFile(archive, bytes);
  }, /cannot read the archive|is damaged/],
  ["another database put in", (place) =>
    repack(place, async (folder) => {
      const store = openStore(join(folder, "regfeed.db"), testVault);
      await publish(store, [anEvent("evt_4")]);
      await store.close();
      releaseDatabase(join(folder, "regfeed.db"));
    }), /is damaged: regfeed\.db is not the file/],
  [
    "no database",
    (place) => repack(place, (folder) => Deno.remove(join(folder, "regfeed.db"))),
    /it has no regfeed\.db/,
  ],
  [
    "no manifest",
    (place) => repack(place, (folder) => Deno.remove(join(folder, "manifest.json"))),
    /it is no backup of Regfeed/,
  ],
  [
    "a manifest of something else",
    (place) =>
      repack(place, (folder) => Deno.writeTextFile(join(folder, "manifest.json"), `{"name": "else"}`)),
    /none of Regfeed's/,
  ],
  [
    "a newer format",
    (place) => repack(place, (folder) => Deno.writeTextFile(join(folder, "manifest.json"), `{"format": 2}`)),
    /written by a newer Regfeed \(format 2\)/,
  ],
  ["an entry that leads elsewhere", async ({ archive, folder }) => {
    await Deno.writeTextFile(join(folder, "evil"), "evil");
    await tar(["czf", archive, "-P", "--transform", "s|.*|../evil|", join(folder, "evil")]);
  }, /an entry that belongs to no backup: "\.\.\/evil"/],
  ["a link", async ({ archive, folder }) => {
    await Deno.symlink("/etc/passwd", join(folder, "manifest.json"));
    await tar(["czf", archive, "-C", folder, "manifest.json"]);
  }, /an entry that belongs to no backup/],
  ["a row too few", (place) =>
    repack(place, async (folder) => {
      const path = join(folder, "manifest.json");
      const manifest = JSON.parse(await Deno.readTextFile(path));
      manifest.rows.events = 4;
      await Deno.writeTextFile(path, JSON.stringify(manifest));
    }), /table events holds 3 rows, its manifest says 4/],
];

for (const [what, damage, message] of DAMAGES) {
  Deno.test(`withBackup() refuses an archive: ${what}`, async () => {
    await withPlace(async (place) => {
      await create(place);
      await damage(place);
      const before = await names(place.folder);
      await assert.rejects(
        withBackup(place.archive, place.tools, () => Promise.resolve(assert.fail("it was used"))),
        message,
      );
      assert.deepEqual(await names(place.folder), before);
    });
  });
}

async function tar(args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command("tar", { args }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

/** Changes what an archive holds, with the system's own tar. */
async function repack({ archive }: Place, change: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  await tar(["xzf", archive, "-C", folder]);
  await change(folder);
  await tar(["czf", archive, "-C", folder, ...await names(folder)]);
  await Deno.remove(folder, { recursive: true });
}

function restore(
  { archive, database, key, tools }: Place,
  change: { force?: boolean; schemaVersion?: number } = {},
) {
  const request = { from: archive, database, secretKey: key, force: change.force ?? false, nowMs: NOW_MS };
  const schemaVersion = change.schemaVersion ?? SCHEMA_VERSION;
  return restoreBackup(request, { ...tools, release: releaseDatabase, schemaVersion });
}

Deno.test("restoreBackup() replaces nothing without force, and keeps what it replaces", async () => {
  await withPlace(async (place) => {
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
  });
});

Deno.test("restoreBackup() touches no database that somebody has open", async () => {
  await withPlace(async (place) => {
    await create(place);
    const store = openStore(place.database, testVault);
    await publish(store, [anEvent("evt_4")]);
    await assert.rejects(restore(place, { force: true }), /in use: stop the server first/);
    await publish(store, [anEvent("evt_5")]);
    await store.close();
    assert.equal(inspectDatabase(place.database).rows["events"], 5);
  });
});

Deno.test("restoreBackup() refuses a newer schema and names the version that reads it", async () => {
  await withPlace(async (place) => {
    await create(place);
    const before = await Deno.readFile(place.database);
    await assert.rejects(
      restore(place, { force: true, schemaVersion: SCHEMA_VERSION - 1 }),
      new RegExp(
        `has schema ${SCHEMA_VERSION}.*up to ${
          SCHEMA_VERSION - 1
        }: restore it with Regfeed 1\\.2\\.3 or a newer one`,
      ),
    );
    assert.deepEqual(await Deno.readFile(place.database), before);
  });
});

Deno.test("restoreBackup() leaves no old log beside the database: it would be read into it", async () => {
  await withPlace(async (place) => {
    await create(place);
    await Deno.remove(place.database);
    await Deno.writeTextFile(`${place.database}-wal`, "an old log");
    await restore(place);
    assert.equal(inspectDatabase(place.database).rows["events"], 3);
    assert.equal(await Deno.readTextFile(`${place.database}-wal.replaced-20260801T031500Z`), "an old log");
  });
});

Deno.test("backupName() and backupTime() agree, and no other name has a time", () => {
  assert.equal(backupName(NOW_MS), "regfeed-20260801T031500Z.tar.gz");
  assert.equal(backupTime(backupName(NOW_MS)), NOW_MS);
  assert.equal(scheduledName(NOW_MS), "scheduled-regfeed-20260801T031500Z.tar.gz");
  assert.equal(backupTime(scheduledName(NOW_MS)), NOW_MS);
  for (
    const name of [
      "regfeed.tar.gz",
      "regfeed-20260801T031500Z.tar.gz.part",
      "regfeed-20261341T031500Z.tar.gz",
    ]
  ) {
    assert.equal(backupTime(name), null);
  }
});
