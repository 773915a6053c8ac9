// The doctor on a disk that is mounted read-only, and on a full one.
import assert from "node:assert/strict";
import { join } from "node:path";
import { works } from "../../support/disks.ts";
import { condition, LINUX, needs, ROOT } from "../../support/needs.ts";
import { regfeed, serve, withConfig } from "../../support/process.ts";

/** Returns a wrapper that runs a program with the folder mounted read-only for that program alone. */
const readOnly = (folder: string) => [
  ...["unshare", "-m", "sh", "-c"],
  'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"',
  folder,
];

/** Returns a wrapper that runs a program with an almost full disk mounted at the folder for that program alone. */
const full = (folder: string) => [
  ...["unshare", "-m", "sh", "-c", 'mount -t tmpfs -o size=64k tmpfs "$0" && exec "$@"'],
  folder,
];

const MAY_MOUNT = condition(
  await works("unshare", [...readOnly("/mnt").slice(1), "true"]),
  "this machine does not let tests mount a disk",
);

Deno.test(
  needs(
    "doctor reports a disk that is mounted read-only, before and after the first start",
    LINUX,
    ROOT,
    MAY_MOUNT,
  ),
  () =>
    withConfig('[server]\nlisten = "127.0.0.1:0"\n[backup]\nfolder = "saved"\n', async (folder) => {
      const data = join(folder, "data");
      await Deno.mkdir(data);
      const examine = () => regfeed(folder, "doctor --offline", undefined, readOnly(data));
      const before = await examine();
      assert.equal(before.code, 1, before.stdout);
      const seen =
        /PROBLEM {2}.*data cannot be written: its file system is read-only\n\s+→ .*mount the disk writable/;
      assert.match(before.stdout, seen);
      assert.match(before.stdout, /^ +↳ mail: .*data cannot be written: its file system is read-only$/m);
      assert.match(before.stdout, /^1 problem, /m);
      assert.match(before.stdout, /saved will be created in/, "another folder is not affected");

      await (await serve(folder)).end("SIGTERM");
      const writable = await regfeed(folder, "doctor --offline");
      assert.equal(writable.code, 0, writable.stdout);
      const after = await examine();
      assert.equal(after.code, 1, after.stdout);
      assert.match(after.stdout, seen);
    }),
);

Deno.test(
  needs("doctor reports a full disk once, with what it affects", LINUX, ROOT, MAY_MOUNT),
  () =>
    withConfig('[backup]\nschedule = "15 3 * * *"\n', async (folder) => {
      const data = join(folder, "data");
      await Deno.mkdir(data);
      const { code, stdout } = await regfeed(folder, "doctor --offline", undefined, full(data));
      assert.equal(code, 1, stdout);
      const expected = [
        /^store +PROBLEM {2}only 65\.5 kB free at \S+data$/,
        /^ +→ free some space, or move the folder to a larger disk$/,
        /^ +↳ backup: only 65\.5 kB free at \S+backups$/,
        /^ +↳ backup: a backup is overdue: no backup in \S+backups$/,
      ];
      for (const [at, line] of stdout.split("\n").slice(0, expected.length).entries()) {
        assert.match(line, expected[at] ?? /never/);
      }
      assert.match(stdout, /^1 problem, /m);
    }),
);
