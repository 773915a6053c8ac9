// The form of API keys, their hashes, and how a key is read from the Authorization header.
import assert from "node:assert/strict";
import { hashKey, KEY_PREFIX, keyFromHeader, makeKey } from "../../src/accounts/keys.ts";

const T0 = Date.UTC(2026, 6, 20, 12);
const KEY = `rgf_${"0123456789abcdef".repeat(4)}`;

Deno.test("makeKey() creates a key of 32 random bytes and stores only its hash and last four characters", () => {
  const { key, stored } = makeKey((count) => Uint8Array.from({ length: count }, (_, at) => 255 - at), T0);
  assert.match(key, /^rgf_[0-9a-f]{64}$/);
  assert.ok(key.startsWith(`${KEY_PREFIX}fffefdfc`));
  assert.deepEqual(stored, {
    hash: hashKey(key),
    label: "default",
    lastFour: "e1e0",
    createdAtMs: T0,
    validUntilMs: null,
    disabledAtMs: null,
    lastUsedAtMs: null,
  });
  assert.ok(!JSON.stringify(stored).includes(key.slice(4, 20)));
});

Deno.test("hashKey() is the SHA-256 of the whole key", () => {
  // Two test vectors of FIPS 180-2.
  assert.equal(hashKey("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  assert.equal(
    hashKey("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
  );
  assert.notEqual(hashKey(KEY), hashKey(KEY.slice(4)));
});

Deno.test("keyFromHeader() accepts only a bearer key", () => {
  const rows: [string | null, string | null][] = [
    [`Bearer ${KEY}`, KEY],
    [`bearer ${KEY}`, KEY],
    [`BEARER   ${KEY}`, KEY],
    [null, null],
    ["", null],
    ["Bearer", null],
    ["Bearer ", null],
    [KEY, null],
    [`Basic ${KEY}`, null],
    [`Bearer${KEY}`, null],
    [`Bearer\t${KEY}`, null],
    [` Bearer ${KEY}`, null],
    [`Bearer ${KEY} `, null],
    [`Bearer ${KEY}\n`, null],
    [`Bearer ${KEY}, Bearer ${KEY}`, null],
    [`Bearer ${KEY}0`, null],
    [`Bearer ${KEY.slice(0, -1)}`, null],
    [`Bearer ${KEY.toUpperCase()}`, null],
    [`Bearer ${KEY.replace("rgf_", "abc_")}`, null],
    [`Bearer ${KEY.replace("f", "g")}`, null],
  ];
  for (const [header, expected] of rows) {
    assert.equal(keyFromHeader(header), expected, JSON.stringify(header));
  }
});
