// Promises about the store as a whole: its health, its end.
import assert from "node:assert/strict";
import type { Store } from "../../../src/domain/ports/store/store.ts";
import {
  aClaim,
  aCustomer,
  addCustomer,
  aFailure,
  aKey,
  anEvent,
  aPublication,
  aSource,
  aSubscription,
  BY,
  catchUpAll,
  claimAll,
  finished,
  JULY,
  matchAll,
  monthly,
  newMailId,
  publishMany,
  recordIt,
  replayAll,
  subscribe,
  T0,
  TERMS,
} from "./given.ts";
import { aPayment, aReview } from "./customers/given_payments.ts";
import { test } from "./contract.ts";

/** A call of every method but close. */
const CALLS: Record<Exclude<keyof Store, "close">, (store: Store) => Promise<unknown>> = {
  registerSources: (store) => store.registerSources([aSource("board")], T0),
  listSources: (store) => store.listSources(),
  isKnownSource: (store) => store.isKnownSource("board"),
  claimSources: (store) => store.claimSources(aClaim(["board"])),
  extendLease: (store) => store.extendLease({ sourceId: "board", holder: "prc_1", untilMs: T0 }),
  finishFetch: (store) => store.finishFetch(aFailure("board", T0)),
  recordPublications: (store) =>
    store.recordPublications("board", [aPublication("guid 1", "x")], recordIt(anEvent("evt_1"))),
  previewPublications: (store) =>
    store.previewPublications("board", [aPublication("guid 1", "x")], recordIt(anEvent("evt_1"))),
  listEvents: (store) => store.listEvents({ limit: 1 }),
  findPosition: (store) => store.findPosition("evt_1"),
  lastPosition: (store) => store.lastPosition(),
  recordsState: (store) => store.recordsState(T0),
  releaseEvents: (store) => store.releaseEvents("board", "deliver"),
  recordRemovals: (store) => store.recordRemovals("board", { seen: new Set(), sinceMs: 0 }, () => []),
  listVersions: (store) => store.listVersions("evt_1"),
  findEvent: (store) => store.findEvent("evt_1"),
  addCustomer: (store) => store.addCustomer(aCustomer("cus_9"), aKey("9"), BY),
  findCustomer: (store) => store.findCustomer("cus_1"),
  listCustomers: (store) => store.listCustomers(),
  changeCustomer: (store) => store.changeCustomer("cus_1", { enabled: false }, BY),
  replaceKeys: (store) => store.replaceKeys("cus_1", null, BY),
  findAccount: (store) => store.findAccount("cus_1"),
  declareCustomers: (store) => store.declareCustomers([], BY),
  eraseCustomer: (store) => store.eraseCustomer("cus_1", BY),
  recordPayment: (store) => store.recordPayment(aPayment("evt_1"), aReview()),
  replayPayment: (store) => store.replayPayment("evt_1", aReview(), BY),
  reviewPayers: (store) => store.reviewPayers("all", aReview()),
  listPayments: (store) => store.listPayments({ limit: 1 }),
  findPayment: (store) => store.findPayment("evt_1"),
  claimMails: (store) => store.claimMails({ nowMs: T0, leaseMs: 1, limit: 1 }),
  storeWelcomeKey: (store) => store.storeWelcomeKey("mail_1", 1, aKey("8")),
  finishMail: (store) => store.finishMail("mail_1", 1, { kind: "sent" }, T0),
  listMails: (store) => store.listMails({ limit: 1 }),
  retryMail: (store) => store.retryMail("mail_1", BY),
  blankMails: (store) => store.blankMails({ finishedUntilMs: T0, limit: 1 }),
  cancelMail: (store) => store.cancelMail("mail_1", BY),
  listAudit: (store) => store.listAudit({ limit: 1 }),
  countUndelivered: (store) => store.countUndelivered(),
  countUndeliveredOf: (store) => store.countUndeliveredOf("cus_1"),
  accountHealth: (store) => store.accountHealth(),
  findKey: (store) => store.findKey(aKey("1").hash),
  countedRequests: (store) => store.countedRequests("cus_1", "2026-07-20"),
  usageOf: (store) => store.usageOf("cus_1", JULY),
  countDaily: (store) => store.countDaily("cus_1", { action: "replays", count: 1, limit: 1, nowMs: T0 }),
  usedToday: (store) => store.usedToday("cus_1", T0),
  addRequests: (store) => store.addRequests([{ customerId: "cus_1", day: "2026-07-20", requests: 1 }]),
  addSubscription: (store) => store.addSubscription(aSubscription("sub_9"), 5),
  storeResponse: (store) =>
    store.storeResponse("cus_1", { key: "key 1", requestHash: "00".repeat(32), json: "{}" }, T0),
  changeSubscription: (store) =>
    store.changeSubscription("cus_1", "sub_1", { enabled: false }, { nowMs: T0, activeLimit: 9 }),
  rotateSecret: (store) =>
    store.rotateSecret("cus_1", "sub_1", { secret: "ab".repeat(32), previousUntilMs: T0 + 1, nowMs: T0 }),
  ownsSubscription: (store) => store.ownsSubscription("cus_1", "sub_1"),
  findResponse: (store) => store.findResponse("cus_1", "key 1", T0),
  removeResponses: (store) => store.removeResponses(T0),
  listSubscriptions: (store) => store.listSubscriptions("cus_1"),
  findSubscription: (store) => store.findSubscription("cus_1", "sub_1"),
  deleteSubscription: (store) => store.deleteSubscription("cus_1", "sub_1", { nowMs: T0, activeLimit: 100 }),
  matchEvents: (store) => matchAll(store),
  catchUp: (store) => catchUpAll(store),
  claimDeliveries: (store) => claimAll(store),
  endLeases: (store) => store.endLeases([{ id: "dlv_1", attempt: 1 }], T0),
  finishAttempts: (store) =>
    store.finishAttempts([
      finished({
        id: "dlv_1",
        subscriptionId: "sub_1",
        webhookUrl: "https://a.example/",
        attempt: 1,
        tries: 1,
      }, {
        kind: "failed",
      }),
    ], T0),
  listDeliveries: (store) => store.listDeliveries("cus_1", { limit: 1 }),
  listAllDeliveries: (store) => store.listAllDeliveries({ limit: 1 }),
  findOwner: (store) => store.findOwner("delivery", "dlv_1"),
  findDelivery: (store) => store.findDelivery("cus_1", "dlv_1"),
  listAttempts: (store) => store.listAttempts("dlv_1"),
  replayDelivery: (store) => store.replayDelivery("cus_1", "dlv_1", TERMS),
  replayEvents: (store) => replayAll(store),
  releaseHeld: (store) => store.releaseHeld({ nowMs: T0, month: JULY, tiers: monthly(1), newMailId }),
  judgeEndpoints: (store) => store.judgeEndpoints({ nowMs: T0, newMailId }),
  fitSubscriptions: (store) => store.fitSubscriptions({ nowMs: T0, tiers: monthly(1), newMailId }),
  adjustForClockRollback: (store) => store.adjustForClockRollback(T0),
  closeSubscriptions: (store) => store.closeSubscriptions(T0),
  largestCustomers: (store) => store.largestCustomers(1),
  removeOldDeliveries: (store) =>
    store.removeOldDeliveries({ prunedUntilMs: T0, forgottenUntilMs: T0, limit: 1 }),
  health: (store) => store.health(),
  fault: (store) => store.fault(),
};

test("health() counts what is pending and tells since when the oldest is", async (store) => {
  assert.deepEqual(await store.health(), { pendingDeliveries: 0, oldestPendingAtMs: null });
  await addCustomer(store);
  await subscribe(store, "sub_1");
  for (const event of [1, 2, 3]) {
    await publishMany(store, event, event);
    await matchAll(store, { nowMs: T0 + event, tiers: monthly(2) });
  }
  assert.deepEqual(await store.health(), { pendingDeliveries: 2, oldestPendingAtMs: T0 + 1 });
  const [oldest] = await claimAll(store, T0 + 9);
  assert.deepEqual(
    await store.health(),
    { pendingDeliveries: 2, oldestPendingAtMs: T0 + 1 },
    "leased is pending",
  );
  if (oldest !== undefined) await store.finishAttempts([finished(oldest, { kind: "delivered" })], T0 + 9);
  assert.deepEqual(await store.health(), { pendingDeliveries: 1, oldestPendingAtMs: T0 + 2 });
});

test("close() may be called twice", async (store) => {
  await store.close();
  await store.close();
});

test("close() makes every later call reject, and none throw", async (store) => {
  await addCustomer(store);
  await subscribe(store, "sub_1");
  await publishMany(store, 1, 1);
  await store.registerSources([aSource("board")], T0);
  await store.listEvents({ limit: 1 });
  await store.close();
  for (const [name, call] of Object.entries(CALLS)) {
    const called = call(store); // a throw here, instead of a rejection, fails the test
    await assert.rejects(async () => await called, /closed/, name);
  }
});
