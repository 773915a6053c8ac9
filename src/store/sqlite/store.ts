// The SQLite implementation of the Store port.
import type { Vault, VaultSource } from "../../domain/ports/ports.ts";
import type { OpenStoreOptions } from "../../domain/ports/store/engine.ts";
import type { Store } from "../../domain/ports/store/store.ts";
import type { Part } from "./store_methods.ts";
import { Connection } from "./connection/connection.ts";
import { accountHealth } from "./customers/account_health.ts";
import { createAudit } from "./customers/audit.ts";
import { Candidates } from "./deliveries/candidate_subscriptions.ts";
import { createCatchUp } from "./deliveries/catch_up_subscriptions.ts";
import { createCustomers } from "./customers/customers.ts";
import { createDailyUsage } from "./customers/daily_usage.ts";
import { createDeclared } from "./customers/declared_customers.ts";
import { createDeliveries } from "./deliveries/deliveries.ts";
import { createDeliveryLog } from "./deliveries/delivery_log.ts";
import { createEndpoints } from "./subscriptions/endpoints.ts";
import { createEvents } from "./events/events.ts";
import { createFeedVisits } from "./customers/feed_visits.ts";
import { createErasure } from "./customers/erase.ts";
import { createKeys } from "./customers/keys.ts";
import { createMails } from "./customers/mails.ts";
import { createMatching } from "./deliveries/matching.ts";
import { migrate, type Migration } from "./schema/migrate.ts";
import { createPayments } from "./customers/payments.ts";
import { createIdempotency } from "./customers/idempotency.ts";
import { createReplays } from "./deliveries/replays.ts";
import { createSendNow } from "./deliveries/send_now.ts";
import { createRetention } from "./deliveries/retention.ts";
import { createSessions } from "./customers/sessions.ts";
import { createFetches } from "./sources/fetches.ts";
import { createIncidents } from "./sources/incidents.ts";
import { createSources } from "./sources/sources.ts";
import { createSubscriptions } from "./subscriptions/subscriptions.ts";
import { createPlanLimits } from "./subscriptions/plan_limits.ts";
import { createUndelivered } from "./deliveries/undelivered.ts";
import { causeOf, FaultMonitor, storageError } from "./connection/faults.ts";
import { createUsage } from "./customers/usage.ts";
import { sql } from "./connection/sql.ts";

/** Opens a store with the engine's `migrations`; see {@link StoreEngine.open}. */
export function openStore(path: string, vaultSource: VaultSource, options: SqliteOptions = {}): Store {
  const { connection, vault } = openFile(path, vaultSource, options);
  const candidates = new Candidates(connection);
  const monitor = new FaultMonitor(connection, options);
  return asStore(connection, monitor, {
    ...createSources(connection),
    ...createFetches(connection),
    ...createIncidents(connection),
    ...createEvents(connection),
    ...createCustomers(connection),
    ...createKeys(connection),
    ...createDeclared(connection),
    ...createErasure(connection),
    ...createPayments(connection),
    ...createMails(connection),
    ...createAudit(connection),
    ...createSessions(connection),
    accountHealth: () => accountHealth(connection),
    ...createUsage(connection),
    ...createDailyUsage(connection),
    ...createSubscriptions(connection, vault),
    ...createFeedVisits(connection),
    ...createIdempotency(connection, vault),
    ...createMatching(connection, candidates),
    ...createCatchUp(connection),
    ...createReplays(connection),
    ...createSendNow(connection),
    ...createDeliveryLog(connection),
    ...createDeliveries(connection, vault),
    ...createEndpoints(connection),
    ...createPlanLimits(connection),
    ...createRetention(connection),
    ...createUndelivered(connection),
    health: () => {
      const row = connection.get(
        sql`select count(*) as pending, min(created_at) as oldest
          from deliveries indexed by deliveries_oldest_pending where status = 'pending'`,
      );
      return {
        pendingDeliveries: Number(row?.["pending"] ?? 0),
        oldestPendingAtMs: (row?.["oldest"] ?? null) as number | null,
      };
    },
    fault: () => monitor.current(),
    close: () => {
      try {
        if (connection.isOpen) monitor.current(); // the file may have been replaced since the last check
      } finally {
        connection.close();
      }
    },
  });
}

interface SqliteOptions extends OpenStoreOptions {
  migrations?: readonly Migration[];
}

function openFile(
  path: string,
  vaultSource: VaultSource,
  options: SqliteOptions,
): { connection: Connection; vault: Vault } {
  let connection: Connection | null = null;
  try {
    connection = new Connection(path);
    return { connection, vault: migrate(connection, vaultSource, options) };
  } catch (error) {
    connection?.close();
    const cause = causeOf(error);
    // A file of another kind or a missing folder means a wrong path, not a storage fault.
    const isOther = /not a database|unable to open/.test((error as Error).message);
    throw cause === null || isOther ? error : storageError(cause, { cause: error });
  }
}

/** Creates a store from the methods. An error that reveals a fault of the database becomes a StorageError. */
function asStore(connection: Connection, monitor: FaultMonitor, methods: Part<keyof Store>): Store {
  const promising = Object.entries(methods).map((
    [name, method]: [string, (...given: never[]) => unknown],
  ) => [
    name,
    // deno-lint-ignore require-await -- a thrown error must become a rejection
    async (...given: never[]) => {
      try {
        if (name !== "close") connection.mustBeOpen();
        return method(...given);
      } catch (error) {
        throw monitor.note(error);
      }
    },
  ]);
  return Object.fromEntries(promising);
}
