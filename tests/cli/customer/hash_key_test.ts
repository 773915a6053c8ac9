// `customer hash-key`, as an operator uses it.
import assert from "node:assert/strict";
import { hashKey } from "../../../src/accounts/keys.ts";
import { regfeed, withFolder } from "../../support/process.ts";

Deno.test("customer hash-key creates a key with its hash, or hashes the key on stdin", () =>
  withFolder(async (folder) => {
    const made = await regfeed(folder, "customer hash-key");
    const { key = "", hash } = /^key +(?<key>\S+)\nkey_sha256 +(?<hash>\S+)\n$/.exec(made.stdout)?.groups ??
      {};
    assert.match(key, /^rgf_[0-9a-f]{64}$/);
    assert.equal(hash, hashKey(key));
    assert.match(made.stderr, /shown only now/);

    const given = await regfeed(folder, "customer hash-key --stdin", `${key}\n`);
    assert.deepEqual([given.code, given.stdout], [0, `${hash}\n`]);
    const json = await regfeed(folder, "customer hash-key --stdin --json", key);
    assert.deepEqual(JSON.parse(json.stdout), { key_sha256: hash });
    for (const wrong of ["", "rgf_12", "x".repeat(5_000)]) {
      const { code, stdout, stderr } = await regfeed(folder, "customer hash-key --stdin", wrong);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, /stdin does not contain a key/);
    }
    const argument = await regfeed(folder, `customer hash-key ${key}`);
    assert.equal(argument.code, 2);
  }));
