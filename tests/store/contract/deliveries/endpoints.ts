// Failing endpoints: probes, recovery at a bounded rate, warnings, disabling, and clock rollbacks.
import assert from "node:assert/strict";
import { describeDelivery, type NextStep } from "../../../../src/domain/delivery/delivery.ts";
import {
  DISABLE_AFTER_MS,
  PROBE_AFTER_FAILURES,
  RECOVERY_PAUSE_MS,
  WARN_AFTER_MS,
} from "../../../../src/domain/delivery/endpoint.ts";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import {
  addCustomer,
  addSubscriber,
  claimAll,
  type Claimed,
  finished,
  first,
  LEASE,
  newMailId,
  publishMatched,
  releaseAll,
  running,
  T0,
} from "../given.ts";
import { test } from "../contract.ts";

const HOUR = 3_600_000;
const later = (atMs: number): NextStep => ({ kind: "retry", atMs });

async function withPending(store: Store, count: number): Promise<void> {
  await addSubscriber(store);
  await publishMatched(store, 1, count);
}

async function finishAll(store: Store, claimed: readonly Claimed[], next: NextStep, nowMs: number) {
  await store.finishAttempts(
    claimed.map((one) =>
      finished(one, next, { statusCode: 500, problem: "the endpoint responded with 500" })
    ),
    nowMs,
  );
}

/** Lets attempts fail until the endpoint is probed. Their retries are due in an hour. Returns the next probe's time. */
async function failUntilProbed(store: Store): Promise<number> {
  const claimed = await claimAll(store, T0, { limit: PROBE_AFTER_FAILURES });
  await finishAll(store, claimed, later(T0 + HOUR), T0);
  return T0 + 1_000;
}

const mailsOf = async (store: Store) =>
  (await store.listMails({ customerId: "cus_1", limit: 100 })).map(({ kind }) => kind);

test("claimDeliveries() returns one delivery at a time for a failing endpoint, with pauses", async (store) => {
  await withPending(store, 20);
  const probeAtMs = await failUntilProbed(store);
  const pending = await store.listAllDeliveries({ limit: 20, statuses: ["pending"] });
  const shown = pending.map((
    one,
  ) => [one.isProbed, one.nextAttemptAtMs, describeDelivery(one)?.slice(0, 23)]);
  assert.deepEqual([shown[0], shown.at(-1)], [
    [true, probeAtMs, "the endpoint is not res"],
    [true, T0 + HOUR, "the last attempt failed"],
  ], "the pause and its reason are shown");
  assert.deepEqual(await claimAll(store, probeAtMs - 1), []);
  const [probe, ...others] = await claimAll(store, probeAtMs);
  assert.ok(probe);
  assert.deepEqual(others, []);
  assert.deepEqual(await claimAll(store, probeAtMs, { running: running({ sub_1: 1 }) }), []);
  await finishAll(store, [probe], later(probeAtMs + HOUR), probeAtMs);
  assert.deepEqual(await claimAll(store, probeAtMs + 1_999), []);
  assert.equal((await claimAll(store, probeAtMs + 2_000)).length, 1);
});

test("finishAttempts() ends the probes after a success: waiting deliveries are due, oldest first, at a bounded rate", async (store) => {
  await withPending(store, 20);
  const nowMs = await failUntilProbed(store);
  const probe = first(await claimAll(store, nowMs));
  await store.finishAttempts([finished(probe, { kind: "delivered" })], nowMs);
  const five = await claimAll(store, nowMs, { perSubscription: 5 });
  assert.deepEqual(five.map(({ body }) => body), [7, 8, 9, 10, 11].map((at) => bodyOf(at)));
  assert.deepEqual(await claimAll(store, nowMs + 5 * RECOVERY_PAUSE_MS - 1), []);
  await store.finishAttempts(five.map((one) => finished(one, { kind: "delivered" })), nowMs);
  const rest: string[] = [];
  let rounds = 0;
  for (let atMs = nowMs + 5 * RECOVERY_PAUSE_MS; rounds < 10; atMs += 5 * RECOVERY_PAUSE_MS, rounds++) {
    const claimed = await claimAll(store, atMs, { perSubscription: 5 });
    if (claimed.length === 0) break;
    rest.push(...claimed.map(({ body }) => body));
    await store.finishAttempts(claimed.map((one) => finished(one, { kind: "delivered" })), atMs);
  }
  assert.deepEqual(new Set(rest), new Set([1, 2, 3, 4, 5, 12, 13, 14, 15, 16, 17, 18, 19, 20].map(bodyOf)));
  assert.equal(rounds, 3, "five at a time");
});

test("finishAttempts() makes no delivery due before the time that its receiver requested", async (store) => {
  await withPending(store, 7);
  const claimed = await claimAll(store, T0, { limit: PROBE_AFTER_FAILURES });
  const asked: NextStep = { kind: "retry", atMs: T0 + HOUR, notBeforeMs: T0 + HOUR };
  await store.finishAttempts(
    claimed.map((one, at) => finished(one, at === 0 ? asked : later(T0 + HOUR))),
    T0,
  );
  const probe = first(await claimAll(store, T0 + 1_000));
  await store.finishAttempts([finished(probe, { kind: "delivered" })], T0 + 1_000);
  const due = await claimAll(store, T0 + 1_000);
  assert.equal(due.length, 5);
  assert.ok(!due.some(({ id }) => id === claimed[0]?.id));
  assert.deepEqual(
    (await claimAll(store, T0 + HOUR)).map(({ id }) => id).includes(claimed[0]?.id ?? ""),
    true,
  );
});

test("judgeEndpoints() warns after three days without a success and disables after five, each with an email", async (store) => {
  await withPending(store, 2);
  const claimed = await claimAll(store, T0, { limit: 1 });
  await finishAll(store, claimed, later(T0 + 30 * 24 * HOUR), T0);
  const judge = (nowMs: number) => store.judgeEndpoints({ nowMs, newMailId });
  assert.equal(await judge(T0 + WARN_AFTER_MS - 1), 0);
  assert.equal(await judge(T0 + WARN_AFTER_MS), 1);
  assert.equal(await judge(T0 + WARN_AFTER_MS + 1), 0, "once");
  assert.deepEqual(await mailsOf(store), ["delivery-warning"]);
  assert.equal(await judge(T0 + DISABLE_AFTER_MS - 1), 0);
  assert.equal(await judge(T0 + DISABLE_AFTER_MS), 1);
  assert.equal(await judge(T0 + 2 * DISABLE_AFTER_MS), 0, "once");
  assert.deepEqual((await mailsOf(store)).sort(), ["delivery-disabled", "delivery-warning"]);
  const subscription = await store.findSubscription("cus_1", "sub_1");
  assert.equal(subscription?.disabledBy, "failing");
  assert.equal((await store.usageOf("cus_1", "2026-07")).held, 2);
  assert.deepEqual(await claimAll(store, T0 + 60 * 24 * HOUR), []);
  assert.equal(await releaseAll(store, { nowMs: T0 + 60 * 24 * HOUR }), 0);
});

test("adjustForClockRollback() restarts waits from the present", async (store) => {
  await withPending(store, 3);
  const claimed = await claimAll(store, T0, { limit: 2 });
  await finishAll(store, [first(claimed)], later(T0 + HOUR), T0);
  const backMs = T0 - 365 * 24 * HOUR;
  assert.deepEqual(await claimAll(store, backMs + HOUR), []);
  assert.equal(await store.adjustForClockRollback(backMs), 3);
  assert.equal((await claimAll(store, backMs)).length, 1, "due deliveries stay due");
  assert.equal((await claimAll(store, backMs + LEASE)).length, 2, "the leases expire");
  assert.equal((await claimAll(store, backMs + HOUR)).length, 3);
  assert.equal(await store.adjustForClockRollback(backMs + HOUR), 0);
});

test("adjustForClockRollback() keeps a secret replaced before the rollback valid for a day from the present", async (store) => {
  await withPending(store, 1);
  const rotation = { secret: "ab".repeat(32), previousUntilMs: T0 + 24 * HOUR, nowMs: T0 };
  await store.rotateSecret("cus_1", "sub_1", rotation);
  const untilMs = async () => (await store.findSubscription("cus_1", "sub_1"))?.previousSecret?.untilMs;
  await store.adjustForClockRollback(T0 + HOUR);
  assert.equal(await untilMs(), T0 + 24 * HOUR, "a clock that advances changes nothing");
  await store.adjustForClockRollback(T0 - 7 * 24 * HOUR);
  assert.equal(await untilMs(), T0 - 6 * 24 * HOUR);
});

test("finishAttempts() does not count an attempt against a URL that has been changed in the meantime", async (store) => {
  await addSubscriber(store);
  await publishMatched(store, 1, 6);
  const [gone, ...failed] = await claimAll(store);
  assert.ok(gone !== undefined);
  const change = { webhookUrl: "https://elsewhere.example/hook" };
  await store.changeSubscription("cus_1", "sub_1", change, { nowMs: T0, activeLimit: 9 });
  await store.finishAttempts(
    [
      finished(gone, { kind: "gone" }),
      ...failed.map((delivery) => finished(delivery, { kind: "retry", atMs: T0 + 3_600_000 })),
    ],
    T0 + 1,
  );
  assert.equal((await store.findSubscription("cus_1", "sub_1"))?.disabledBy, null);
  const again = await claimAll(store, T0 + 1);
  assert.deepEqual(
    again.map(({ webhookUrl, attempt }) => `${webhookUrl} ${attempt}`),
    Array(6).fill(`${change.webhookUrl} 2`),
    "all at once, at the new URL",
  );
});

test("changeSubscription() gives a new URL the complete schedule at once, despite failures of the old one", async (store) => {
  await addSubscriber(store);
  await publishMatched(store, 1, 2);
  const nowMs = T0 + HOUR;
  const once = await claimAll(store);
  await store.finishAttempts(once.map((one) => finished(one, { kind: "retry", atMs: nowMs })), T0);
  const [waiting, underWay] = await claimAll(store, nowMs);
  assert.ok(waiting !== undefined && underWay !== undefined);
  const later = nowMs + 20 * HOUR;
  await store.finishAttempts([finished(waiting, { kind: "retry", atMs: later, notBeforeMs: later })], nowMs);
  const change = { webhookUrl: "https://elsewhere.example/hook" };
  await store.changeSubscription("cus_1", "sub_1", change, { nowMs, activeLimit: 9 });
  await store.finishAttempts([finished(underWay, { kind: "failed" })], nowMs);
  const again = await claimAll(store, nowMs);
  assert.deepEqual(
    again.map(({ webhookUrl, attempt, tries }) => [webhookUrl, attempt, tries]),
    [[change.webhookUrl, 3, 1], [change.webhookUrl, 3, 1]],
  );
});

const sending = (nowMs: number, replaysPerDay = 9) => ({ nowMs, replaysPerDay });

test("sendDelivery() makes a delivery the next attempt of a probed endpoint, with a whole schedule", async (store) => {
  await withPending(store, 20);
  const claimed = await claimAll(store, T0, { limit: PROBE_AFTER_FAILURES });
  const notBeforeMs = T0 + HOUR;
  await finishAll(store, claimed, { kind: "retry", atMs: notBeforeMs, notBeforeMs }, T0);
  assert.deepEqual(await claimAll(store, T0 + 1), [], "the endpoint is probed with a pause");
  const { id } = claimed[2] ?? first(claimed);
  const send = (nowMs: number) => store.sendDelivery("cus_1", id, sending(nowMs));
  const sent = await send(T0 + 1);
  assert.ok(typeof sent !== "string" && sent.status === "pending" && sent.nextAttemptAtMs <= T0 + 1);
  const probes = await claimAll(store, T0 + 1);
  assert.deepEqual(probes.map(({ id, attempt, tries }) => [id, attempt, tries]), [[id, 2, 1]]);
  // An attempt in progress is left alone, and its outcome counts.
  assert.ok(typeof await send(T0 + 2) !== "string");
  assert.deepEqual(await claimAll(store, T0 + 2, { running: running({ sub_1: 1 }) }), []);
  await finishAll(store, probes, later(T0 + HOUR), T0 + 2);
  assert.deepEqual(await claimAll(store, T0 + 3), [], "the pauses continue");
});

test("sendPending() makes every delivery that waits for a retry due, and the next probe", async (store) => {
  await withPending(store, 6);
  const nowMs = await failUntilProbed(store) - 500;
  assert.deepEqual(await claimAll(store, nowMs), []);
  assert.equal(await store.sendPending("cus_1", "sub_1", sending(nowMs)), "sent");
  const [probe, ...more] = await claimAll(store, nowMs);
  assert.ok(probe !== undefined);
  assert.deepEqual(more, []);
  await store.finishAttempts([finished(probe, { kind: "delivered" })], nowMs);
  const rest = await claimAll(store, nowMs);
  assert.equal(rest.length, 5);
  assert.ok(rest.every(({ tries }) => tries === 1));
});

test("sendDelivery() and sendPending() refuse what is not pending, and use one of the day's replays", async (store) => {
  await addCustomer(store, "2");
  await withPending(store, 3);
  const [done, waiting] = await claimAll(store, T0, { limit: 2 });
  assert.ok(done !== undefined && waiting !== undefined);
  await store.finishAttempts([finished(done, { kind: "delivered" })], T0);
  await finishAll(store, [waiting], later(T0 + HOUR), T0);
  const send = (id: string, perDay = 9, customerId = "cus_1") =>
    store.sendDelivery(customerId, id, sending(T0, perDay));
  assert.equal(await send("dlv_unknown"), "unknown");
  assert.equal(await send(waiting.id, 9, "cus_2"), "unknown");
  assert.equal(await send(done.id), "finished");
  assert.equal(await store.sendPending("cus_2", "sub_1", sending(T0)), "unknown");
  assert.equal((await store.usedToday("cus_1", T0)).replays, 0, "a refused call does not count");
  assert.equal(await send(waiting.id, 0), "limit_reached");
  assert.ok(typeof await send(waiting.id, 2) !== "string");
  assert.equal(await store.sendPending("cus_1", "sub_1", sending(T0, 2)), "sent");
  assert.equal(await store.sendPending("cus_1", "sub_1", sending(T0, 2)), "limit_reached");
  const by = { actor: "console:ana", address: "192.0.2.7", atMs: T0 };
  assert.equal(await store.sendDelivery("cus_1", done.id, { nowMs: T0, by }), "finished");
  assert.ok(typeof await store.sendDelivery("cus_1", waiting.id, { nowMs: T0, by }) !== "string");
  assert.equal((await store.usedToday("cus_1", T0)).replays, 2, "the operator uses none");
  const [{ seq: _, ...entry } = {}] = await store.listAudit({ limit: 1 });
  assert.deepEqual(entry, {
    ...by,
    act: "delivery.send",
    customerId: "cus_1",
    change: { delivery: waiting.id },
  });
  await store.changeSubscription("cus_1", "sub_1", { enabled: false }, { nowMs: T0, activeLimit: 9 });
  assert.equal(await send(waiting.id), "held");
  assert.equal(await store.sendPending("cus_1", "sub_1", sending(T0)), "disabled");
});

test("judgeEndpoints() reports the problem even if every delivery has used up its schedule", async (store) => {
  await withPending(store, 1);
  await finishAll(store, await claimAll(store), { kind: "failed" }, T0);
  for (const days of [3, 5]) {
    assert.equal(await store.judgeEndpoints({ nowMs: T0 + days * 24 * HOUR, newMailId }), 1);
  }
  const mails = await store.claimMails({ nowMs: T0 + 6 * 24 * HOUR, leaseMs: LEASE, limit: 10 });
  assert.deepEqual(
    mails.map(({ kind, data }) => [kind, (data as { problem?: string }).problem]),
    [["delivery-warning", "the endpoint responded with 500"], [
      "delivery-disabled",
      "the endpoint responded with 500",
    ]],
  );
});

function bodyOf(number: number): string {
  return `${number}: evt_${String(number).padStart(2, "0")}`;
}
