// Emails: leases, keys that are stored nowhere else, outcomes, erasure and the audit log.
import assert from "node:assert/strict";
import type { AuditQuery } from "../../../../src/domain/customer/audit.ts";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import { addCustomer, aKey, BY, claimAll, LEASE, publishMatched, subscribe, T0 } from "../given.ts";
import { aPayment, aReview } from "./given_payments.ts";
import { test } from "../contract.ts";

const claim = (store: Store, nowMs = T0) => store.claimMails({ nowMs, leaseMs: LEASE, limit: 10 });

/** Adds a customer with a queued welcome email, and returns the customer's id. */
async function welcomed(store: Store): Promise<string> {
  await store.recordPayment(aPayment("evt_1"), aReview());
  const [row] = await store.listCustomers();
  return row?.customer.id ?? "";
}

const goodKeys = async (store: Store): Promise<string[]> =>
  (await store.listCustomers())[0]?.keys.filter((key) => key.disabledAtMs === null).map(({ hash }) =>
    hash.slice(0, 1)
  ) ?? [];

test("claimMails() leases due emails and counts the attempt, until the lease expires", async (store) => {
  const id = await welcomed(store);
  const [mail, ...others] = await claim(store);
  assert.deepEqual([mail?.kind, mail?.attempt, mail?.customer.id, others.length], ["welcome", 1, id, 0]);
  assert.deepEqual(await claim(store, T0 + LEASE - 1), []);
  const [again] = await claim(store, T0 + LEASE);
  assert.deepEqual([again?.id, again?.attempt], [mail?.id, 2]);
});

test("finishMail() records only the outcome of the latest attempt", async (store) => {
  await welcomed(store);
  const [{ id } = { id: "" }] = await claim(store);
  await store.finishMail(id, 1, { kind: "retry", atMs: T0 + 9, problem: "refused" }, T0 + 1);
  const kept = async () => (await store.listMails({ limit: 1 }))[0];
  const waiting = await kept();
  const shown = [waiting?.status, waiting?.nextAttemptAtMs, waiting?.problem];
  assert.deepEqual(shown, ["queued", T0 + 9, "refused"]);
  await claim(store, T0 + 9);
  await store.finishMail(id, 1, { kind: "sent" }, T0 + 10);
  assert.equal((await kept())?.status, "queued", "a later attempt has started");
  await store.finishMail(id, 2, { kind: "sent" }, T0 + 11);
  await store.finishMail(id, 2, { kind: "failed", problem: "late" }, T0 + 12);
  assert.deepEqual([(await kept())?.status, (await kept())?.finishedAtMs], ["sent", T0 + 11]);
  assert.deepEqual([await store.findMail(id), await store.findMail("mail_none")], [await kept(), null]);
  assert.deepEqual(await claim(store, T0 + 1e9), []);
});

test("adjustForClockRollback() makes emails due that a clock rollback had delayed, and no others", async (store) => {
  await welcomed(store);
  const [{ id } = { id: "" }] = await claim(store);
  const dayMs = 86_400_000;
  await store.finishMail(id, 1, { kind: "retry", atMs: T0 + dayMs, problem: "refused" }, T0);
  await store.adjustForClockRollback(T0);
  assert.deepEqual(await claim(store, T0 + dayMs - 1), []);
  const backMs = T0 - 365 * dayMs;
  await store.adjustForClockRollback(backMs);
  const [mail] = await claim(store, backMs);
  assert.deepEqual([mail?.id, mail?.attempt], [id, 2]);
});

test("storeWelcomeKey() stores an attempt's key, which the next attempt's key replaces", async (store) => {
  await welcomed(store);
  const [{ id } = { id: "" }] = await claim(store);
  assert.equal(await store.storeWelcomeKey(id, 1, aKey("a")), true);
  assert.deepEqual(await goodKeys(store), ["a"]);
  await claim(store, T0 + LEASE);
  assert.equal(await store.storeWelcomeKey(id, 1, aKey("b")), false, "overtaken");
  assert.equal(await store.storeWelcomeKey(id, 2, aKey("c")), true);
  assert.deepEqual(await goodKeys(store), ["c"]);
});

/** A rotation without an overlap and without an email. */
const ROTATED = { ...BY, oldUntilMs: null, mailId: null };

test("an unsent welcome email is cancelled only if its key, or every key, is replaced or disabled", async (store) => {
  const customerId = await welcomed(store);
  const [{ id } = { id: "" }] = await claim(store);
  const statusAfter = async (act: Promise<unknown>) => {
    await act;
    return (await store.listMails({ limit: 9 })).find((mail) => mail.kind === "welcome")?.status;
  };
  const staging = aKey("b", { label: "staging" });
  assert.equal(await statusAfter(store.addKey(customerId, staging, BY)), "queued");
  assert.equal(await statusAfter(store.disableKeys(customerId, staging.hash, BY)), "queued");
  await store.storeWelcomeKey(id, 1, aKey("a"));
  assert.equal(await statusAfter(store.rotateKey(customerId, aKey("c"), ROTATED)), "cancelled");
  const again = async () => {
    await store.retryMail(id, BY);
    await claim(store);
  };
  await again();
  await store.storeWelcomeKey(id, 2, aKey("d"));
  assert.equal(await statusAfter(store.disableKeys(customerId, aKey("d").hash, BY)), "cancelled");
  await again();
  assert.equal(await statusAfter(store.disableKeys(customerId, null, BY)), "cancelled");
  await again();
  assert.equal(await statusAfter(store.rotateKey(customerId, aKey("e"), ROTATED)), "cancelled");
  assert.equal(
    await store.storeWelcomeKey(id, 4, aKey("f")),
    false,
    "the key of a cancelled email is not stored",
  );
  assert.deepEqual(await goodKeys(store), ["e"]);
});

test("storeWelcomeKey() gives the key the next free label if the operator has added one", async (store) => {
  const customerId = await welcomed(store);
  const [{ id } = { id: "" }] = await claim(store);
  for (const [digit, label] of [["a", "default"], ["b", "default 2"]] as const) {
    await store.addKey(customerId, aKey(digit, { label }), BY);
  }
  assert.equal(await store.storeWelcomeKey(id, 1, aKey("c")), true);
  const labels = (await store.findAccount(customerId))?.keys.map(({ label }) => label);
  assert.deepEqual(labels, ["default", "default 2", "default 3"]);
});

test("rotateKey() with a mail id notifies the customer of the new key and the end of the old one", async (store) => {
  await addCustomer(store);
  const by = { ...BY, oldUntilMs: T0 + 100, mailId: "mail_9" };
  await store.rotateKey("cus_1", aKey("d", { createdAtMs: T0 + 1 }), by);
  const [mail] = await claim(store);
  assert.deepEqual([mail?.id, mail?.kind, mail?.data, mail?.lastFour], [
    "mail_9",
    "key-rotated",
    { label: "default", lastFour: "dddd", oldUntilMs: T0 + 100 },
    "dddd",
  ]);
});

test("retryMail() makes failed and waiting emails due, but none that is in progress or sent", async (store) => {
  await welcomed(store);
  const [{ id } = { id: "" }] = await claim(store);
  assert.equal(await store.retryMail(id, BY), "soon", "an attempt is in progress");
  assert.equal((await store.listMails({ limit: 1 }))[0]?.nextAttemptAtMs, T0 + LEASE);
  await store.finishMail(id, 1, { kind: "failed", problem: "refused" }, T0);
  assert.deepEqual((await store.accountHealth()).failedMails, 1);
  assert.deepEqual((await store.listMails({ limit: 9, status: "failed" })).map((mail) => mail.id), [id]);
  assert.equal(await store.retryMail(id, { ...BY, atMs: T0 + 5 }), "queued");
  assert.deepEqual(await store.accountHealth(), {
    queuedMails: 1,
    oldestQueuedMailAtMs: T0,
    failedMails: 0,
    unknownPrices: 0,
  });
  const [again] = await claim(store, T0 + 5);
  assert.deepEqual([again?.attempt, again?.tries], [2, 1], "no attempt is counted twice");
  const hour = T0 + 3_600_000;
  await store.finishMail(id, 2, { kind: "retry", atMs: hour, problem: "refused" }, T0 + 6);
  assert.deepEqual(await claim(store, T0 + 7), []);
  assert.equal(await store.retryMail(id, { ...BY, atMs: hour - 300_000 }), "soon");
  assert.equal(await store.retryMail(id, { ...BY, atMs: T0 + 7 }), "queued");
  const [entry] = await store.listAudit({ limit: 1 });
  assert.deepEqual([entry?.act, entry?.change["mail"]], ["mail.retry", id]);
  const [third] = await claim(store, T0 + 7);
  assert.deepEqual([third?.attempt, third?.tries], [3, 1]);
  await store.finishMail(id, 3, { kind: "sent" }, T0 + 8);
  assert.equal(await store.retryMail(id, BY), "over");
  assert.equal(await store.retryMail("mail_unknown", BY), "over");
});

test("cancelMail() cancels failed and waiting emails, which health no longer counts, but not sent ones", async (store) => {
  await welcomed(store);
  const [mail] = await claim(store);
  const id = mail?.id ?? "";
  await store.finishMail(id, 1, { kind: "failed", problem: "refused" }, T0);
  assert.equal((await store.accountHealth()).failedMails, 1);
  assert.equal(await store.cancelMail(id, { actor: "cli:ops", atMs: T0 + 1 }), true);
  assert.equal((await store.accountHealth()).failedMails, 0);
  const [kept] = await store.listMails({ limit: 1 });
  assert.deepEqual([kept?.status, kept?.problem], ["cancelled", "refused"]);
  assert.deepEqual(await claim(store, T0 * 2), []);
  assert.equal(await store.cancelMail(id, BY), false);
  assert.deepEqual((await store.listAudit({ limit: 1 })).map(({ act }) => act), ["mail.cancel"]);
  assert.equal(await store.retryMail(id, { ...BY, atMs: T0 + 2 }), "queued");
  assert.equal(await store.cancelMail(id, BY), true, "a waiting email");
  await store.retryMail(id, { ...BY, atMs: T0 + 3 });
  await claim(store, T0 + 3);
  await store.finishMail(id, 1, { kind: "sent" }, T0 + 3);
  assert.equal((await store.listMails({ limit: 1 }))[0]?.status, "queued", "an earlier attempt");
  await store.finishMail(id, 2, { kind: "sent" }, T0 + 3);
  assert.equal(await store.cancelMail(id, BY), false, "a sent email stays sent");
});

test("eraseCustomer() removes personal data and keys, and keeps the audit log", async (store) => {
  const id = await welcomed(store);
  const [{ id: mailId } = { id: "" }] = await claim(store);
  await store.storeWelcomeKey(mailId, 1, aKey("a"));
  await subscribe(store, "sub_1", { customerId: id });
  const rotation = { secret: "ab".repeat(32), previousUntilMs: T0 + 9, nowMs: T0 };
  await store.rotateSecret(id, "sub_1", rotation);
  await subscribe(store, "sub_2", { customerId: id, topics: ["gpai"] });
  await store.changeSubscription(id, "sub_2", { enabled: false }, { nowMs: T0, activeLimit: 9 });
  await publishMatched(store, 1, 1);
  assert.equal(await store.eraseCustomer(id, { actor: "cli:ops", atMs: T0 + 5 }), true);
  const deliveries = await store.listDeliveries(id, { limit: 9 });
  assert.deepEqual(deliveries.map(({ status }) => status), ["cancelled", "cancelled"]);
  assert.deepEqual(await claimAll(store, T0 + 9), []);
  const account = await store.findAccount(id);
  assert.deepEqual(
    [account?.customer.email, account?.customer.enabled, account?.payment, account?.erasedAtMs],
    ["", false, null, T0 + 5],
  );
  assert.ok(account?.keys.every((key) => key.disabledAtMs !== null));
  assert.deepEqual(await store.listSubscriptions(id), []);
  assert.deepEqual(await store.listMails({ limit: 9 }), []);
  const kept = await store.findPayment("evt_1");
  assert.deepEqual([kept?.event.payer, kept?.event.subscription, kept?.event.fact, kept?.customerId], [
    null,
    null,
    null,
    id,
  ]);
  const acts = (await store.listAudit({ limit: 9, customerId: id })).map(({ act }) => act);
  assert.deepEqual(acts, ["customer.erase", "key.welcome", "customer.add"]);
  const keys = (await store.findAccount(id))?.keys.map((key) => [key.label, key.disabledAtMs === null]);
  assert.deepEqual(keys, [[null, false]]);
  assert.equal(await store.eraseCustomer(id, BY), false);
  assert.equal(await store.eraseCustomer("cus_unknown", BY), false);
});

test("listAudit() returns who changed what, newest first, without email addresses and secrets", async (store) => {
  await addCustomer(store);
  await addCustomer(store, "2");
  await store.changeCustomer("cus_1", { tier: "gpai" }, { ...BY, actor: "cli:ana", atMs: T0 + 1 });
  await store.changeCustomer("cus_1", { tier: "gpai" }, BY);
  const bob = { actor: "cli:bob", atMs: T0 + 2 };
  await store.rotateKey("cus_1", aKey("d"), { ...ROTATED, ...bob });
  await store.addKey("cus_1", aKey("e", { label: "staging" }), bob);
  await store.rotateKey("cus_1", aKey("f"), { ...ROTATED, ...bob, oldUntilMs: T0 + 100 });
  await store.disableKeys("cus_1", aKey("e").hash, bob);
  const keyActs = (await store.listAudit({ limit: 3 })).map(({ act, change }) => [act, change]);
  assert.deepEqual(keyActs, [
    ["key.disable", { disabled: ["eeee"], labels: ["staging"] }],
    ["key.rotate", { label: "default", last_four: "ffff", expiring: ["dddd"], valid_until: T0 + 100 }],
    ["key.add", { label: "staging", last_four: "eeee" }],
  ]);
  const all = (await store.listAudit({ limit: 9 })).slice(3);
  assert.deepEqual(all.map(({ actor, act, customerId }) => [actor, act, customerId]), [
    ["cli:bob", "key.rotate", "cus_1"],
    ["cli:ana", "customer.change", "cus_1"],
    ["cli:test", "customer.add", "cus_2"],
    ["cli:test", "customer.add", "cus_1"],
  ]);
  assert.deepEqual([all[3]?.change["last_four"], all[2]?.change["last_four"]], ["1111", "2222"]);
  assert.deepEqual(all[1]?.change, { tier: { before: "team", after: "gpai" } });
  assert.deepEqual(all[0]?.change, { label: "default", last_four: "dddd", disabled: ["1111"] });
  assert.deepEqual((await store.listAudit({ limit: 1, customerId: "cus_2" })).length, 1);
  assert.doesNotMatch(JSON.stringify(all), /firm\.example|d{64}/);
});

test("listAudit() selects by customer, act, actor and time", async (store) => {
  await addCustomer(store);
  await store.disableKeys("cus_1", null, { actor: "console:Zoë", address: "192.0.2.7", atMs: T0 + 2 });
  await store.recordAct({ actor: "cli:ana", atMs: T0 + 3 }, "backup.create", { file: "a.tar.gz" });
  const found = async (query: Omit<AuditQuery, "limit">) =>
    (await store.listAudit({ limit: 9, ...query })).map(({ act, address }) => [act, address]);
  const [add, disable, backup] = [
    ["customer.add", undefined],
    ["key.disable", "192.0.2.7"],
    ["backup.create", undefined],
  ];
  const rows: [Omit<AuditQuery, "limit">, unknown[]][] = [
    [{}, [backup, disable, add]],
    [{ customerId: "cus_1" }, [disable, add]],
    [{ acts: ["key.disable", "backup.create"] }, [backup, disable]],
    [{ acts: [] }, []],
    [{ actor: "cli:" }, [backup, add]],
    [{ actor: "console:Zoë" }, [disable]],
    [{ actor: "%" }, []],
    [{ sinceMs: T0 + 2 }, [backup, disable]],
    [{ sinceMs: T0 + 1, untilMs: T0 + 3 }, [disable]],
    [{ customerId: "cus_1", acts: ["customer.add"], actor: "cli:test", sinceMs: T0 }, [add]],
  ];
  for (const [query, expected] of rows) assert.deepEqual(await found(query), expected, JSON.stringify(query));
});
