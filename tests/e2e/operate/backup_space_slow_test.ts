// Backups where there is no room, or no change is taken: what is said, and that nothing is left behind.
import assert from "node:assert/strict";
import { join } from "node:path";
import { MAY_MOUNT, withDisk } from "../../support/disks.ts";
import { regfeed, regfeedJson, serve, withFolder, writeConfig } from "../../support/process.ts";
import { needs } from "../../support/needs.ts";

/** A wrapper: says on stdout, after all that the program prints, what lies in the folder. */
const THEN_LIST = ["sh", "-c", '"$@"; code=$?; ls -A disk | sed "s/^/left: /"; exit $code', "sh"];

async function withStore(work: (folder: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    await writeConfig(folder, '[server]\nlisten = "127.0.0.1:0"\n');
    await Deno.mkdir(join(folder, "disk"));
    await regfeedJson(folder, ["customer", "add", "--email", "ana@example.org"]);
    await work(folder);
  });
}

Deno.test({
  ...needs(
    "backup create on a disk that is too small says how much is needed and free, and leaves nothing there",
    MAY_MOUNT,
  ),
  fn: () =>
    withStore(async (folder) => {
      const wrapper = [...withDisk(join(folder, "disk"), 200_704), ...THEN_LIST];
      const made = await regfeed(folder, ["backup", "create", "disk/a.tar.gz"], undefined, wrapper);
      assert.equal(made.code, 1, made.stdout);
      assert.match(
        made.stderr,
        /not enough space for a backup in .*disk, which needs about [\d.]+ [kM]B and has 201 kB free: free some space, or write it to another disk .*incomplete files were removed/,
      );
      assert.equal(made.stdout, "");
    }),
});

/** A wrapper: the folder's `disk` holds the archive, and takes no changes. */
function onMedium(folder: string): string[] {
  const disk = join(folder, "disk");
  const script = `cp good.tar.gz "${disk}" && mount -o remount,ro "${disk}" && exec "$@"`;
  return [...withDisk(disk, 16 * 1024 * 1024), "sh", "-c", script, "sh"];
}

Deno.test({
  ...needs(
    "backup verify reads an archive on a medium that takes no changes, among the temporary files or in a folder",
    MAY_MOUNT,
  ),
  fn: () =>
    withStore(async (folder) => {
      assert.equal((await regfeed(folder, ["backup", "create", "good.tar.gz"])).code, 0);
      const temporary = join(folder, "temporary");
      await Deno.mkdir(temporary);
      const verify = (more: string[], env: string[]) =>
        regfeed(folder, ["backup", "verify", "disk/good.tar.gz", ...more], undefined, [
          ...onMedium(folder),
          ...env,
        ]);
      const read = await verify([], ["env", `TMPDIR=${temporary}`]);
      assert.equal(read.code, 0, read.stderr);
      assert.match(read.stdout, /good\.tar\.gz is good: .*\nTABLE/);
      assert.deepEqual([...Deno.readDirSync(temporary)], []);
      const given = await verify(["--folder", "temporary"], ["env", "TMPDIR=/nowhere"]);
      assert.equal(given.code, 0, given.stderr);
      assert.deepEqual([...Deno.readDirSync(temporary)], []);
      const nowhere = await verify([], ["env", `TMPDIR=${join(folder, "disk")}`]);
      assert.equal(nowhere.code, 1);
      assert.match(nowhere.stderr, /disk is not writable; choose another folder with --folder FOLDER/);
    }),
});

Deno.test({
  ...needs(
    "backup verify beside a full disk goes to the temporary files, and says what is needed where both are full",
    MAY_MOUNT,
  ),
  fn: () =>
    withStore(async (folder) => {
      assert.equal((await regfeed(folder, ["backup", "create", "good.tar.gz"])).code, 0);
      const disk = join(folder, "disk");
      const full = [...withDisk(disk, 131_072), "sh", "-c", 'cp good.tar.gz disk && exec "$@"', "sh"];
      const verify = (env: string[]) =>
        regfeed(folder, ["backup", "verify", "disk/good.tar.gz"], undefined, [...full, ...THEN_LIST, ...env]);
      const read = await verify([]);
      assert.equal(read.code, 0, read.stderr);
      assert.match(read.stdout, /left: good\.tar\.gz\n$/);
      const nowhere = await verify(["env", `TMPDIR=${disk}`]);
      assert.equal(nowhere.code, 1, nowhere.stderr);
      assert.match(
        nowhere.stderr,
        /not enough space to unpack .*good\.tar\.gz in .*disk, which needs about [\d.]+ [kM]B and has [\d.]+ kB free: .*--folder FOLDER/,
      );
      assert.equal(nowhere.stdout, "left: good.tar.gz\n");
    }),
});

Deno.test({
  ...needs(
    "backup create saves a database from a disk that has become read-only, whatever stands in its log",
    MAY_MOUNT,
  ),
  fn: () =>
    withStore(async (folder) => {
      const disk = join(folder, "disk");
      // Killed, so that what was written last is in the log.
      const killed = await serve(folder);
      await killed.end("SIGKILL");
      await writeConfig(folder, '[store]\npath = "disk/regfeed.db"\n');
      for (const lost of ["", "&& rm disk/regfeed.db-wal disk/regfeed.db-shm", "&& rm disk/regfeed.db-shm"]) {
        const archive = `saved-${lost.length}.tar.gz`;
        const script = `cp -p data/regfeed.db* disk ${lost} && mount -o remount,ro disk && exec "$@"`;
        const wrapper = [...withDisk(disk, 16 * 1024 * 1024), "sh", "-c", script, "sh"];
        const made = await regfeed(folder, ["backup", "create", archive], undefined, wrapper);
        assert.equal(made.code, 0, made.stderr);
        const read = await regfeed(folder, ["backup", "verify", archive]);
        assert.match(read.stdout, /customers +1\n/, read.stderr);
      }
    }),
});
