// The doctor's checks of who can read and change files.
import assert from "node:assert/strict";
import { join } from "node:path";
import { checkConfigFile, checkSecretFile } from "../../../src/server/checks/rights.ts";
import { regfeed, serve, withConfig } from "../../support/process.ts";
import { needs, ROOT } from "../../support/needs.ts";

Deno.test("checkSecretFile() reports a secret that others can read; the group may read a file of root", () => {
  const own = {
    isFolder: false,
    mode: 0o600,
    isRoots: false,
    mayRead: true,
    mayWrite: true,
    isReadOnly: false,
  };
  assert.equal(checkSecretFile("/k", own).level, "good");
  assert.match(checkSecretFile("/k", { ...own, mode: 0o640 }).seen, /mode 640: others can read it/);
  assert.equal(checkSecretFile("/k", { ...own, mode: 0o604 }).todo, "chmod 600 /k");
  assert.match(checkSecretFile("/k", { ...own, mayRead: false }).seen, /cannot be read by this user/);
  assert.match(checkSecretFile("/k", null).seen, /does not exist/);
  const roots = { ...own, mode: 0o640, isRoots: true, mayWrite: false };
  assert.equal(checkSecretFile("/k", roots).level, "good");
  assert.match(checkSecretFile("/k", { ...roots, mode: 0o644 }).todo ?? "", /^chmod 640 \/k, and chgrp/);
  assert.match(checkSecretFile("/k", { ...roots, mode: 0o660 }).seen, /mode 660/);
});

Deno.test("checkConfigFile() reports a config with secrets that others can read, and a config that others can change", () => {
  const rights = {
    isFolder: false,
    mode: 0o644,
    isRoots: false,
    mayRead: true,
    mayWrite: true,
    isReadOnly: false,
  };
  const inPlace = ["payment.webhook_secret", "mail.smtp_url"];
  assert.deepEqual(checkConfigFile("/c", rights, []), []);
  const [open] = checkConfigFile("/c", rights, inPlace);
  assert.equal(open?.level, "problem");
  assert.equal(open?.seen, "/c has mode 644: others can read payment.webhook_secret, mail.smtp_url");
  assert.match(open?.todo ?? "", /^chmod 600 \/c .*webhook_secret_file = /);
  assert.deepEqual(checkConfigFile("/c", { ...rights, mode: 0o600 }, inPlace), []);
  assert.equal(checkConfigFile("/c", { ...rights, mode: 0o640 }, inPlace).length, 1);
  const roots = { ...rights, isRoots: true };
  assert.deepEqual(checkConfigFile("/c", { ...roots, mode: 0o640 }, inPlace), []);
  assert.match(checkConfigFile("/c", roots, inPlace)[0]?.todo ?? "", /^chmod 640/);
  assert.equal(checkConfigFile("/c", { ...rights, mode: 0o620 }, [])[0]?.todo, "chmod go-w /c");
});

Deno.test(
  needs("doctor warns when it runs as root on another user's store", ROOT),
  () =>
    withConfig('[server]\nlisten = "127.0.0.1:0"\n', async (folder) => {
      await (await serve(folder)).end("SIGTERM");
      assert.doesNotMatch((await regfeed(folder, "doctor --offline")).stdout, /runs as root/);
      await Deno.chown(join(folder, "data", "regfeed.db"), 65_534, 65_534);
      const { stdout, code } = await regfeed(folder, "doctor --offline");
      assert.match(
        stdout,
        /WARNING {2}doctor runs as root, .*\n\s+→ run this as the service's user: `sudo -u/,
      );
      assert.equal(code, 0, stdout);
    }),
);
