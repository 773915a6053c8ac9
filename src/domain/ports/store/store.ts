// The Store port: atomic use cases. An engine runs the given pure decisions inside its transaction, and carries out the
// plans of src/domain/plans.
import type { CoverageStore } from "./coverage.ts";
import type { CustomerStore } from "./customers.ts";
import type { DeliveryStore } from "./deliveries.ts";
import type { EventStore } from "./events.ts";
import type { FeedVisitStore } from "./feed_visits.ts";
import type { MailStore } from "./mails.ts";
import type { PaymentStore } from "./payments.ts";
import type { PublicationStore } from "./publications.ts";
import type { SessionStore } from "./sessions.ts";
import type { SourceStore } from "./sources.ts";
import type { StorageProblem } from "./storage_fault.ts";
import type { SubscriptionStore } from "./subscriptions.ts";

export interface Store
  extends
    EventStore,
    PublicationStore,
    SourceStore,
    CoverageStore,
    DeliveryStore,
    SubscriptionStore,
    CustomerStore,
    FeedVisitStore,
    PaymentStore,
    SessionStore,
    MailStore {
  /**
   * Returns the current storage fault, or null. During a fault, the methods that it affects reject with a StorageError.
   * Call this regularly: it also detects faults before another method runs into them, and notices when a fault ends.
   */
  fault(): Promise<StorageProblem | null>;
  close(): Promise<void>;
}
