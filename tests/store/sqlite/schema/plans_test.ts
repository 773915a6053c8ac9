// The query plans of the SQLite engine's hot statements: none scans a table that grows over the years.
import assert from "node:assert/strict";
import { toSearch } from "../../../../src/domain/event/event_filter.ts";
import type { EventQuery } from "../../../../src/domain/ports/store/events.ts";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import { openStore } from "../../../../src/store/sqlite/store.ts";
import {
  aClaim,
  addCustomer,
  aKey,
  anEvent,
  aSource,
  BY,
  claimAll,
  eventIds,
  finishAllDue,
  matchAll,
  monthly,
  newMailId,
  publish,
  recordIt,
  releaseAll,
  subscribe,
  T0,
} from "../../contract/given.ts";
import { aPayment, aReview } from "../../contract/customers/given_payments.ts";
import { plansOf, statementsOf } from "./statements.ts";
import { testVault } from "../../../support/vault.ts";

/** Returns a store with waiting work of every kind. */
async function busyStore(): Promise<Store> {
  const store = openStore(":memory:", testVault);
  await store.registerSources([aSource("board")], T0);
  await addCustomer(store);
  for (const id of ["sub_1", "sub_2"]) await subscribe(store, id);
  // Only one event in a hundred is from the court, so SQLite uses the index on sources.
  const change = (at: number) => at === 50 ? { source_id: "court", topics: ["gpai"] } : {};
  await publish(
    store,
    eventIds(1, 100).map((id, at) => anEvent(id, { published_at: T0 + at, ...change(at) })),
  );
  await matchAll(store, { limit: 60, tiers: monthly(20) });
  return store;
}

/** Returns the plans of the statements that a call runs on a busy store. */
async function plansOfCall(call: (store: Store) => Promise<unknown>): ReturnType<typeof plansOf> {
  const store = await busyStore();
  try {
    return await plansOf(await statementsOf(() => call(store)));
  } finally {
    await store.close();
  }
}

/** Calls, and the lines that their plans must contain. */
const HOT: [string, (store: Store) => Promise<unknown>, RegExp[]][] = [
  [
    "claimSources()",
    (store) => store.claimSources(aClaim(["board"])),
    [/^SEARCH sources USING INDEX sources_due \(next_due_at<\?\)$/],
  ],
  ["listFetches()", (store) => store.listFetches("board", { limit: 9, beforeMs: T0 }), [
    /^SEARCH fetches USING PRIMARY KEY \(source_id=\? AND started_at<\?\)$/,
  ]],
  ["listFetchDays()", (store) => store.listFetchDays(20_000, 20_090), [
    /^SEARCH fetch_days USING PRIMARY KEY \(source_id=\? AND day>\? AND day<\?\)$/,
  ]],
  ["removeFetches()", (store) => store.removeFetches(T0, 9), [
    /^SEARCH fetches USING PRIMARY KEY \(source_id=\? AND started_at<\?\)$/,
  ]],
  ["findKey()", (store) => store.findKey(aKey("1").hash), [
    /^SEARCH api_keys USING PRIMARY KEY \(hash=\?\)$/,
  ]],
  ["findSession()", (store) => store.findSession(aKey("1").hash), [
    /^SEARCH sessions USING INDEX \w+_2 \(hash=\?\)$/,
    /^SEARCH api_keys USING PRIMARY KEY \(hash=\?\)/,
  ]],
  ["listSessions()", (store) => store.listSessions({ customerId: "cus_1" }, T0), [
    /^SEARCH sessions USING INDEX sessions_by_customer \(customer_id=\?\)$/,
  ]],
  [
    "queueLinkMails()",
    (store) => store.queueLinkMails({ email: "cus_1@firm.example", returnTo: null, nowMs: T0, newMailId }),
    [
      /^SEARCH customers USING INDEX customers_by_email \(<expr>=\?\)$/,
      /^SEARCH mails USING INDEX mails_by_customer \(customer_id=\? AND created_at>\?\)$/,
    ],
  ],
  ["removeOldSessions()", (store) => store.removeOldSessions(T0), [
    /^SEARCH sessions USING (COVERING )?INDEX sessions_by_use \(last_seen_at<\?\)$/,
    /^SEARCH sessions USING (COVERING )?INDEX sessions_by_age \(created_at<\?\)$/,
    /^SEARCH sign_in_links USING COVERING INDEX sign_in_links_by_age \(created_at<\?\)$/,
    /^SEARCH submitted_forms USING COVERING INDEX submitted_forms_by_age \(created_at<\?\)$/,
    /^SEARCH mails USING (COVERING )?INDEX mails_sign_in \(created_at<\?\)$/,
  ]],
  ["countedRequests()", (store) => store.countedRequests("cus_1", "2026-07-20"), [
    /^SEARCH api_usage USING PRIMARY KEY \(customer_id=\? AND day=\?\)$/,
  ]],
  ["usageByDay()", (store) => store.usageByDay("cus_1", "2026-07-01"), [
    /^SEARCH api_usage USING PRIMARY KEY \(customer_id=\? AND day>\?\)$/,
    /^SEARCH arrivals USING PRIMARY KEY \(customer_id=\? AND day>\?\)$/,
  ]],
  ["findEvent()", (store) => store.findEvent("evt_07"), [
    /^SEARCH events USING INDEX sqlite_autoindex_events_1 \(id=\?\)$/,
  ]],
  ["visitFeed()", (store) => store.visitFeed("cus_1", T0), [
    /^SEARCH feed_visits USING PRIMARY KEY \(customer_id=\?\)$/,
  ]],
  ["newEvents()", (store) => store.newEvents(5, ["evt_07"]), [
    /^SEARCH events USING COVERING INDEX sqlite_autoindex_events_1 \(id=\? AND rowid>\?\)$/,
  ]],
  ["listVersions()", (store) => store.listVersions("evt_07"), [
    /^SEARCH events USING INDEX sqlite_autoindex_events_2 \(source_id=\? AND external_id=\?\)$/,
  ]],
  ["listSubscriptions()", (store) => store.listSubscriptions("cus_1"), [
    /^SEARCH subscriptions USING INDEX subscriptions_by_customer \(customer_id=\?\)$/,
    /^SEARCH deliveries USING COVERING INDEX deliveries_due \(is_replay=\? AND customer_id=\? AND subscription_id=\?\)$/,
    /^SEARCH deliveries USING COVERING INDEX deliveries_held \(subscription_id=\?\)$/,
  ]],
  [
    "recordPublications()",
    (store) => {
      const { external_id, title_en } = anEvent("evt_07");
      const event = anEvent("evt_x", { external_id, version: 2 });
      const publication = { key: external_id, contentHash: title_en };
      return store.recordPublications("board", [publication], recordIt(event));
    },
    [
      /^SEARCH publications USING PRIMARY KEY \(source_id=\? AND key=\?\)$/,
      /^SEARCH publications USING INDEX publications_by_content \(source_id=\? AND content_hash=\?\)$/,
      /^SEARCH publications USING INDEX publications_by_external_id \(source_id=\? AND external_id=\?\)$/,
    ],
  ],
  [
    "recordPublications() of a batch",
    (store) =>
      store.recordPublications(
        "board",
        eventIds(1, 9).map((id) => ({ key: id, contentHash: id, textHash: id, formerKeys: [id] })),
        () => ({ kind: "irrelevant" }),
      ),
    [
      /^SEARCH publications USING PRIMARY KEY \(source_id=\? AND key=\?\)$/,
      /^SEARCH publications USING INDEX publications_by_content \(source_id=\? AND content_hash=\?\)$/,
      /^SEARCH publications USING INDEX publications_by_text \(source_id=\? AND text_hash=\?\)$/,
    ],
  ],
  ["matchEvents()", (store) => matchAll(store, { limit: 5 }), [
    /^SCAN event_outbox$/,
    /^SEARCH events USING INTEGER PRIMARY KEY/,
    /^SEARCH deliveries( EXISTS)? USING COVERING INDEX deliveries_held \(subscription_id=\?\)$/,
    /^SEARCH deliveries USING COVERING INDEX deliveries_by_event \(event_id=\?\)$/,
  ]],
  ["claimDeliveries()", (store) => claimAll(store), [
    /^SEARCH deliveries USING COVERING INDEX deliveries_due \(is_replay=\? AND customer_id>\?\)$/,
    /^SEARCH deliveries USING COVERING INDEX deliveries_due \(is_replay=\? AND customer_id=\? AND subscription_id>\?\)$/,
    /^SEARCH deliveries USING COVERING INDEX deliveries_due \(is_replay=\? AND customer_id=\? AND subscription_id=\? AND next_attempt_at<\?\)$/,
    /^SEARCH subscriptions USING PRIMARY KEY \(id=\?\)$/,
  ]],
  ["finishAttempts()", (store) => finishAllDue(store, { kind: "failed" }), [
    /^SEARCH deliveries USING INDEX sqlite_autoindex_deliveries_1 \(id=\?\)$/,
    /^SEARCH delivery_usage USING PRIMARY KEY \(customer_id=\? AND month=\?\)$/,
  ]],
  [
    "deleteSubscription()",
    (store) => store.deleteSubscription("cus_1", "sub_1", { nowMs: T0, activeLimit: 100 }),
    [
      /^SEARCH deliveries USING INDEX deliveries_due \(is_replay=\? AND customer_id=\? AND subscription_id=\?\)$/,
      /^SEARCH deliveries USING INDEX deliveries_held \(subscription_id=\?\)$/,
    ],
  ],
  ["changeCustomer()", (store) => store.changeCustomer("cus_1", { enabled: false }, BY), [
    /^SEARCH subscriptions USING (COVERING )?INDEX subscriptions_by_customer \(customer_id=\?\)$/,
    /^SEARCH deliveries USING INDEX deliveries_due \(is_replay=\? AND customer_id=\? AND subscription_id=\?\)$/,
  ]],
  ["recordPayment()", (store) => store.recordPayment(aPayment("evt_1"), aReview()), [
    /^SEARCH payment_events USING INDEX payment_events_by_payer \(payer=\?\)$/,
    /^SEARCH payers USING PRIMARY KEY \(payer=\?\)$/,
  ]],
  [
    "claimMails()",
    async (store) => {
      await store.recordPayment(aPayment("evt_1"), aReview());
      await store.claimMails({ nowMs: T0, leaseMs: 1, limit: 9 });
    },
    [/^SEARCH mails USING (COVERING )?INDEX mails_due \(next_attempt_at<\?\)$/],
  ],
  ["reviewPayers()", (store) => store.reviewPayers("grace", aReview()), [
    /^SEARCH payers USING (COVERING )?INDEX payers_in_grace \(access_until>\? AND access_until<\?\)$/,
  ]],
  ["fitSubscriptions()", (store) => store.fitSubscriptions({ nowMs: T0, tiers: monthly(9), newMailId }), [
    /^SCAN subscriptions USING INDEX subscriptions_wanted$/,
    /^SEARCH customers USING INDEX \w+_1 \(id=\?\)$/,
  ]],
  ["countUndelivered()", (store) => store.countUndelivered(), [
    /^SCAN customer_storage$/,
    /^SCAN deliveries USING COVERING INDEX deliveries_undelivered$/,
  ]],
  ["countHeldByCause()", (store) => store.countHeldByCause(), [
    /^SCAN deliveries USING COVERING INDEX deliveries_held$/,
    /^SEARCH subscriptions USING PRIMARY KEY \(id=\?\)$/,
    /^SEARCH customers USING INDEX \w+_1 \(id=\?\)$/,
  ]],
  ["countUndeliveredOf()", (store) => store.countUndeliveredOf("cus_1"), [
    /^SEARCH subscriptions USING (COVERING )?INDEX subscriptions_by_customer \(customer_id=\?\)$/,
    /^SEARCH deliveries USING COVERING INDEX deliveries_held \(subscription_id=\?\)$/,
    /^SEARCH deliveries USING COVERING INDEX deliveries_undelivered \(customer_id=\? AND status=\?\)$/,
  ]],
  ["health()", (store) => store.health(), [
    /^SCAN deliveries USING COVERING INDEX deliveries_oldest_pending$/,
  ]],
];

Deno.test("the hot calls of the SQLite engine use their indexes, and do not sort", async () => {
  for (const [name, call, expected] of HOT) {
    const lines = (await plansOfCall(call)).flatMap(({ lines }) => lines);
    for (const line of expected) {
      assert.ok(lines.some((found) => line.test(found)), `${name}: no ${line} in\n${lines.join("\n")}`);
    }
    // GROUP BY may sort: it counts the deliveries of each subscription.
    const sorts = lines.filter((line) => line.includes("TEMP B-TREE") && !line.endsWith("GROUP BY"));
    assert.deepEqual(sorts, [], `${name}:\n${lines.join("\n")}`);
  }
});

Deno.test("releaseHeld() finds held deliveries by their index, and sorts only those of one customer", async () => {
  const plans = await plansOfCall((store) => releaseAll(store));
  const lines = plans.flatMap(({ lines }) => lines);
  assert.ok(lines.includes("SCAN deliveries USING COVERING INDEX deliveries_held"), lines.join("\n"));
  assert.ok(lines.includes("SEARCH deliveries USING INDEX deliveries_held (subscription_id=?)"));
  const sorting = plans.filter(({ lines }) => lines.some((line) => line.includes("TEMP B-TREE")));
  for (const { lines } of sorting) assert.ok(lines.some((line) => line.includes("subscriptions_active")));
});

const BY_DATE = /^SCAN events_by_date VIRTUAL TABLE INDEX/;
/** Lists and their expected plans. Each follows an index, so the time depends only on the size of the page. */
const LISTS: [string, Omit<EventQuery, "limit">, RegExp][] = [
  ["no filter", {}, /^SCAN event_order$/],
  ["since", { since: T0 }, /^SEARCH event_order USING INTEGER PRIMARY KEY \(rowid>\?\)$/],
  [
    "a page further",
    { before: { id: "evt_60", publishedAtMs: T0 + 60, seq: 60 } },
    /^SEARCH event_order USING INTEGER PRIMARY KEY \(rowid<\?\)$/,
  ],
  ["a source", { sources: ["board"] }, BY_DATE],
  ["a topic and words", { topics: ["gpai"], search: toSearch("labels"), since: T0 }, BY_DATE],
  [
    "the newest versions",
    { latest: true },
    /^SEARCH later USING COVERING INDEX \w+_2 \(source_id=\? AND external_id=\? AND version>\?\)$/,
  ],
  [
    "the newest versions, as they were",
    { latest: true, asOf: { seq: 60 }, topics: ["gpai"] },
    /^SEARCH later USING COVERING INDEX \w+_2 \(source_id=\? AND external_id=\? AND version>\?\)$/,
  ],
  ["as stored", { after: { seq: 60 } }, /^SEARCH events USING INTEGER PRIMARY KEY \(rowid>\?\)$/],
  ["a topic, as stored", { after: { seq: 60 }, topics: ["gpai"] }, /^SCAN events_by_seq VIRTUAL TABLE INDEX/],
];

Deno.test("listEvents() follows an index in the order of the list", async () => {
  for (const [name, query, expected] of LISTS) {
    const lines = (await plansOfCall((store) => store.listEvents({ limit: 50, ...query })))
      .flatMap(({ lines }) => lines);
    assert.ok(lines.some((line) => expected.test(line)), `${name}:\n${lines.join("\n")}`);
    assert.ok(!lines.some((line) => line.includes("TEMP B-TREE")), `${name} sorts:\n${lines.join("\n")}`);
  }
});
