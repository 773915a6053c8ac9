// The contract of the Store port: what every engine must keep, as tests over a fresh store each.
import type { Store } from "../../src/domain/store.ts";
import { attemptPromises } from "./contract/attempts.ts";
import { batchPromises } from "./contract/batches.ts";
import { collectingPromises } from "./contract/collecting.ts";
import { catchUpPromises } from "./contract/catch_up.ts";
import { deliveryLogPromises } from "./contract/delivery_log.ts";
import { changePromises } from "./contract/changes.ts";
import { customerPromises } from "./contract/customers.ts";
import { dailyUsagePromises } from "./contract/daily_usage.ts";
import { declaredPromises } from "./contract/declared.ts";
import { endpointPromises } from "./contract/endpoints.ts";
import { eventPromises } from "./contract/events.ts";
import { heldPromises } from "./contract/held.ts";
import { heldFullPromises } from "./contract/held_full.ts";
import { identityPromises } from "./contract/identities.ts";
import { listModelPromises } from "./contract/list_model.ts";
import { listingPromises } from "./contract/listing.ts";
import { mailPromises } from "./contract/mails.ts";
import { matchingPromises } from "./contract/matching.ts";
import { paymentPromises } from "./contract/payments.ts";
import { queuePromises } from "./contract/queue.ts";
import { quotaPromises } from "./contract/quota.ts";
import { retentionPromises } from "./contract/retention.ts";
import { replayPromises } from "./contract/replays.ts";
import { leasePromises } from "./contract/leases.ts";
import { hostPromises } from "./contract/hosts.ts";
import { sourcePromises } from "./contract/sources.ts";
import { subscriptionPromises } from "./contract/subscriptions.ts";
import { tierHoldPromises } from "./contract/tier_holds.ts";
import { usagePromises } from "./contract/usage.ts";
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
