// The SQLite engine of the Store port.
import type { Vault, VaultSource } from "../../domain/ports.ts";
import type { Store } from "../../domain/store.ts";
import type { OpenStoreOptions } from "../../domain/store_engine.ts";
import { Connection } from "./connection.ts";
import { accountHealth } from "./account_health.ts";
import { createAudit } from "./audit.ts";
import { Candidates } from "./candidates.ts";
import { createCatchUp } from "./catch_up.ts";
import { createCustomers } from "./customers.ts";
import { createDailyUsage } from "./daily_usage.ts";
import { createDeclared } from "./declared.ts";
import { createDeliveries } from "./deliveries.ts";
import { createDeliveryLog } from "./delivery_log.ts";
import { createEndpoints } from "./endpoints.ts";
import { createEvents } from "./events.ts";
import { createErasure } from "./erase.ts";
import { createKeys } from "./keys.ts";
import { createMails } from "./mails.ts";
import { createMatching } from "./matching.ts";
import { migrate, type Migration } from "./migrate.ts";
import { createPayments } from "./payments.ts";
import { createIdempotency } from "./remembered_answers.ts";
import { createReplays } from "./replays.ts";
import { createRetention } from "./retention.ts";
import { createSources } from "./sources.ts";
import { createSubscriptions } from "./subscriptions.ts";
import { createTierHolds } from "./tier_holds.ts";
import { createUndelivered } from "./undelivered.ts";
import { causeOf, FaultMonitor, storageError } from "./faults.ts";
import { createUsage } from "./usage.ts";

/** See {@link StoreEngine.open}; `migrations` are the engine's. */
export function openStore(
  path: string,
  vaultSource: VaultSource,
  { hasRoom, identifyFile, onFault, ...options }: SqliteOptions = {},
): Store {
  const { connection, vault } = openFile(path, vaultSource, options);
  const candidates = new Candidates(connection);
  const monitor = new FaultMonitor(connection, {
    ...(hasRoom === undefined ? {} : { hasRoom }),
    ...(identifyFile === undefined ? {} : { identifyFile }),
    ...(onFault === undefined ? {} : { onChange: onFault }),
  });
  return rejecting(monitor, {
    ...createSources(connection),
    ...createEvents(connection),
    ...createCustomers(connection),
    ...createKeys(connection),
    ...createDeclared(connection),
    ...createErasure(connection),
    ...createPayments(connection),
    ...createMails(connection),
    ...createAudit(connection),
    accountHealth: () => Promise.resolve(accountHealth(connection)),
    ...createUsage(connection),
    ...createDailyUsage(connection),
    ...createSubscriptions(connection, vault),
    ...createIdempotency(connection, vault),
    ...createMatching(connection, candidates),
    ...createCatchUp(connection),
    ...createReplays(connection),
    ...createDeliveryLog(connection),
    ...createDeliveries(connection, vault),
    ...createEndpoints(connection),
    ...createTierHolds(connection),
    ...createRetention(connection),
    ...createUndelivered(connection),
    health: () => {
      const row = connection.get(
        `select count(*) as pending, min(created_at) as oldest
         from deliveries indexed by deliveries_oldest_pending where status = 'pending'`,
      );
      return Promise.resolve({
        pendingDeliveries: Number(row?.["pending"] ?? 0),
        oldestPendingAtMs: (row?.["oldest"] ?? null) as number | null,
      });
    },
    fault: () => Promise.resolve(monitor.current()),
    close: () => {
      try {
        if (connection.isOpen) monitor.current(); // the file may have been replaced since the last look
      } finally {
        connection.close();
      }
      return Promise.resolve();
    },
  });
}

interface SqliteOptions extends OpenStoreOptions {
  migrations?: readonly Migration[];
}

function openFile(
  path: string,
  vaultSource: VaultSource,
  { vaultWhenUsed = false, migrations, ...options }: Omit<
    SqliteOptions,
    "hasRoom" | "identifyFile" | "onFault"
  >,
): { connection: Connection; vault: Vault } {
  let connection: Connection | null = null;
  try {
    connection = new Connection(path, options);
    return {
      connection,
      vault: migrate(connection, vaultSource, { vaultWhenUsed, ...(migrations && { migrations }) }),
    };
  } catch (error) {
    connection?.close();
    const cause = causeOf(error);
    // What never was a database is no damaged one, and what is not there none that cannot be written: the path is wrong.
    const isOther = /not a database|unable to open/.test((error as Error).message);
    throw cause === null || isOther ? error : storageError(cause, { cause: error });
  }
}

/** The engine's methods; an error that shows a fault of the file rejects with a StorageError. */
function rejecting(monitor: FaultMonitor, store: Store): Store {
  const methods = Object.entries(store).map(([name, method]) => [name, rejectingMethod(monitor, method)]);
  return Object.fromEntries(methods);
}

function rejectingMethod<Given extends unknown[], Result>(
  monitor: FaultMonitor,
  method: (...given: Given) => Promise<Result>,
): (...given: Given) => Promise<Result> {
  return async (...given) => {
    try {
      return await method(...given);
    } catch (error) {
      throw monitor.note(error);
    }
  };
}
