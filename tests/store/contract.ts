// The contract of the Store port: what every engine must keep, as tests over a fresh store each.
import type { Store } from "../../src/domain/ports/store/store.ts";
import { attemptPromises } from "./contract/deliveries/attempts.ts";
import { batchPromises } from "./contract/events/batches.ts";
import { collectingPromises } from "./contract/sources/collecting.ts";
import { catchUpPromises } from "./contract/deliveries/catch_up.ts";
import { deliveryLogPromises } from "./contract/deliveries/delivery_log.ts";
import { changePromises } from "./contract/subscriptions/changes.ts";
import { customerPromises } from "./contract/customers/customers.ts";
import { dailyUsagePromises } from "./contract/customers/daily_usage.ts";
import { declaredPromises } from "./contract/customers/declared.ts";
import { endpointPromises } from "./contract/deliveries/endpoints.ts";
import { eventPromises } from "./contract/events/events.ts";
import { heldPromises } from "./contract/deliveries/held.ts";
import { heldFullPromises } from "./contract/deliveries/held_full.ts";
import { identityPromises } from "./contract/events/identities.ts";
import { listModelPromises } from "./contract/events/list_model.ts";
import { listingPromises } from "./contract/events/listing.ts";
import { mailPromises } from "./contract/customers/mails.ts";
import { matchingPromises } from "./contract/deliveries/matching.ts";
import { paymentPromises } from "./contract/customers/payments.ts";
import { queuePromises } from "./contract/deliveries/queue.ts";
import { quotaPromises } from "./contract/customers/quota.ts";
import { retentionPromises } from "./contract/deliveries/retention.ts";
import { replayPromises } from "./contract/deliveries/replays.ts";
import { leasePromises } from "./contract/sources/leases.ts";
import { hostPromises } from "./contract/sources/hosts.ts";
import { sourcePromises } from "./contract/sources/sources.ts";
import { subscriptionPromises } from "./contract/subscriptions/subscriptions.ts";
import { tierHoldPromises } from "./contract/customers/plan_limits.ts";
import { usagePromises } from "./contract/customers/usage.ts";
import { wholePromises } from "./contract/whole.ts";

/** Every promise of the port. */
export const PROMISES = [
  ...leasePromises,
  ...sourcePromises,
  ...hostPromises,
  ...eventPromises,
  ...identityPromises,
  ...batchPromises,
  ...listingPromises,
  ...listModelPromises,
  ...catchUpPromises,
  ...replayPromises,
  ...deliveryLogPromises,
  ...changePromises,
  ...customerPromises,
  ...declaredPromises,
  ...paymentPromises,
  ...mailPromises,
  ...subscriptionPromises,
  ...tierHoldPromises,
  ...usagePromises,
  ...dailyUsagePromises,
  ...matchingPromises,
  ...quotaPromises,
  ...queuePromises,
  ...attemptPromises,
  ...heldPromises,
  ...heldFullPromises,
  ...endpointPromises,
  ...retentionPromises,
  ...collectingPromises,
  ...wholePromises,
];

/**
 * Registers a test for every promise of the port. `engine` begins the tests' names; `open` gives an empty store of its
 * own each time, `remove` clears away what the stores of one test left.
 */
export function testStoreContract(engine: string, open: () => Store, remove: () => Promise<void>): void {
  for (const { name, check } of PROMISES) {
    Deno.test(`${name} (${engine})`, async () => {
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
        await remove();
      }
    });
  }
}
