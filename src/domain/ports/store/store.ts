// The Store port: atomic use cases. An engine runs the given pure decisions inside its transaction, and carries out the
// plans of src/domain/plans.
import type { CustomerStore } from "./customers.ts";
import type { DeliveryStore } from "./deliveries.ts";
import type { EventStore } from "./events.ts";
import type { MailStore } from "./mails.ts";
import type { PaymentStore } from "./payments.ts";
import type { PublicationStore } from "./publications.ts";
import type { SourceStore } from "./sources.ts";
import type { StorageProblem } from "./storage_fault.ts";
import type { SubscriptionStore } from "./subscriptions.ts";

export interface Store
  extends
    EventStore,
    PublicationStore,
    SourceStore,
    DeliveryStore,
    SubscriptionStore,
    CustomerStore,
    PaymentStore,
    MailStore {
  /**
   * Returns the current storage fault, or null if there is none. During a fault, the methods affected by it reject with
   * a StorageError. Call it regularly, because it detects faults that no other method has met, and the end of faults.
   */
  fault(): Promise<StorageProblem | null>;
  close(): Promise<void>;
}
