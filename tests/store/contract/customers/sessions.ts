// Sessions, one-time links and submitted forms.
import assert from "node:assert/strict";
import {
  isLinkValid,
  isSessionValid,
  MAX_LINK_MAILS_PER_HOUR,
  MAX_SESSIONS,
  type NewSession,
  type Session,
  SESSION_IDLE_MS,
  SESSION_LIFE_MS,
  type Viewer,
} from "../../../../src/domain/customer/session.ts";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import { addCustomer, aKey, BY, newMailId, T0 } from "../given.ts";
import { test } from "../contract.ts";

const ANA: Viewer = { kind: "customer", customerId: "cus_1" };
const OPERATOR: Viewer = { kind: "operator", name: "olga" };
const HOUR = 3_600_000;

const hashOf = (id: string) => aKey(Array.from(id, (c) => c.charCodeAt(0).toString(16)).join("")).hash;

function aSession(id: string, change: Partial<NewSession> = {}): NewSession {
  return {
    id,
    hash: hashOf(id),
    method: change.keyHash === undefined ? "link" : "key",
    keyHash: null,
    createdAtMs: T0,
    client: { ipAddress: "192.0.2.7", userAgent: "Firefox" },
    ...change,
  };
}

async function start(
  store: Store,
  id: string,
  viewer = ANA,
  change: Partial<NewSession> = {},
): Promise<boolean> {
  return await store.startSession({ ...aSession(id, change), viewer });
}

/** Starts `ses_key` with the customer's key, `ses_link` with a link, and adds a link. */
async function signInTwice(store: Store): Promise<void> {
  await addCustomer(store);
  await start(store, "ses_key", ANA, { keyHash: aKey("1").hash });
  await start(store, "ses_link");
  await store.addSignInLink({ hash: aKey("f").hash, viewer: ANA, createdAtMs: T0 }, null);
}

/** Returns which of `ses_key`, `ses_link` and the link are valid at a time. */
async function validAt(store: Store, nowMs: number): Promise<string[]> {
  const valid: string[] = [];
  for (const id of ["ses_key", "ses_link"]) {
    const facts = await store.findSession(hashOf(id));
    if (facts !== null && isSessionValid(facts, nowMs)) valid.push(id);
  }
  if (await store.findSignInLink(aKey("f").hash, nowMs) !== null) valid.push("link");
  return valid;
}

test("startSession() keeps a customer's and an operator's session", async (store) => {
  const customer = await addCustomer(store);
  const client = { ipAddress: "2001:db8::1", userAgent: "<b>Safari" };
  assert.equal(await start(store, "ses_1", ANA, { keyHash: aKey("1").hash, client }), true);
  assert.equal((await store.findKey(aKey("1").hash))?.key.lastUsedAtMs, T0);
  assert.equal(await start(store, "ses_2", OPERATOR), true);
  assert.deepEqual(await store.findSession(hashOf("ses_1")), {
    session: { id: "ses_1", viewer: ANA, method: "key", createdAtMs: T0, lastSeenAtMs: T0, client },
    customer,
    key: { disabledAtMs: null, validUntilMs: null },
  });
  const found = await store.findSession(hashOf("ses_2"));
  assert.deepEqual([found?.session.viewer, found?.customer, found?.key], [OPERATOR, null, null]);
  assert.equal(await store.findSession(hashOf("ses_3")), null);
});

test("startSession() audits an operator's sign-in with its IP address, but not a customer's", async (store) => {
  await addCustomer(store);
  await start(store, "ses_1", ANA);
  await start(store, "ses_2", OPERATOR);
  const entries = (await store.listAudit({ limit: 10 })).filter(({ act }) => act.startsWith("console."));
  assert.deepEqual(
    entries.map(({ actor, address, act, customerId, change }) => ({
      actor,
      address,
      act,
      customerId,
      change,
    })),
    [{
      actor: "console:olga",
      address: "192.0.2.7",
      act: "console.sign-in",
      customerId: null,
      change: { method: "link" },
    }],
  );
});

test("startSession() refuses unknown and disabled customers, and keys that are not the customer's own", async (store) => {
  await addCustomer(store);
  await addCustomer(store, "2", { enabled: false });
  await addCustomer(store, "3");
  await store.disableKeys("cus_3", null, BY);
  const keyOf = (digit: string) => ({ keyHash: aKey(digit).hash });
  const cus = (digit: string): Viewer => ({ kind: "customer", customerId: `cus_${digit}` });
  assert.equal(await start(store, "ses_a", cus("9")), false);
  assert.equal(await start(store, "ses_b", cus("2"), keyOf("2")), false);
  assert.equal(await start(store, "ses_c", cus("3"), keyOf("3")), false);
  assert.equal(await start(store, "ses_d", cus("1"), keyOf("3")), false);
  assert.equal(await start(store, "ses_e", cus("1"), keyOf("9")), false);
  assert.deepEqual(await store.listSessions({ customerId: "cus_1" }, T0), []);
});

test(`startSession() ends the sessions that were unused the longest beyond ${MAX_SESSIONS}`, async (store) => {
  await addCustomer(store);
  await addCustomer(store, "2");
  await start(store, "ses_other", { kind: "customer", customerId: "cus_2" });
  for (let at = 0; at < MAX_SESSIONS; at++) {
    await start(store, `ses_${at}`, ANA, { createdAtMs: T0 + at });
  }
  await store.noteSessionUse(hashOf("ses_0"), { atMs: T0 + 99, ipAddress: "192.0.2.8" });
  await start(store, "ses_last", ANA, { createdAtMs: T0 + 60 });
  assert.equal(await store.findSession(hashOf("ses_1")), null);
  assert.notEqual(await store.findSession(hashOf("ses_0")), null);
  assert.notEqual(await store.findSession(hashOf("ses_other")), null);
  assert.equal((await store.listSessions({ customerId: "cus_1" }, T0 + 99)).length, MAX_SESSIONS);
});

test("listSessions() lists the owner's valid sessions, last used first", async (store) => {
  await addCustomer(store);
  await start(store, "ses_1");
  await start(store, "ses_2", ANA, { createdAtMs: T0 + 5 });
  await start(store, "ses_3", OPERATOR);
  await start(store, "ses_4", { kind: "operator", name: "otto" }, { createdAtMs: T0 + 1 });
  await store.noteSessionUse(hashOf("ses_1"), { atMs: T0 + 9, ipAddress: "192.0.2.8" });
  const list = async (owner: Parameters<Store["listSessions"]>[0], nowMs = T0 + 10) =>
    (await store.listSessions(owner, nowMs)).map((
      { id, lastSeenAtMs, client },
    ) => [id, lastSeenAtMs - T0, client.ipAddress]);
  assert.deepEqual(await list({ customerId: "cus_1" }), [["ses_1", 9, "192.0.2.8"], [
    "ses_2",
    5,
    "192.0.2.7",
  ]]);
  assert.deepEqual(await list("operators"), [["ses_4", 1, "192.0.2.7"], ["ses_3", 0, "192.0.2.7"]]);
  assert.deepEqual(await list({ customerId: "cus_1" }, T0 + SESSION_IDLE_MS + 6), [[
    "ses_1",
    9,
    "192.0.2.8",
  ]]);
});

test("endSessions() ends one of the owner's sessions or all others, and audits the operator's acts", async (store) => {
  await addCustomer(store);
  for (const id of ["ses_1", "ses_2", "ses_3", "ses_4"]) await start(store, id);
  await start(store, "ses_o", OPERATOR);
  const ana = { customerId: "cus_1" };
  assert.equal(await store.endSessions(ana, { id: "ses_o" }, null), 0);
  assert.equal(await store.endSessions("operators", { id: "ses_1" }, BY), 0);
  assert.equal(await store.endSessions({ operator: "otto" }, { except: null }, BY), 0);
  assert.equal(await store.endSessions(ana, { id: "ses_1" }, null), 1);
  assert.equal(await store.endSessions(ana, { except: "ses_2" }, null), 2);
  assert.equal(await store.endSessions(ana, { except: null }, BY), 1);
  assert.deepEqual(await store.listSessions(ana, T0), []);
  assert.notEqual(await store.findSession(hashOf("ses_o")), null);
  await store.endSession(hashOf("ses_o"));
  assert.equal(await store.findSession(hashOf("ses_o")), null);
  const entries = (await store.listAudit({ limit: 10 })).filter(({ act }) => act === "session.end");
  assert.deepEqual(entries.map(({ actor, customerId, change }) => [actor, customerId, change]), [
    ["cli:test", "cus_1", { of: "customer", sessions: 1 }],
  ]);
});

/** What an act leaves valid of the sessions and the link of {@link signInTwice}. */
const ACTS: [string, (store: Store) => Promise<unknown>, string[]][] = [
  ["disabling the customer", (store) => store.changeCustomer("cus_1", { enabled: false }, BY), []],
  ["erasing the customer", (store) => store.eraseCustomer("cus_1", BY), []],
  ["another email address", (store) => store.changeCustomer("cus_1", { email: "b@firm.example" }, BY), [
    "ses_key",
  ]],
  ["another tier", (store) => store.changeCustomer("cus_1", { tier: "gpai" }, BY), [
    "ses_key",
    "ses_link",
    "link",
  ]],
  ["disabling the key", (store) => store.disableKeys("cus_1", aKey("1").hash, BY), ["ses_link", "link"]],
  ["disabling all keys", (store) => store.disableKeys("cus_1", null, BY), ["ses_link", "link"]],
  [
    "rotating the key",
    (store) => store.rotateKey("cus_1", aKey("2"), { ...BY, oldUntilMs: null, mailId: null }),
    ["ses_link", "link"],
  ],
  [
    "rotating another key",
    (store) =>
      store.rotateKey("cus_1", aKey("2", { label: "other" }), { ...BY, oldUntilMs: null, mailId: null }),
    ["ses_key", "ses_link", "link"],
  ],
];

for (const [act, run, left] of ACTS) {
  test(`findSession() and findSignInLink(): ${act} leaves ${left.join(", ") || "nothing"}`, async (store) => {
    await signInTwice(store);
    await run(store);
    assert.deepEqual(await validAt(store, T0), left);
    if (act.startsWith("disabling the customer")) {
      await store.changeCustomer("cus_1", { enabled: true }, BY);
      assert.deepEqual(await validAt(store, T0), [], "a session came back");
    }
  });
}

test("findSession(): a session ends with the overlap of the key that it was started with", async (store) => {
  await signInTwice(store);
  await store.rotateKey("cus_1", aKey("2"), { ...BY, oldUntilMs: T0 + HOUR, mailId: null });
  assert.deepEqual(await validAt(store, T0 + HOUR - 1), ["ses_key", "ses_link"]);
  assert.deepEqual(await validAt(store, T0 + HOUR), ["ses_link"]);
});

test("isSessionValid(): a session ends after 12 h without use, after 7 days, and when the clock is set back", async (store) => {
  await addCustomer(store);
  await start(store, "ses_1");
  const facts = await store.findSession(hashOf("ses_1"));
  assert.ok(facts !== null);
  const rows: [lastSeenAtMs: number, nowMs: number, boolean][] = [
    [0, SESSION_IDLE_MS - 1, true],
    [0, SESSION_IDLE_MS, false],
    [SESSION_LIFE_MS - 2, SESSION_LIFE_MS - 1, true],
    [SESSION_LIFE_MS - 2, SESSION_LIFE_MS, false],
    [0, -HOUR, true],
    [0, -SESSION_IDLE_MS, false],
  ];
  for (const [lastSeen, now, expected] of rows) {
    const session: Session = { ...facts.session, lastSeenAtMs: T0 + lastSeen };
    assert.equal(isSessionValid({ ...facts, session }, T0 + now), expected, `${lastSeen} ${now}`);
  }
});

test("redeemSignInLink() works once, within 15 minutes", async (store) => {
  await addCustomer(store);
  const link = { hash: aKey("a").hash, viewer: ANA, createdAtMs: T0 };
  assert.equal(await store.addSignInLink(link, null), true);
  assert.deepEqual(await store.findSignInLink(link.hash, T0), ANA);
  assert.deepEqual(await store.findSignInLink(link.hash, T0 + 15 * 60_000 - 1), ANA);
  assert.equal(await store.findSignInLink(link.hash, T0 + 15 * 60_000), null);
  const late = aSession("ses_late", { createdAtMs: T0 + 15 * 60_000 });
  assert.equal(await store.redeemSignInLink(link.hash, late), null);
  assert.deepEqual(await store.redeemSignInLink(link.hash, aSession("ses_1")), ANA);
  assert.equal(await store.redeemSignInLink(link.hash, aSession("ses_2")), null);
  assert.equal(await store.findSignInLink(link.hash, T0), null);
  assert.equal(await store.redeemSignInLink(aKey("b").hash, aSession("ses_3")), null);
  assert.deepEqual((await store.listSessions({ customerId: "cus_1" }, T0)).map(({ id }) => id), ["ses_1"]);
  assert.equal(
    isLinkValid({ createdAtMs: T0, redeemedAtMs: null }, T0 - HOUR),
    false,
    "the clock was set back",
  );
});

test("addSignInLink() audits the operator's links, and refuses disabled customers", async (store) => {
  await addCustomer(store);
  await addCustomer(store, "2", { enabled: false });
  const link = (digit: string, viewer: Viewer) => ({ hash: aKey(digit).hash, viewer, createdAtMs: T0 });
  assert.equal(await store.addSignInLink(link("a", OPERATOR), BY), true);
  assert.equal(await store.addSignInLink(link("b", ANA), BY), true);
  assert.equal(await store.addSignInLink(link("c", { kind: "customer", customerId: "cus_2" }), BY), false);
  const entries = (await store.listAudit({ limit: 10 })).filter(({ act }) => act === "console.link");
  assert.deepEqual(entries.map(({ customerId, change }) => [customerId, change]), [
    ["cus_1", {}],
    [null, { operator: "olga" }],
  ]);
});

test("queueLinkMails() queues emails for the enabled customers with an address, but only a few an hour", async (store) => {
  await addCustomer(store);
  await addCustomer(store, "2", { email: "CUS_1@Firm.example" });
  await addCustomer(store, "3", { email: "cus_1@firm.example", enabled: false });
  await addCustomer(store, "4", { email: "" });
  const ask = (email: string, nowMs = T0) =>
    store.queueLinkMails({ email, returnTo: "/console", nowMs, newMailId });
  assert.deepEqual([await ask("nobody@firm.example"), await ask("")], [0, 0]);
  assert.equal(await ask("cus_1@firm.example"), 2);
  const mails = await store.claimMails({ nowMs: T0, leaseMs: HOUR, limit: 10 });
  assert.deepEqual(
    mails.map(({ kind, data, customer }) => [kind, data, customer.id]).sort(),
    ["cus_1", "cus_2"].map((id) => ["sign-in", { requestedAtMs: T0, returnTo: "/console" }, id]),
  );
  for (let count = 1; count < MAX_LINK_MAILS_PER_HOUR; count++) {
    assert.equal(await ask("cus_1@firm.example"), 2);
  }
  assert.equal(await ask("cus_1@firm.example"), 0);
  assert.equal(await ask("cus_1@firm.example", T0 + HOUR), 2);
});

test("beginForm() lets a form act once, and again if it was refused", async (store) => {
  await addCustomer(store);
  await start(store, "ses_1");
  await start(store, "ses_2");
  const form = { sessionId: "ses_1", formId: "f1" };
  assert.deepEqual(await store.beginForm(form, T0), { kind: "new" });
  assert.deepEqual(await store.beginForm(form, T0), { kind: "running" });
  await store.finishForm(form, { kind: "refused" });
  assert.deepEqual(await store.beginForm(form, T0), { kind: "new" });
  await store.finishForm(form, { kind: "done", location: "/console/keys" });
  assert.deepEqual(await store.beginForm(form, T0), { kind: "finished", location: "/console/keys" });
  assert.deepEqual(await store.beginForm({ ...form, sessionId: "ses_2" }, T0), { kind: "new" });
  assert.deepEqual(await store.beginForm({ ...form, formId: "f2" }, T0), { kind: "new" });
  await store.finishForm({ ...form, formId: "f2" }, { kind: "done", location: null });
  assert.deepEqual(await store.beginForm({ ...form, formId: "f2" }, T0), {
    kind: "finished",
    location: null,
  });
});

test("removeOldSessions() removes only what has ended", async (store) => {
  await addCustomer(store);
  await start(store, "ses_1");
  await store.beginForm({ sessionId: "ses_1", formId: "f1" }, T0);
  await store.addSignInLink({ hash: aKey("a").hash, viewer: ANA, createdAtMs: T0 }, null);
  await store.queueLinkMails({ email: "cus_1@firm.example", returnTo: null, nowMs: T0, newMailId });
  const [mail] = await store.claimMails({ nowMs: T0, leaseMs: HOUR, limit: 1 });
  await store.finishMail(mail?.id ?? "", 1, { kind: "sent" }, T0);

  await store.removeOldSessions(T0 + 15 * 60_000 - 1);
  assert.deepEqual(await store.findSignInLink(aKey("a").hash, T0), ANA);
  await store.removeOldSessions(T0 + 15 * 60_000);
  assert.equal(await store.findSignInLink(aKey("a").hash, T0), null);

  await store.removeOldSessions(T0 + SESSION_IDLE_MS - 1);
  assert.notEqual(await store.findSession(hashOf("ses_1")), null);
  await store.noteSessionUse(hashOf("ses_1"), { atMs: T0 + 24 * HOUR, ipAddress: "192.0.2.7" });
  assert.deepEqual(await store.beginForm({ sessionId: "ses_1", formId: "f1" }, T0), { kind: "running" });
  await store.removeOldSessions(T0 + 24 * HOUR);
  assert.deepEqual(await store.beginForm({ sessionId: "ses_1", formId: "f1" }, T0), { kind: "new" });
  await store.removeOldSessions(T0 + 24 * HOUR + SESSION_IDLE_MS);
  assert.equal(await store.findSession(hashOf("ses_1")), null);

  assert.equal((await store.listMails({ limit: 9 })).length, 1);
  await store.removeOldSessions(T0 + 30 * 24 * HOUR);
  assert.deepEqual(await store.listMails({ limit: 9 }), []);
});
