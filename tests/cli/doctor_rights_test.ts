// What the doctor says of who can read and change what.
import assert from "node:assert/strict";
import { join } from "node:path";
import { judgeConfigFile, judgeGivenSecret, judgeSecretFile } from "../../src/cli/doctor/disk.ts";
import { mayByMode } from "../../src/platform/machine.ts";
import { regfeed, serve, withFolder, writeConfig } from "../support/process.ts";
import { needs, ROOT, UNPRIVILEGED } from "../support/needs.ts";

Deno.test("judgeSecretFile() wants secrets to be their owner's alone", () => {
  const rights = {
    isFolder: false,
    mode: 0o600,
    isRoots: false,
    mayRead: true,
    mayWrite: true,
    isReadOnly: false,
  };
  assert.equal(judgeSecretFile("/k", rights).level, "good");
  assert.match(judgeSecretFile("/k", { ...rights, mode: 0o640 }).seen, /mode 640: others can read it/);
  assert.equal(judgeSecretFile("/k", { ...rights, mode: 0o604 }).todo, "chmod 600 /k");
  assert.match(
    judgeSecretFile("/k", { ...rights, mayRead: false }).seen,
    /cannot be read by this user/,
  );
  assert.match(judgeSecretFile("/k", null).seen, /is not there/);
});

Deno.test("judgeGivenSecret() lets root's files be read by a service's group, as a package lays them out", () => {
  const rights = {
    isFolder: false,
    mode: 0o640,
    isRoots: true,
    mayRead: true,
    mayWrite: false,
    isReadOnly: false,
  };
  assert.equal(judgeGivenSecret("/k", rights).level, "good");
  assert.match(judgeGivenSecret("/k", rights).seen, /is root's, and its group's to read/);
  assert.match(judgeGivenSecret("/k", { ...rights, mode: 0o600 }).seen, /is its owner's alone/);
  assert.equal(judgeGivenSecret("/k", { ...rights, isRoots: false }).todo, "chmod 600 /k");
  assert.match(
    judgeGivenSecret("/k", { ...rights, mode: 0o644 }).todo ?? "",
    /^chmod 640 \/k, and chgrp/,
  );
  assert.match(judgeGivenSecret("/k", { ...rights, mode: 0o660 }).seen, /mode 660/);
  assert.match(judgeGivenSecret("/k", null).seen, /is not there/);
});

Deno.test("judgeConfigFile() wants a config with secrets in it closed, and one without them only unchanged", () => {
  const rights = {
    isFolder: false,
    mode: 0o644,
    isRoots: false,
    mayRead: true,
    mayWrite: true,
    isReadOnly: false,
  };
  const inPlace = ["payment.webhook_secret", "mail.smtp_url"];
  assert.deepEqual(judgeConfigFile("/c", rights, []), []);
  const [open] = judgeConfigFile("/c", rights, inPlace);
  assert.equal(open?.level, "problem");
  assert.equal(
    open?.seen,
    "/c has mode 644, so that others can read payment.webhook_secret, mail.smtp_url",
  );
  assert.match(open?.todo ?? "", /^chmod 600 \/c .*webhook_secret_file = /);
  assert.deepEqual(judgeConfigFile("/c", { ...rights, mode: 0o600 }, inPlace), []);
  assert.equal(judgeConfigFile("/c", { ...rights, mode: 0o640 }, inPlace).length, 1);
  const roots = { ...rights, isRoots: true };
  assert.deepEqual(judgeConfigFile("/c", { ...roots, mode: 0o640 }, inPlace), []);
  assert.match(judgeConfigFile("/c", roots, inPlace)[0]?.todo ?? "", /^chmod 640/);
  assert.equal(judgeConfigFile("/c", { ...rights, mode: 0o620 }, [])[0]?.todo, "chmod go-w /c");
});

Deno.test("mayByMode() reads the bits that are the user's, and none for root", () => {
  const cases: [number, number, number, 2 | 4, boolean][] = [
    [0o600, 7, 9, 2, true],
    [0o400, 7, 9, 2, false],
    [0o640, 8, 7, 4, true],
    [0o640, 8, 7, 2, false],
    [0o604, 8, 9, 4, true],
    [0o077, 7, 7, 4, false], // the owner's bits come first
    [0o000, 0, 0, 2, true],
  ];
  for (const [mode, uid, gid, what, may] of cases) {
    assert.equal(
      mayByMode({ mode, uid: 7, gid: 7 }, what, { uid, gid }),
      may,
      `${mode.toString(8)} ${uid} ${gid}`,
    );
  }
});

Deno.test({
  ...needs("the doctor run by root looks at the data as the service's user does", ROOT),
  fn: () =>
    withFolder(async (folder) => {
      await writeConfig(folder, '[server]\nlisten = "127.0.0.1:0"\n');
      const server = await serve(folder);
      await server.end("SIGTERM");
      const data = join(folder, "data");
      for (const { name } of [...Deno.readDirSync(data), { name: "." }]) {
        await Deno.chown(join(data, name), 65_534, 65_534);
      }
      const seen = await regfeed(folder, ["doctor", "--offline"]);
      assert.match(
        seen.stdout,
        /you are root; rights are looked at as this user has them, whose the data is: 65534/,
      );
      assert.doesNotMatch(seen.stdout, /nothing can be written|cannot be (opened|read)/);
      assert.equal(seen.code, 0, seen.stdout);
      // What the service could not use is told to root as well.
      await Deno.chown(join(data, "regfeed.db.key"), 0, 0);
      const roots = await regfeed(folder, ["doctor", "--offline"]);
      assert.match(roots.stdout, /regfeed\.db\.key cannot be read by this user/);
      assert.equal(roots.code, 1);
    }),
});

Deno.test({
  ...needs(
    "the doctor finds a data folder that this user cannot look into, and does not end by it",
    UNPRIVILEGED,
  ), // root looks into everything
  fn: () =>
    withFolder(async (folder) => {
      await writeConfig(folder, '[store]\npath = "data/regfeed.db"\n');
      await Deno.mkdir(join(folder, "data"), { mode: 0o000 });
      const { code, stdout } = await regfeed(folder, ["doctor"]);
      assert.equal(code, 1);
      assert.match(stdout, /data cannot be looked into by this user/);
      await Deno.chmod(join(folder, "data"), 0o700);
    }),
});
