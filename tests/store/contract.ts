// The contract of the Store port: tests that every engine must pass, each on a fresh store.
import type { Store } from "../../src/domain/ports/store/store.ts";
import { CASES } from "./contract/contract.ts";
import "./contract/customers/customers.ts";
import "./contract/customers/declared.ts";
import "./contract/customers/feed_visits.ts";
import "./contract/customers/mails.ts";
import "./contract/customers/payments.ts";
import "./contract/customers/plan_limits.ts";
import "./contract/customers/quota.ts";
import "./contract/customers/sessions.ts";
import "./contract/deliveries/delivery_log.ts";
import "./contract/deliveries/endpoints.ts";
import "./contract/deliveries/matching.ts";
import "./contract/deliveries/queue.ts";
import "./contract/deliveries/retention.ts";
import "./contract/events/events.ts";
import "./contract/events/listing.ts";
import "./contract/sources/collecting.ts";
import "./contract/sources/coverage.ts";
import "./contract/sources/sources.ts";
import "./contract/subscriptions/subscriptions.ts";
import "./contract/whole.ts";

/** Registers a test for every case. `open` opens a separate empty store each time. */
export function testStoreContract(open: () => Store): void {
  for (const { name, check } of CASES) Deno.test(name, () => checkCase(check, open));
}

/** Runs a check on a fresh store, and closes every store that it opened. */
export async function checkCase(check: typeof CASES[number]["check"], open: () => Store): Promise<void> {
  const opened: Store[] = [];
  const openOne = (): Store => {
    const store = open();
    opened.push(store);
    return store;
  };
  try {
    await check(openOne(), openOne);
  } finally {
    for (const store of opened) await store.close();
  }
}
