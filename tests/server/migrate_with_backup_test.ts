// A backup is made before a migration, and is reused after an interruption.
import assert from "node:assert/strict";
import { join } from "node:path";
import { prepareDatabase, type Preparing, workHere } from "../../src/server/migrate_with_backup.ts";
import { lockFile } from "../../src/platform/files/file_lock.ts";
import { createFiles } from "../../src/platform/files/files.ts";
import type { Host } from "../../src/platform/process/process.ts";
import { openVaultFile } from "../../src/platform/vault.ts";
import { Connection } from "../../src/store/sqlite/connection/connection.ts";
import { createSqliteEngine } from "../../src/store/sqlite/engine.ts";
import { NEXT_MIGRATIONS } from "../support/next_version.ts";
import { withFolder } from "../support/process.ts";

const engine = createSqliteEngine(NEXT_MIGRATIONS);
const START_MS = Date.UTC(2026, 10, 22, 9);

Deno.test("an interrupted migration reuses its backup unless the database has changed", () =>
  withFolder(async (folder) => {
    const path = join(folder, "regfeed.db");
    const keyFile = join(folder, "regfeed.db.key");
    const file = join(folder, "regfeed.toml");
    await Deno.writeTextFile(file, "");
    createSqliteEngine().migrate(path, (options) => openVaultFile(keyFile, options));
    /** Simulates a kill during the first step: the file's settings are stored, but none of the step's changes are. */
    const die = () => {
      const connection = new Connection(path);
      connection.prepareFile();
      connection.preview(() => connection.script("create table half_a_step (id integer primary key) strict"));
      connection.close();
      return Promise.reject(new Error("killed"));
    };
    const said: string[] = [];
    const prepare = (minutes: number, work: Partial<Preparing["work"]> = {}) =>
      prepareDatabase(createFiles() as unknown as Host, {
        config: {
          store: { path, keyFile },
          backup: { folder: join(folder, "backups") },
        } as Preparing["config"],
        file,
        engine,
        storeName: path,
        nowMs: START_MS + minutes * 60_000,
        work: { ...workHere(engine), ...work },
        machine: { volumeOf: () => null },
        mayMigrate: true,
        say: (text) => void said.push(text),
      });
    const backups = () => [...Deno.readDirSync(join(folder, "backups"))].map(({ name }) => name).sort();
    const name = (minutes: string) =>
      `before-schema-${engine.schemaVersion}-regfeed-20261122T09${minutes}00Z.tar.gz`;

    await assert.rejects(prepare(0, { migrate: die }), /killed/);
    await assert.rejects(prepare(1, { migrate: die }), /killed/);
    assert.deepEqual(backups(), [name("00")]);
    assert.match(said.at(-1) ?? "", /a valid backup already exists/);

    const writer = new Connection(path);
    writer.script("update schema_history set version = '0.0.1'"); // the number of rows does not change
    writer.close();
    await assert.rejects(prepare(3, { migrate: die }), /killed/);
    assert.deepEqual(backups(), [name("00"), name("03")]);

    await Deno.writeTextFile(join(folder, "backups", name("03")), "half an archive");
    await prepare(4);
    assert.ok(said.includes("an earlier backup cannot be used: creating another one"));
    assert.deepEqual(backups(), [name("00"), name("03"), name("04")]);
    assert.equal(engine.schemaOf(path), engine.schemaVersion);
  }));

Deno.test("no database is created in place of one that is open, missing or linked", () =>
  withFolder(async (folder) => {
    const path = join(folder, "regfeed.db");
    const prepare = (storeName = path) =>
      prepareDatabase(createFiles() as unknown as Host, {
        config: { store: { path, keyFile: join(folder, "key") } } as Preparing["config"],
        file: join(folder, "regfeed.toml"),
        engine,
        storeName,
        nowMs: START_MS,
        work: workHere(engine),
        machine: { volumeOf: () => null },
        mayMigrate: true,
        say: () => {},
      });
    const exists = () => createFiles().exists(path);
    const server = await lockFile(`${path}.server`, "since then");
    await assert.rejects(prepare(), /but a server still has it open \(process \d+, since then\)/);
    assert.equal(await exists(), false);
    assert.equal(server.kind, "taken");
    server.release();
    await Deno.writeTextFile(`${path}-wal`, "what was stored last");
    await assert.rejects(prepare(), /it does not exist, but its write-ahead log does \(.*regfeed\.db-wal\)/);
    assert.equal(await exists(), false);
    await Deno.writeTextFile(`${path}-wal`, "");
    await assert.rejects(prepare("/data/link.db"), /the target of the link \/data\/link\.db does not exist/);
    assert.equal(await exists(), false);
    await prepare();
    assert.equal(await exists(), true);
  }));
