// The doctor's checks of volumes and folders.
import assert from "node:assert/strict";
import type { Obstacle } from "../../../src/platform/files/users.ts";
import { adviceOn } from "../../../src/server/obstacle_advice.ts";
import { join } from "node:path";
import { checkFolder, checkVolume } from "../../../src/server/checks/disk.ts";
import { groupSymptoms, type Level } from "../../../src/domain/operator/finding.ts";
import { prepareDatabase, workHere } from "../../../src/server/migrate_with_backup.ts";
import { createSqliteEngine } from "../../../src/store/sqlite/engine.ts";
import { createFiles } from "../../../src/platform/files/files.ts";
import { kindOf, type Volume } from "../../../src/platform/files/machine.ts";
import type { Host } from "../../../src/platform/process/process.ts";
import { withFolder } from "../../support/process.ts";
import { createWorld } from "../../support/world.ts";

const GB = 1e9;
const DISK: Volume = { kind: "ext", isNetwork: false, freeBytes: 50 * GB };

const machineOf = (volume: Volume | null) => ({
  volumeOf: () => volume,
  rightsOf: () => ({
    isFolder: true,
    mode: 0o700,
    isRoots: false,
    mayRead: true,
    mayWrite: true,
    isReadOnly: false,
  }),
});

Deno.test("checkVolume() reports network file systems and volumes with little space", () => {
  const cases: [string, Partial<Volume>, number, Level, RegExp][] = [
    ["a disk", {}, 0, "good", /50\.0 GB free/],
    ["nfs", { kind: "nfs", isNetwork: true }, 0, "problem", /on nfs, a network file system/],
    ["full", { freeBytes: 5e6 }, 0, "problem", /only 5\.0 MB free/],
    ["nearly full", { freeBytes: 5e8 }, 0, "warning", /500 MB free/],
    ["too small for a backup", { freeBytes: 5 * GB }, 6 * GB, "warning", /a backup may need 6\.0 GB/],
  ];
  for (const [name, change, wanted, level, seen] of cases) {
    const [finding] = checkVolume("store", "/data", machineOf({ ...DISK, ...change }), wanted);
    assert.equal(finding?.level, level, name);
    assert.match(finding?.seen ?? "", seen, name);
    assert.equal(finding?.todo === null, level === "good", name);
  }
  assert.deepEqual(checkVolume("store", "/data", machineOf(null)), []);
});

Deno.test("kindOf() recognises network file systems by their magic numbers", () => {
  const networks = {
    0x6969: "nfs",
    0xff534d42: "cifs",
    [-11317950]: "cifs",
    0xfe534d42: "smb2",
    0x01021997: "9p",
  };
  for (const [type, kind] of Object.entries(networks)) {
    assert.deepEqual(kindOf(Number(type)), { kind, isNetwork: true });
  }
  assert.deepEqual(kindOf(0xef53), { kind: "ext", isNetwork: false });
  assert.deepEqual(kindOf(12345), { kind: null, isNetwork: false });
});

Deno.test("checkFolder() checks the folder in which a missing one would be created", () => {
  const machine = (mayWrite: boolean) => ({
    rightsOf: (path: string) =>
      path === "/srv"
        ? { isFolder: true, mode: 0o755, isRoots: false, mayRead: true, mayWrite, isReadOnly: false }
        : null,
  });
  assert.equal(
    checkFolder("store", "/srv/regfeed/data", machine(true)).seen,
    "/srv/regfeed/data will be created in /srv",
  );
  assert.equal(checkFolder("store", "/srv", machine(true)).seen, "/srv can be written");
  assert.match(checkFolder("store", "/srv/data", machine(false)).todo ?? "", /chown USER \/srv/);
});

Deno.test("doctor does not open a database on a network file system", async () => {
  const world = await createWorld();
  await withFolder(async (folder) => {
    const config = { ...world.config, store: { ...world.config.store, path: join(folder, "regfeed.db") } };
    const machine = { volumeOf: () => ({ ...DISK, kind: "nfs", isNetwork: true }) };
    await assert.rejects(
      prepareDatabase(createFiles() as Host, {
        config,
        file: join(folder, "regfeed.toml"),
        storeName: config.store.path,
        nowMs: 0,
        engine: createSqliteEngine(),
        work: workHere(createSqliteEngine()),
        machine,
        mayMigrate: true,
        say: () => {},
      }),
      /network file system.*move it to a local disk/,
    );
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  });
  await world.close();
});

Deno.test("an unwritable folder is one finding, with advice for its cause", () => {
  const rows: [obstacle: Partial<Obstacle>, why: RegExp, todo: string][] = [
    [{ owner: "ana" }, /has mode 0555, so the user ana cannot write to it$/, "chmod u+rwX /srv"],
    [{ isImmutable: true, mode: 0o755 }, /whatever its mode$/, "chattr -i /srv"],
    [{}, /belongs to regfeed .*runs as ana/, "chown -R ana /srv"],
  ];
  for (const [given, why, todo] of rows) {
    const obstacle: Obstacle = {
      path: "/srv",
      what: "write",
      owner: "regfeed",
      mode: 0o555,
      isImmutable: false,
      ...given,
    };
    const advice = adviceOn(obstacle, { user: "ana", data: "/srv" });
    assert.match(advice.why, why);
    assert.ok(advice.todo.endsWith(todo), advice.todo);
  }
  const closed = { rightsOf: () => ({ ...machineOf(DISK).rightsOf(), mayWrite: false }) };
  const findings = ["store", "backup", "mail"].map((area) => checkFolder(area, "/srv/none", closed));
  assert.deepEqual(groupSymptoms(findings).map(({ area, symptoms }) => [area, symptoms?.length]), [[
    "store",
    2,
  ]]);
});
