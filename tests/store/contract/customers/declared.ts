// Customers that the config declares.
import assert from "node:assert/strict";
import {
  type DeclaredCustomer,
  declaredCustomerId,
  UNKNOWN_LAST_FOUR,
} from "../../../../src/domain/customer/declared_customers.ts";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import { addCustomer, aKey, BY, T0 } from "../given.ts";
import { aPayment, aReview, aState } from "./given_payments.ts";
import { test } from "../contract.ts";

const CONFIG = { ...BY, actor: "config" };

function declared(name: string, change: Partial<DeclaredCustomer> = {}): DeclaredCustomer {
  return {
    name,
    id: declaredCustomerId(name),
    email: `${name}@example.org`,
    tier: "team",
    limits: {},
    language: "en",
    keyHashes: [aKey(name).hash],
    ...change,
  };
}

/** Returns the customer that a key authenticates, or null. */
async function opens(store: Store, name: string): Promise<string | null> {
  const holder = await store.findKey(aKey(name).hash);
  return holder === null || holder.key.disabledAtMs !== null || !holder.customer.enabled
    ? null
    : holder.customer.id;
}

const acts = async (store: Store, customerId: string) =>
  (await store.listAudit({ limit: 100, customerId })).reverse().map(({ actor, act }) => `${actor} ${act}`);

test("declareCustomers() adds, changes, disables and restores customers, and audits each change", async (store) => {
  const [bank, paper] = [declared("bank"), declared("paper")];
  assert.deepEqual(await store.declareCustomers([bank, paper], CONFIG), {
    kind: "applied",
    added: ["bank", "paper"],
    changed: [],
    gone: [],
  });
  assert.deepEqual(await store.findCustomer(bank.id), {
    id: bank.id,
    email: "bank@example.org",
    tier: "team",
    enabled: true,
    limits: {},
    language: "en",
    declared: true,
    createdAtMs: CONFIG.atMs,
  });
  assert.equal(await opens(store, "bank"), bank.id);
  const again = await store.declareCustomers([bank, paper], { ...CONFIG, atMs: T0 + 9 });
  assert.deepEqual(again, { kind: "applied", added: [], changed: [], gone: [] });

  const grown = { ...bank, tier: "embedded", limits: { activeSubscriptions: 3 } } as const;
  assert.deepEqual(await store.declareCustomers([grown], CONFIG), {
    kind: "applied",
    added: [],
    changed: ["bank"],
    gone: [paper.id],
  });
  assert.deepEqual((await store.findCustomer(bank.id))?.limits, { activeSubscriptions: 3 });
  assert.equal(await opens(store, "paper"), null);
  assert.equal((await store.findCustomer(paper.id))?.email, "paper@example.org", "disabled, not erased");

  const back = await store.declareCustomers([grown, paper], CONFIG);
  assert.deepEqual(back, { kind: "applied", added: [], changed: ["paper"], gone: [] });
  assert.equal(await opens(store, "paper"), paper.id);
  assert.deepEqual(await acts(store, paper.id), [
    "config customer.add",
    "config key.declare",
    "config customer.change",
    "config customer.change",
  ]);
});

test("declareCustomers() leaves a customer with exactly the declared keys", async (store) => {
  const keys = (...names: string[]) => declared("bank", { keyHashes: names.map((name) => aKey(name).hash) });
  const rows: [named: string[], good: string[]][] = [
    [["1"], ["1"]],
    [["1", "2"], ["1", "2"]],
    [["2"], ["2"]],
    [["1"], ["1"]],
  ];
  for (const [named, good] of rows) {
    await store.declareCustomers([keys(...named)], CONFIG);
    const open = await Promise.all(["1", "2"].map(async (name) => await opens(store, name) ? [name] : []));
    assert.deepEqual(open.flat(), good);
  }
  const account = await store.findAccount(declaredCustomerId("bank"));
  assert.deepEqual(account?.keys.map(({ lastFour }) => lastFour), [UNKNOWN_LAST_FOUR, UNKNOWN_LAST_FOUR]);
});

test("declareCustomers() moves a key between declared customers, including new ones", async (store) => {
  await store.declareCustomers([declared("bank"), declared("paper")], CONFIG);
  const swapped = [
    declared("bank", { keyHashes: [aKey("paper").hash] }),
    declared("paper", { keyHashes: [aKey("bank").hash] }),
  ];
  await store.declareCustomers(swapped, CONFIG);
  assert.equal(await opens(store, "paper"), declaredCustomerId("bank"));
  assert.equal(await opens(store, "bank"), declaredCustomerId("paper"));
  const renamed = declared("the-bank", { email: "bank@example.org", keyHashes: [aKey("paper").hash] });
  const outcome = await store.declareCustomers([renamed], CONFIG);
  assert.equal(outcome.kind, "applied");
  assert.equal(await opens(store, "paper"), renamed.id);
});

test("declareCustomers() refuses keys and ids of other customers, and changes nothing", async (store) => {
  const made = await addCustomer(store, "1", { email: "Ana@example.org" });
  const bank = declared("bank");
  await store.declareCustomers([bank], CONFIG);
  const audit = await store.listAudit({ limit: 100 });
  const others = [
    declared("fresh"),
    declared("ana", { email: "ana@example.org" }),
    declared("thief", { keyHashes: [aKey("x").hash, aKey("1").hash] }),
  ];
  assert.deepEqual(await store.declareCustomers(others, CONFIG), {
    kind: "refused",
    conflicts: [
      { name: "ana", what: "email", holderId: made.id },
      { name: "thief", what: "key", holderId: made.id, keyIndex: 1 },
    ],
  });
  assert.equal(await opens(store, "bank"), bank.id, "the undeclared customer stays enabled");
  assert.equal(await store.findCustomer(declaredCustomerId("fresh")), null);
  assert.deepEqual(await store.listAudit({ limit: 100 }), audit);
});

test("declareCustomers() accepts a disabled customer's email address, even if another customer uses it later", async (store) => {
  await addCustomer(store, "1", { email: "ana@example.org", enabled: false });
  const ana = declared("ana", { email: "ana@example.org" });
  assert.equal((await store.declareCustomers([ana], CONFIG)).kind, "applied");
  await addCustomer(store, "2", { email: "ana@example.org" });
  assert.equal((await store.declareCustomers([ana], CONFIG)).kind, "applied", "after a restart");
});

test("declareCustomers() refuses the email address of a payer unless the operator disabled the customer", async (store) => {
  await store.recordPayment(aPayment("evt_1"), aReview());
  const id = (await store.listCustomers())[0]?.customer.id ?? "";
  const ana = declared("ana", { email: "Ana@firm.example" });
  const refused = { kind: "refused", conflicts: [{ name: "ana", what: "email", holderId: id }] };
  assert.deepEqual(await store.declareCustomers([ana], CONFIG), refused);
  const ended = { id: "evt_2", type: "x", fact: aState("canceled"), createdAtMs: T0 + 1 };
  await store.recordPayment(aPayment("evt_2", ended), aReview());
  assert.equal((await store.findCustomer(id))?.enabled, false);
  assert.deepEqual(await store.declareCustomers([ana], CONFIG), refused);
  await store.changeCustomer(id, { enabled: false }, BY);
  assert.equal((await store.declareCustomers([ana], CONFIG)).kind, "applied");
});
