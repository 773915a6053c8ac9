// Payment events: each is stored once with all its effects, in any order of arrival.
import assert from "node:assert/strict";
import { addCustomer, BY, T0 } from "../given.ts";
import { aPayment, aReview, aState } from "./given_payments.ts";
import { test } from "../contract.ts";

const HOUR = 3_600_000;

test("recordPayment() creates the customer of a paid checkout without a key, and queues a welcome email", async (store) => {
  const event = aPayment("evt_1");
  assert.equal(await store.recordPayment(event, aReview({ tier: "team" })), "applied");
  const [{ customer, keys } = {}] = await store.listCustomers();
  assert.deepEqual(
    [customer?.email, customer?.tier, customer?.enabled, customer?.language, keys?.length],
    ["ana@firm.example", "team", true, "de", 0],
  );
  const mails = await store.listMails({ limit: 9 });
  assert.deepEqual(mails.map(({ kind, status, customerId }) => [kind, status, customerId]), [
    ["welcome", "queued", customer?.id],
  ]);
  assert.deepEqual(await store.findPayment("evt_1"), { event, customerId: customer?.id });
  assert.deepEqual((await store.findAccount(customer?.id ?? ""))?.payment, {
    payer: "payer_1",
    email: "ana@firm.example",
    tier: "team",
    access: "granted",
    accessUntilMs: null,
    unknownPrice: null,
  });
  const [entry] = await store.listAudit({ limit: 9 });
  const audited = [entry?.actor, entry?.act, entry?.customerId];
  assert.deepEqual(audited, ["payment:evt_1", "customer.add", customer?.id]);
});

test("recordPayment() ignores a known event", async (store) => {
  await store.recordPayment(aPayment("evt_1"), aReview());
  assert.equal(await store.recordPayment(aPayment("evt_1"), aReview({ tier: "gpai" })), "repeated");
  const listed = await store.listCustomers();
  assert.deepEqual(listed.map(({ customer }) => customer.tier), ["indie"]);
  assert.equal((await store.listMails({ limit: 9 })).length, 1);
  assert.equal((await store.listAudit({ limit: 9 })).length, 1);
});

test("recordPayment() keeps an event that precedes its checkout, and applies it with the checkout", async (store) => {
  const state = aPayment("evt_2", { fact: aState("active", "price_gpai"), createdAtMs: T0 + 1 });
  assert.equal(await store.recordPayment(state, aReview()), "waiting");
  assert.deepEqual(await store.listCustomers(), []);
  assert.equal(await store.recordPayment(aPayment("evt_1"), aReview()), "applied");
  const [{ customer } = {}] = await store.listCustomers();
  assert.equal(customer?.tier, "gpai");
  assert.equal((await store.findPayment("evt_2"))?.customerId, customer?.id);
});

test("recordPayment() stores but ignores an event without a fact or a payer", async (store) => {
  const note = "it says nothing of a subscription";
  for (const event of [aPayment("evt_1", { fact: null, note }), aPayment("evt_2", { payer: null })]) {
    assert.equal(await store.recordPayment(event, aReview()), "ignored");
    assert.deepEqual(await store.findPayment(event.id), { event, customerId: null });
  }
  assert.deepEqual(await store.listCustomers(), []);
});

test("recordPayment() stores nothing of an event whose effects fail", async (store) => {
  const review = aReview();
  const broken = {
    ...review,
    newId: () => {
      throw new Error("no ids left");
    },
  };
  await assert.rejects(store.recordPayment(aPayment("evt_1"), broken), /no ids left/);
  assert.equal(await store.findPayment("evt_1"), null);
  assert.equal(await store.recordPayment(aPayment("evt_1"), review), "applied");
});

test("recordPayment() disables customers who stop paying and enables those who pay again, unless the operator disabled them", async (store) => {
  await store.recordPayment(aPayment("evt_1"), aReview());
  const [{ customer } = {}] = await store.listCustomers();
  const id = customer?.id ?? "";
  let second = 0;
  const tell = (status: "active" | "canceled") =>
    store.recordPayment(
      aPayment(`evt_s${++second}`, { fact: aState(status), createdAtMs: T0 + second }),
      aReview(),
    );
  const state = async () => {
    const account = await store.findAccount(id);
    return [account?.customer.enabled, account?.disabledBy];
  };
  await tell("canceled");
  assert.deepEqual(await state(), [false, "payment"]);
  await store.changeCustomer(id, { enabled: true }, BY);
  assert.deepEqual(await state(), [false, "payment"], "the subscription is not paid");
  await tell("active");
  assert.deepEqual(await state(), [true, null]);
  await store.changeCustomer(id, { enabled: false }, BY);
  await tell("active");
  assert.deepEqual(await state(), [false, "operator"]);
  await tell("canceled");
  assert.deepEqual(await state(), [false, "operator"]);
  await store.changeCustomer(id, { enabled: true }, BY);
  assert.deepEqual(await state(), [false, "payment"]);
});

test("reviewPayers() ends the access of payers after the grace period, and notifies them once", async (store) => {
  await store.recordPayment(aPayment("evt_1"), aReview());
  const due = aPayment("evt_2", { fact: aState("past_due"), createdAtMs: T0 + 1 });
  await store.recordPayment(due, aReview());
  const enabled = async () => (await store.listCustomers())[0]?.customer.enabled;
  assert.equal(await store.reviewPayers("grace", aReview({ nowMs: T0 + HOUR - 1 })), 0);
  assert.equal(await enabled(), true);
  assert.equal(await store.reviewPayers("grace", aReview({ nowMs: T0 + HOUR })), 1);
  assert.equal(await enabled(), false);
  assert.equal(await store.reviewPayers("grace", aReview({ nowMs: T0 + 2 * HOUR })), 0);
  assert.equal(await store.reviewPayers("all", aReview({ nowMs: T0 + 2 * HOUR })), 1);
  const kinds = (await store.listMails({ limit: 9 })).map(({ kind }) => kind).sort();
  assert.deepEqual(kinds, ["payment-failed", "payment-failed", "welcome"]);
  const acts = (await store.listAudit({ limit: 9 })).map(({ actor, act }) => `${actor} ${act}`);
  assert.deepEqual(acts, ["service customer.change", "payment:evt_1 customer.add"]);
});

test("replayPayment() repairs what is wrong, and changes nothing else", async (store) => {
  await store.recordPayment(aPayment("evt_1"), aReview());
  assert.equal(await store.replayPayment("evt_1", aReview(), BY), "applied");
  assert.equal((await store.listCustomers()).length, 1);
  assert.equal((await store.listMails({ limit: 9 })).length, 1);
  assert.equal(await store.replayPayment("evt_1", aReview({ tier: "gpai" }), BY), "applied");
  assert.equal((await store.listCustomers())[0]?.customer.tier, "gpai");
  assert.equal(await store.replayPayment("evt_9", aReview(), BY), null);
  const acts = (await store.listAudit({ limit: 9 })).map(({ act }) => act);
  assert.deepEqual(acts, ["customer.change", "payment.replay", "payment.replay", "customer.add"]);
});

test("listPayments() returns payment events, newest first, optionally of one customer", async (store) => {
  await addCustomer(store);
  for (const [number, payer] of ["payer_1", "payer_2", "payer_1"].entries()) {
    const event = aPayment(`evt_${number}`, { payer, receivedAtMs: T0 + number });
    await store.recordPayment(event, aReview());
  }
  const ids = async (query: { limit: number; customerId?: string }) =>
    (await store.listPayments(query)).map(({ event }) => event.id);
  assert.deepEqual(await ids({ limit: 2 }), ["evt_2", "evt_1"]);
  const { customerId } = await store.findPayment("evt_0") ?? {};
  assert.deepEqual(await ids({ limit: 9, customerId: customerId ?? "" }), ["evt_2", "evt_0"]);
  assert.deepEqual(await ids({ limit: 9, customerId: "cus_1" }), []);
});
