// Archives are accepted only if they are complete and undamaged.
import assert from "node:assert/strict";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { packTar, type TarEntry } from "modern-tar";
import { withBackup } from "../../src/backup/verify.ts";
import { releaseDatabase } from "../../src/store/sqlite/connection/inspect.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { anEvent, publish } from "../store/contract/given.ts";
import { testVault } from "../support/vault.ts";
import { create, names, type Place, readArchive, withPlace } from "./place.ts";
import { TEMPORARY } from "../support/temporary.ts";

const DAMAGES: [string, (place: Place) => Promise<void>, RegExp][] = [
  ["cut short", async ({ archive }) => {
    await Deno.truncate(archive, Math.floor((await Deno.stat(archive)).size / 2));
  }, /cannot read the archive .*: it is truncated or damaged .*: copy it again/],
  [
    "empty",
    ({ archive }) => Deno.truncate(archive, 0),
    /: it is empty; a backup is a gzipped tar file created by/,
  ],
  ["a folder", async ({ archive }) => {
    await Deno.remove(archive);
    await Deno.mkdir(archive);
  }, /: it is a folder; a backup is a gzipped/],
  [
    "the database itself",
    ({ archive, database }) => Deno.copyFile(database, archive),
    /: it is a database, not an archive/,
  ],
  [
    "unpacked",
    async ({ archive }) => Deno.writeFile(archive, gunzipSync(await Deno.readFile(archive))),
    /: it is a tar file that is not gzipped/,
  ],
  [
    "noise",
    ({ archive }) => Deno.writeFile(archive, crypto.getRandomValues(new Uint8Array(2_000)).fill(0, 0, 2)),
    /: it is not a gzip file; a backup is/,
  ],
  [
    "another kind of file",
    ({ archive }) => Deno.writeTextFile(archive, "hello".repeat(200)),
    /: it is a text file; a backup is a gzipped/,
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
    }), /is damaged: regfeed\.db does not match/],
  [
    "no database",
    (place) => repack(place, (folder) => Deno.remove(join(folder, "regfeed.db"))),
    /regfeed\.db is missing/,
  ],
  [
    "no manifest",
    (place) => repack(place, (folder) => Deno.remove(join(folder, "manifest.json"))),
    /it is not a Regfeed backup/,
  ],
  [
    "a manifest of something else",
    (place) =>
      repack(place, (folder) => Deno.writeTextFile(join(folder, "manifest.json"), `{"name": "else"}`)),
    /that is not from Regfeed/,
  ],
  [
    "a newer format",
    (place) => repack(place, (folder) => Deno.writeTextFile(join(folder, "manifest.json"), `{"format": 2}`)),
    /created by a newer version of Regfeed \(format 2\)/,
  ],
  ["an entry that leads elsewhere", async ({ archive }) => {
    const evil = await packTar([{ header: { name: "../evil", size: 4 }, body: "evil" }]);
    await Deno.writeFile(archive, gzipSync(evil));
  }, /an entry that is not part of a backup: "\.\.\/evil"/],
  ["a link", async ({ archive }) => {
    const header = { name: "manifest.json", size: 0, type: "symlink", linkname: "/etc/passwd" } as const;
    await Deno.writeFile(archive, gzipSync(await packTar([{ header }])));
  }, /an entry that is not part of a backup/],
  ["something behind its end", async ({ archive }) => {
    await Deno.writeTextFile(archive, "x".repeat(1_000), { append: true });
  }, /cannot read the archive .*: it is truncated or damaged .*: copy it again/],
  ["a config that fills the disk", (place) =>
    repack(place, async (folder) => {
      const path = join(folder, "regfeed.toml");
      await Deno.remove(path);
      await Deno.writeTextFile(path, "");
      await Deno.truncate(path, 100_000_000);
    }), /its regfeed\.toml is too large for a backup \(100 MB\)/],
  ["a time that no calendar has", (place) =>
    repack(place, async (folder) => {
      const path = join(folder, "manifest.json");
      const manifest = JSON.parse(await Deno.readTextFile(path));
      await Deno.writeTextFile(path, JSON.stringify({ ...manifest, created_at: 9e15 }));
    }), /that is not from Regfeed/],
  ["a row too few", (place) =>
    repack(place, async (folder) => {
      const path = join(folder, "manifest.json");
      const manifest = JSON.parse(await Deno.readTextFile(path));
      manifest.rows.events = 4;
      await Deno.writeTextFile(path, JSON.stringify(manifest));
    }), /table events contains 3 rows, but its manifest says 4/],
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

async function repack({ archive }: Place, change: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir(TEMPORARY);
  for (const { name, data } of await readArchive(archive)) await Deno.writeFile(join(folder, name), data);
  await change(folder);
  const entries: TarEntry[] = [];
  for (const name of await names(folder)) {
    const body = await Deno.readFile(join(folder, name));
    entries.push({ header: { name, size: body.length }, body });
  }
  await Deno.writeFile(archive, gzipSync(await packTar(entries)));
  await Deno.remove(folder, { recursive: true });
}
