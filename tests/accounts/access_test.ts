// Authentication by API key: what is accepted, and how long key holders are cached.
import assert from "node:assert/strict";
import { createAccess } from "../../src/accounts/access.ts";
import { hashKey, makeKey } from "../../src/accounts/keys.ts";
import type { Customer } from "../../src/domain/customer/customer.ts";
import { AppError } from "../../src/domain/error_codes.ts";
import type { KeyHolder } from "../../src/domain/ports/store/customers.ts";
import { fakeClock } from "../support/clock.ts";

const T0 = Date.UTC(2026, 6, 20, 12);
const { key: KEY } = makeKey((count) => new Uint8Array(count).fill(7), T0);
const BEARER = `Bearer ${KEY}`;

const CUSTOMER: Customer = {
  id: "cus_1",
  email: "ana@firm.example",
  tier: "team",
  enabled: true,
  limits: {},
  language: "en",
  declared: false,
  createdAtMs: T0,
};

const VALID = { disabledAtMs: null, validUntilMs: null, lastUsedAtMs: null };
const HOLDER: KeyHolder = { customer: CUSTOMER, disabledBy: null, key: VALID };
const DISABLED_KEY: KeyHolder = { ...HOLDER, key: { ...VALID, disabledAtMs: T0 - 1 } };
const EXPIRED_KEY: KeyHolder = { ...HOLDER, key: { ...VALID, validUntilMs: T0 } };
const DISABLED_CUSTOMER: KeyHolder = { ...HOLDER, customer: { ...CUSTOMER, enabled: false } };

/** Returns an authenticator whose store has at most one key holder. `asked` lists the hashes that it looks up. */
function given(holder: KeyHolder | null = HOLDER) {
  const clock = fakeClock(T0);
  const holders = new Map<string, KeyHolder>();
  if (holder !== null) holders.set(hashKey(KEY), holder);
  const asked: string[] = [];
  const store = {
    findKey: (hash: string) => {
      asked.push(hash);
      return Promise.resolve(holders.get(hash) ?? null);
    },
    noteKeyUses: () => Promise.resolve(),
  };
  return { access: createAccess({ store, clock }), clock, holders, asked };
}

async function refused(ask: () => Promise<unknown>, code = "unauthenticated"): Promise<string> {
  let detail = "";
  await assert.rejects(async () => await ask(), (error) => {
    assert.ok(error instanceof AppError);
    assert.deepEqual([error.code, error.status], [code, code === "unauthenticated" ? 401 : 403]);
    assert.ok(!error.message.includes(KEY.slice(4, 20)), "the key is not repeated");
    detail = error.detail;
    return true;
  });
  return detail;
}

Deno.test("authenticate() finds the customer of a valid key by the key's hash", async () => {
  const { access, asked } = given();
  assert.deepEqual(await access.authenticate(BEARER), CUSTOMER);
  assert.deepEqual(await access.authenticate(`bearer ${KEY}`), CUSTOMER);
  assert.deepEqual(asked, [hashKey(KEY)]);
});

Deno.test("authenticate() states whether the key is missing, malformed, unknown or disabled", async () => {
  const rows: [header: string | null, holder: KeyHolder | null, detail: RegExp, code?: string][] = [
    [null, HOLDER, /Send your API key/],
    ["Bearer nonsense", HOLDER, /has no valid API key/],
    ["", HOLDER, /has no valid API key/],
    [BEARER, null, /is unknown/],
    // A disabled key reveals nothing about its customer.
    [BEARER, DISABLED_KEY, /^(?!.*(paid|access)).*key is disabled/],
    [BEARER, EXPIRED_KEY, /^(?!.*(paid|access)).*key is disabled because it was replaced/],
    [
      BEARER,
      { ...DISABLED_KEY, customer: DISABLED_CUSTOMER.customer, disabledBy: "payment" },
      /^(?!.*(paid|access)).*disabled/,
    ],
    [BEARER, DISABLED_CUSTOMER, /disabled your access.*would not help/, "access_ended"],
    [
      BEARER,
      { ...DISABLED_CUSTOMER, disabledBy: "payment" },
      /same key resumes when you pay/,
      "access_ended",
    ],
  ];
  for (const [header, holder, detail, code] of rows) {
    const { access, asked } = given(holder);
    assert.match(await refused(() => access.authenticate(header), code), detail);
    assert.equal(asked.length, header === BEARER ? 1 : 0, "the store is not queried for malformed keys");
  }
});

Deno.test("authenticate() caches a key holder for at most 500 ms", async () => {
  const { access, clock, holders, asked } = given();
  await access.authenticate(BEARER);
  holders.set(hashKey(KEY), DISABLED_KEY);
  await clock.advance(499);
  assert.equal((await access.authenticate(BEARER)).id, "cus_1");
  assert.equal(asked.length, 1);
  await clock.advance(1);
  await refused(() => access.authenticate(BEARER));
  assert.equal(asked.length, 2);
});

Deno.test("authenticate() ignores the cache after the clock has been set back", async () => {
  const { access, clock, holders } = given();
  await access.authenticate(BEARER);
  holders.set(hashKey(KEY), DISABLED_KEY);
  clock.set(T0 - 3_600_000);
  await refused(() => access.authenticate(BEARER));
});

Deno.test("authenticate() does not cache unknown keys, and drops deleted ones", async () => {
  const { access, clock, holders } = given(null);
  await refused(() => access.authenticate(BEARER));
  holders.set(hashKey(KEY), HOLDER);
  assert.equal((await access.authenticate(BEARER)).id, "cus_1");
  holders.clear();
  await clock.advance(500);
  await refused(() => access.authenticate(BEARER));
  await refused(() => access.authenticate(BEARER));
});

Deno.test("authenticate() measures the age of an entry from the start of the look-up", async () => {
  const clock = fakeClock(T0);
  let asked = 0;
  const store = {
    findKey: async () => {
      asked++;
      await clock.advance(400); // a slow store: its result may be as old as the request
      return HOLDER;
    },
    noteKeyUses: () => Promise.resolve(),
  };
  const access = createAccess({ store, clock });
  await access.authenticate(BEARER);
  await clock.advance(100);
  await access.authenticate(BEARER);
  assert.equal(asked, 2);
});

Deno.test("authenticate() rethrows failures of the store and does not cache them", async () => {
  let broken = true;
  const findKey = () => broken ? Promise.reject(new Error("the disk is gone")) : Promise.resolve(HOLDER);
  const access = createAccess({
    store: { findKey, noteKeyUses: () => Promise.resolve() },
    clock: fakeClock(T0),
  });
  await assert.rejects(async () => await access.authenticate(BEARER), /the disk is gone/);
  broken = false;
  assert.equal((await access.authenticate(BEARER)).id, "cus_1");
});

Deno.test("flush() stores the uses of valid keys, and repeats what could not be stored", async () => {
  let broken = true;
  const noted: unknown[] = [];
  const holders = [HOLDER, HOLDER, DISABLED_KEY, {
    ...HOLDER,
    key: { ...VALID, lastUsedAtMs: T0 - 3_599_998 },
  }];
  const store = {
    findKey: () => Promise.resolve(holders.shift() ?? null),
    noteKeyUses: (uses: readonly unknown[]) => {
      if (broken) return Promise.reject(new Error("the disk is full"));
      noted.push(uses);
      return Promise.resolve();
    },
  };
  const clock = fakeClock(T0);
  const access = createAccess({ store, clock });
  const keys = ["a", "b", "c", "d"].map((digit) => `rgf_${digit.repeat(64)}`);
  const use = (at: number) => access.authenticate(`Bearer ${keys[at]}`);
  await use(0);
  await assert.rejects(access.flush(), /the disk is full/);
  await clock.advance(1);
  await use(1);
  await assert.rejects(use(2));
  await use(3);
  broken = false;
  await access.flush();
  await access.flush();
  const hashes = keys.map(hashKey);
  assert.deepEqual(noted, [[{ hash: hashes[0], atMs: T0 }, { hash: hashes[1], atMs: T0 + 1 }]]);
});

Deno.test("authenticate() works for more keys than it caches", async () => {
  const findKey = (id: string) => Promise.resolve({ ...HOLDER, customer: { ...CUSTOMER, id } });
  const access = createAccess({
    store: { findKey, noteKeyUses: () => Promise.resolve() },
    clock: fakeClock(T0),
  });
  for (let number = 0; number < 10_050; number++) {
    const key = `rgf_${number.toString(16).padStart(64, "0")}`;
    assert.equal((await access.authenticate(`Bearer ${key}`)).id, hashKey(key));
  }
});
