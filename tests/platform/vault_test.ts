// The vault opens only what it has sealed, and protects its key file.
import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "npm:fast-check@4.10.2";
import { VaultError } from "../../src/domain/ports/ports.ts";
import { createVault, openVaultFile } from "../../src/platform/vault.ts";

const PLACE = { table: "subscriptions", id: "sub_1" };
const KEY = new Uint8Array(32).fill(1);

async function withFolder(work: (folder: string) => Promise<void> | void): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "regfeed-vault-" });
  try {
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("open() returns the sealed text, and sealing twice gives different results", () => {
  const vault = createVault(KEY);
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    const [one, other] = [vault.seal(text, PLACE), vault.seal(text, PLACE)];
    assert.equal(vault.open(one, PLACE), text);
    assert.notDeepEqual(one, other);
  }));
});

Deno.test("open() rejects another key, another field, and changed bytes", () => {
  const vault = createVault(KEY);
  const sealed = vault.seal("a".repeat(64), PLACE);
  assert.throws(() => createVault(new Uint8Array(32).fill(2)).open(sealed, PLACE), /another key/);
  for (const place of [{ table: "subscriptions", id: "sub_2" }, { table: "answers", id: "sub_1" }]) {
    assert.throws(() => vault.open(sealed, place), /belongs to another row/);
  }
  for (let at = 0; at < sealed.length; at++) {
    const changed = sealed.slice();
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.throws(() => vault.open(changed, PLACE), VaultError, `byte ${at}`);
  }
  for (const length of [0, 1, 17, 32, sealed.length - 1]) {
    assert.throws(() => vault.open(sealed.slice(0, length), PLACE), VaultError, `${length} bytes`);
  }
});

Deno.test("a sealed form contains neither the text nor the key", () => {
  const sealed = createVault(KEY).seal("S3CRET-S3CRET-S3CRET", PLACE);
  assert.ok(!new TextDecoder("latin1").decode(sealed).includes("S3CRET"));
  assert.equal(sealed[0], 1, "the first byte is the version of the format");
  assert.equal(sealed.length, 1 + 4 + 12 + 20 + 16);
});

Deno.test("openVaultFile() creates a random key that only its owner can read", () =>
  withFolder(async (folder) => {
    const path = join(folder, "regfeed.db.key");
    const sealed = openVaultFile(path, { mayMake: true }).seal("text", PLACE);
    const stat = await Deno.stat(path);
    assert.equal(stat.size, 32);
    assert.equal((stat.mode ?? 0) & 0o777, 0o600);
    const key = await Deno.readFile(path);
    assert.ok(new Set(key).size > 8, "the key is random");
    assert.equal(openVaultFile(path, { mayMake: false }).open(sealed, PLACE), "text");
    assert.deepEqual(await Deno.readFile(path), key);
    const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
    assert.deepEqual(names, ["regfeed.db.key"], "no other file is left");
  }));

Deno.test("openVaultFile() rejects a missing key and says what to do", () =>
  withFolder(async (folder) => {
    const path = join(folder, "regfeed.db.key");
    assert.throws(() => openVaultFile(path, { mayMake: false }), (error: Error) => {
      assert.ok(error instanceof VaultError);
      assert.ok(error.message.includes(path));
      assert.match(error.message, /your copy of the key.*created with --secret-key/);
      assert.match(error.message, /so are the secrets of all webhooks: `regfeed store new-key --yes`/);
      return true;
    });
    assert.equal((await Array.fromAsync(Deno.readDir(folder))).length, 0, "no key is created");
  }));

Deno.test("openVaultFile() rejects a key that others can read", () =>
  withFolder(async (folder) => {
    const path = join(folder, "key");
    openVaultFile(path, { mayMake: true });
    for (const mode of [0o640, 0o604, 0o660, 0o777, 0o601]) {
      await Deno.chmod(path, mode);
      assert.throws(() => openVaultFile(path, { mayMake: true }), /chmod 600 .*key/, mode.toString(8));
    }
    await Deno.chmod(path, 0o400);
    openVaultFile(path, { mayMake: true });
  }));

Deno.test("openVaultFile() rejects files of another length, and folders", () =>
  withFolder(async (folder) => {
    const path = join(folder, "key");
    for (const size of [0, 31, 33, 64]) {
      await Deno.writeFile(path, new Uint8Array(size), { mode: 0o600 });
      assert.throws(() => openVaultFile(path, { mayMake: true }), /instead of 32 bytes/, String(size));
    }
    assert.throws(() => openVaultFile(folder, { mayMake: true }), /is not a file/);
    assert.throws(() => openVaultFile(join(folder, "none", "key"), { mayMake: true }), /cannot be created/);
  }));
