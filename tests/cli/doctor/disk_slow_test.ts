// The doctor on a disk that is mounted read-only.
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
      assert.match(before.stdout, /saved will be created in/, "another folder is not affected");

      await (await serve(folder)).end("SIGTERM");
      const writable = await regfeed(folder, "doctor --offline");
      assert.equal(writable.code, 0, writable.stdout);
      const after = await examine();
      assert.equal(after.code, 1, after.stdout);
      assert.match(after.stdout, seen);
    }),
);
