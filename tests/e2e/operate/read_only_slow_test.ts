// A database that cannot be written: the server and the commands do not start, and say what to do.
import assert from "node:assert/strict";
import { join } from "node:path";
import { Client, fill, FIRST, HELD_TO_RIGHTS, MAY_HOLD, MAY_MOUNT, withPeers } from "../../support/disks.ts";
import { needs, ROOT } from "../../support/needs.ts";
import { regfeed, serve } from "../../support/process.ts";

for (
  const { name, closed, advice } of [
    { name: "the folder", closed: { disk: 0o555 }, advice: /disk has mode 0555, .*: chmod u\+rwX \S+disk$/ },
    {
      name: "the file",
      closed: { "disk/regfeed.db": 0o444 },
      advice: /regfeed\.db has mode 0444, .*: chmod u\+rwX \S+regfeed\.db$/,
    },
    {
      name: "the folder and the file",
      closed: { "disk/regfeed.db": 0o444, disk: 0o555 },
      advice: /chmod u\+rwX/,
    },
  ]
) {
  Deno.test(
    needs(
      `a server that cannot write to ${name} of its database exits with code 1 and says what to do`,
      MAY_HOLD,
    ),
    () =>
      withPeers(async (folder, board) => {
        const key = await fill(folder, board);
        const before = new Map<string, number>();
        for (const [path, mode] of Object.entries(closed)) {
          before.set(path, (await Deno.stat(join(folder, path))).mode ?? 0);
          await Deno.chmod(join(folder, path), mode);
        }
        for (const line of ["serve", "source list"]) {
          const { code, stderr } = await regfeed(folder, line, undefined, HELD_TO_RIGHTS);
          assert.equal(code, 1, stderr);
          assert.match(stderr.trim(), advice);
        }
        for (const [path, mode] of before) await Deno.chmod(join(folder, path), mode & 0o777);
        const server = await serve(folder, {}, HELD_TO_RIGHTS);
        assert.deepEqual(await new Client(server, key).titles(), [FIRST]);
        assert.equal((await server.end("SIGTERM")).code, 0);
      }),
  );
}

Deno.test(
  needs("a start without permission to create a database says what to do", MAY_HOLD),
  () =>
    withPeers(async (folder) => {
      await Deno.chmod(join(folder, "disk"), 0o555);
      const { code, stderr } = await regfeed(folder, "serve", undefined, HELD_TO_RIGHTS);
      assert.equal(code, 1, stderr);
      assert.match(
        stderr,
        /the store .*regfeed\.db cannot be opened: cannot lock .*disk has mode 0555, so .* cannot write to it: chmod/,
      );
    }),
);

Deno.test(
  needs("a command run by another user names the owner, the obstacle and the solution", ROOT, MAY_HOLD),
  () =>
    withPeers(async (folder, board) => {
      await fill(folder, board);
      const nobody = 65_534;
      const cases: [path: string, mode: number, said: RegExp][] = [
        [
          "disk",
          0o700,
          /\/disk belongs to \S+ \(mode 0700\), and this process runs as root, who cannot enter it: run this command as (\S+) \(`sudo -u \1 regfeed …`\), or give the data to root: chown -R root \S+\/disk$/,
        ],
        ["disk/regfeed.db", 0o600, /regfeed\.db belongs to \S+ \(mode 0600\), .* who cannot read it/],
      ];
      for (const [path, mode, said] of cases) {
        const at = join(folder, path);
        await Deno.chown(at, nobody, nobody);
        const before = (await Deno.stat(at)).mode ?? 0;
        await Deno.chmod(at, mode);
        const looks = path === "disk" ? [["backup", "create"], ["store", "new-key", "--yes"]] : [];
        for (const args of [["serve"], ["source", "list"], ["delivery", "list"], ...looks]) {
          const { code, stderr } = await regfeed(folder, args, undefined, HELD_TO_RIGHTS);
          assert.equal(code, 1, stderr);
          assert.match(stderr.trim(), said);
          assert.doesNotMatch(stderr, /cannot make/);
        }
        await Deno.chown(at, 0, 0);
        await Deno.chmod(at, before & 0o777);
      }
    }),
);

Deno.test(
  needs(
    "on a read-only disk, server and commands refuse the database, and backup create saves it",
    MAY_MOUNT,
  ),
  () =>
    withPeers(async (folder, board) => {
      await fill(folder, board);
      const disk = join(folder, "disk");
      const script = `mount --bind "${disk}" "${disk}" && mount -o remount,ro,bind "${disk}" && exec "$@"`;
      const wrapper = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh"];
      for (const line of ["serve", "source list"]) {
        const { code, stderr } = await regfeed(folder, line, undefined, wrapper);
        assert.equal(code, 1, stderr);
        assert.match(
          stderr,
          /Read-only file system.*; the database cannot be written: make its folder, the files/,
        );
      }
      const archive = join(folder, "saved.tar.gz");
      const saved = await regfeed(folder, `backup create ${archive}`, undefined, wrapper);
      assert.equal(saved.code, 0, saved.stderr);
      assert.equal((await regfeed(folder, `backup verify ${archive}`)).code, 0);
    }),
);
