// A year of one customer's payments has the same result in any order, with repeated events and crashes.
import assert from "node:assert/strict";
import { type App, createApp } from "../../../src/app.ts";
import type { Store } from "../../../src/domain/ports/store/store.ts";
import { PAYMENT_CONFIG } from "../../support/samples.ts";
import {
  checkoutSession,
  postStripe,
  stripeEvent,
  stripeInvoice,
  stripeSignature,
  stripeSubscription,
} from "../../support/peers/stripe.ts";
import { createWorld, START_MS, type World } from "../../support/world.ts";
import { scaled } from "../../support/effort.ts";

const ORDERS = scaled(50, 500);
/**
 * Number of event orders that share a store, because opening a store is slow. Each order has its own payer, who does
 * not affect the others.
 */
const PAYERS = 25;
const DAY_S = 86_400;
const BEGIN_S = START_MS / 1_000;
const SEED = Number(Deno.env.get("REGFEED_SEED") ?? Date.now() % 1_000_000);

/**
 * Returns the events of a payer in a year: a checkout, twelve invoices, price changes and two failures, some of them in
 * the same second.
 */
function yearOfEvents(payer: number): string[] {
  let number = 0;
  const bodies: string[] = [];
  const tell = (day: number, type: string, object: Record<string, unknown>, second = 0) =>
    void bodies.push(stripeEvent({
      // Ids do not reveal the order.
      id: `evt_${String((++number * 379) % 1_000).padStart(3, "0")}`,
      type,
      created: BEGIN_S + day * DAY_S + second,
      object,
    }));
  const bill = (month: number, paid: boolean, day: number, second = 0) => {
    const change = { id: `in_${month}`, status: paid ? "paid" : "open" };
    const price = month < 5 ? "price_indie" : "price_team";
    const object = stripeInvoice(price, month % 2 === 0 ? "2024-06-20" : "2025-03-31.basil", change);
    tell(day, paid ? "invoice.paid" : "invoice.payment_failed", object, second);
  };
  const state = (status: string, price: string, day: number, second = 0) =>
    tell(day, "customer.subscription.updated", stripeSubscription(status, price), second);
  tell(0, "customer.subscription.created", stripeSubscription("incomplete", "price_indie"));
  tell(0, "checkout.session.completed", checkoutSession());
  state("active", "price_indie", 0);
  for (let month = 0; month < 12; month++) {
    const day = month * 30;
    if (month === 3 || month === 8) {
      bill(month, false, day);
      state("past_due", month < 5 ? "price_indie" : "price_team", day);
      bill(month, false, day + 3);
      bill(month, true, day + 5);
      state("active", month < 5 ? "price_indie" : "price_team", day + 5);
    } else bill(month, true, day, month === 0 ? 0 : 1);
  }
  state("active", "price_team", 140);
  state("active", "price_gpai", 300);
  return bodies.map((body) =>
    body.replaceAll("cus_NffrFeUfNV2Hib", `cus_${payer}`).replaceAll("sub_1MowQVLkdIwHu7ix", `sub_${payer}`)
      .replaceAll("ana@firm.example", `ana${payer}@firm.example`).replaceAll('"evt_', `"evt_${payer}x`)
  );
}

/** Returns a seeded random generator (Numerical Recipes). */
function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

function shuffled<T>(items: readonly T[], next: () => number): T[] {
  const rest = [...items];
  return items.map(() => rest.splice(Math.floor(next() * rest.length), 1)[0] as T);
}

class Crash extends Error {}

/** Returns a store whose process may crash before or after any call. */
function crashing(store: Store, next: () => number): Store {
  return new Proxy(store, {
    get: (target, name: keyof Store) => async (...given: never[]) => {
      if (next() < 0.01) throw new Crash("before");
      const result = await (target[name] as (...given: never[]) => Promise<unknown>)(...given);
      if (next() < 0.01) throw new Crash("after");
      return result;
    },
  });
}

/** Sends all events of a payer, and repeats each until the response is 200. */
async function sendAll({ config, platform, store }: World, payer: number): Promise<void> {
  const next = chance(SEED + payer);
  const restart = (): App =>
    createApp({ config, platform, store: crashing(store, next), version: "0.0.0-test" });
  const nowMs = platform.clock.nowMs();
  const events = await Promise.all(
    yearOfEvents(payer).map(async (body) => ({ body, signature: await stripeSignature(body, nowMs) })),
  );
  const repeated = events.filter(() => next() < 0.2);
  let app = restart();
  for (const { body, signature } of shuffled([...events, ...repeated], next)) {
    for (let status = 0, tries = 0; status !== 200; tries++) {
      assert.ok(tries < 50, "the event is finally accepted");
      status = await postStripe(app, body, signature);
      if (status !== 200) app = restart();
    }
    if (next() < 0.05) await app.tick().catch(() => void (app = restart()));
  }
}

async function endOf({ app, platform, store }: World, payer: number): Promise<Record<string, unknown>> {
  const events = yearOfEvents(payer);
  const customerId = (await store.findPayment(JSON.parse(events[0] ?? "").id))?.customerId ?? "";
  const account = await store.findAccount(customerId);
  const mails = await store.listMails({ limit: 99, customerId });
  const letters = platform.mailer.taken.filter(({ to, text }) =>
    to === account?.customer.email && text.includes("rgf_")
  );
  const key = /rgf_[0-9a-f]{64}/.exec(letters.at(-1)?.text ?? "")?.[0] ?? "";
  const call = await app.fetch(
    new Request("http://regfeed.example/v1/usage", { headers: { authorization: `Bearer ${key}` } }),
  );
  await call.body?.cancel();
  return {
    tier: account?.customer.tier,
    enabled: account?.customer.enabled,
    language: account?.customer.language,
    email: account?.customer.email,
    access: account?.payment?.access,
    until: account?.payment?.accessUntilMs,
    goodKeys: account?.keys.filter((one) => one.disabledAtMs === null).length,
    welcomes: mails.filter(({ kind }) => kind === "welcome").map(({ status }) => status),
    lost: events.length - (await store.listPayments({ limit: 999, customerId })).length,
    firstCall: call.status,
  };
}

Deno.test(`a year of payments in ${ORDERS} random orders, with repeats and crashes, always has the same result (seed ${SEED})`, async () => {
  for (let first = 0; first < ORDERS; first += PAYERS) {
    const world = await createWorld(PAYMENT_CONFIG, { seed: SEED + first });
    world.platform.clock.set(START_MS + 366 * DAY_S * 1_000);
    const payers = Array.from({ length: PAYERS }, (_, at) => first + at);
    for (const payer of payers) await sendAll(world, payer);
    // Leases that crashes left behind expire, and then all due emails are sent.
    for (let turn = 0; turn < 5; turn++) {
      await world.platform.clock.advance(600_000);
      await world.app.tick();
    }
    for (const payer of payers) {
      assert.deepEqual(await endOf(world, payer), {
        tier: "gpai",
        enabled: true,
        language: "de",
        email: `ana${payer}@firm.example`,
        access: "granted",
        until: null,
        goodKeys: 1,
        welcomes: ["sent"],
        lost: 0,
        firstCall: 200,
      }, `seed ${SEED}, payer ${payer}`);
    }
    assert.equal((await world.store.listCustomers()).length, PAYERS, "one customer per payer");
    await world.close();
  }
});
