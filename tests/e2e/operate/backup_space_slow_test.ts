// On a full or read-only disk, a backup fails with a helpful message and leaves no files.
import assert from "node:assert/strict";
import { join } from "node:path";
import { MAY_MOUNT, withDisk } from "../../support/disks.ts";
import { regfeed, regfeedJson, serve, withConfig, writeConfig } from "../../support/process.ts";
import { needs } from "../../support/needs.ts";

/** A wrapper that lists the folder on stdout after the output of the program. */
const THEN_LIST = ["sh", "-c", '"$@"; code=$?; ls -A disk | sed "s/^/left: /"; exit $code', "sh"];

async function withStore(work: (folder: string) => Promise<void>): Promise<void> {
  await withConfig('[server]\nlisten = "127.0.0.1:0"\n', async (folder) => {
    await Deno.mkdir(join(folder, "disk"));
    await regfeedJson(folder, "customer add --email ana@example.org");
    await work(folder);
  });
}

Deno.test(
  needs("backup create on a small disk reports the required and free space and leaves no files", MAY_MOUNT),
  () =>
    withStore(async (folder) => {
      const wrapper = [...withDisk(join(folder, "disk"), 200_704), ...THEN_LIST];
      const made = await regfeed(folder, "backup create disk/a.tar.gz", undefined, wrapper);
      assert.equal(made.code, 1, made.stdout);
      assert.match(
        made.stderr,
        /not enough space for a backup in .*disk \(about [\d.]+ [kM]B needed, 201 kB free\): free some space, or write the backup to another disk .*incomplete files were removed/,
      );
      assert.equal(made.stdout, "");
    }),
);

Deno.test(
  needs("backup create saves a database on a read-only disk with its write-ahead log", MAY_MOUNT),
  () =>
    withStore(async (folder) => {
      const disk = join(folder, "disk");
      // Killed, so that the last writes are still in the write-ahead log.
      const killed = await serve(folder);
      await killed.end("SIGKILL");
      await writeConfig(folder, '[store]\npath = "disk/regfeed.db"\n');
      for (const lost of ["", "&& rm disk/regfeed.db-wal disk/regfeed.db-shm", "&& rm disk/regfeed.db-shm"]) {
        const archive = `saved-${lost.length}.tar.gz`;
        const script = `cp -p data/regfeed.db* disk ${lost} && mount -o remount,ro disk && exec "$@"`;
        const wrapper = [...withDisk(disk, 16 * 1024 * 1024), "sh", "-c", script, "sh"];
        const made = await regfeed(folder, `backup create ${archive}`, undefined, wrapper);
        assert.equal(made.code, 0, made.stderr);
        const read = await regfeed(folder, `backup verify ${archive}`);
        assert.match(read.stdout, /customers +1\n/, read.stderr);
      }
    }),
);
