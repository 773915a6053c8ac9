// Counts undelivered deliveries in SQLite, using small indexes.
import type { CustomerStorage } from "../../../domain/ports/store/customers.ts";
import type {
  AllUndelivered,
  HeldByCause,
  HoldCause,
  Undelivered,
  UndeliveredCounts,
} from "../../../domain/ports/store/deliveries.ts";
import type { DisabledReason } from "../../../domain/delivery/subscription.ts";
import { Connection } from "../connection/connection.ts";
import { sql } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";

export function createUndelivered(
  connection: Connection,
): Part<
  "countUndelivered" | "countHeldByCause" | "countUndeliveredOf" | "largestCustomers" | "oldestOverdue"
> {
  return {
    largestCustomers: (limit) => largestCustomers(connection, limit),
    countUndelivered: () => countAll(connection),
    countHeldByCause: () => countHeldByCause(connection),
    countUndeliveredOf: (customerId) => countOf(connection, customerId),
    oldestOverdue: (untilMs) => oldestOverdue(connection, untilMs),
  };
}

/** Reads the subscriptions only if a pending delivery is old enough, which is rare. */
function oldestOverdue(connection: Connection, untilMs: number): number | null {
  const row = connection.get(
    sql`select min((
        select next_attempt_at from deliveries indexed by deliveries_due
        where status = 'pending' and is_replay = 0 and customer_id = subscriptions.customer_id
          and subscription_id = subscriptions.id and next_attempt_at <= ${untilMs}
        order by next_attempt_at limit 1)) as due
      from subscriptions
      where exists (
          select 1 from deliveries indexed by deliveries_oldest_pending
          where status = 'pending' and created_at <= ${untilMs})
        and deleted_at is null and disabled_at is null and pace = 'steady' and first_failure_at is null
        and coalesce(slow_attempts, 0) = 0`,
  );
  return row?.["due"] as number | null;
}

/** Number of customers that {@link Undelivered} lists. */
const LARGEST = 3;

export function findUndelivered(connection: Connection): Undelivered {
  const disabled = connection.all(
    sql`select id, disabled_by from subscriptions
      where deleted_at is null and disabled_by is not null and disabled_by <> 'owner' order by disabled_at, id`,
  ).map((row) => ({ id: String(row["id"]), by: row["disabled_by"] as Exclude<DisabledReason, "owner"> }));
  return { ...countAll(connection), disabled, largest: largestCustomers(connection, LARGEST) };
}

function largestCustomers(connection: Connection, limit: number): CustomerStorage[] {
  return connection.all(
    sql`select customer_id, bytes from customer_storage where bytes > 0
      order by bytes desc, customer_id limit ${limit}`,
  ).map((row) => ({ customerId: String(row["customer_id"]), bytes: Number(row["bytes"]) }));
}

function countAll(connection: Connection): AllUndelivered {
  const row = connection.get(
    sql`select
       (select coalesce(sum(held), 0) from customer_storage) as held,
       (select count(*) from deliveries indexed by deliveries_undelivered
        where status in ('failed', 'held', 'cancelled') and status = 'failed') as failed,
       (select count(*) from subscriptions indexed by subscriptions_behind
        where resume_after is not null and deleted_at is null and held_full_since is not null) as held_full`,
  );
  return {
    held: Number(row?.["held"]),
    failed: Number(row?.["failed"]),
    heldFull: Number(row?.["held_full"]),
  };
}

function countHeldByCause(connection: Connection): HeldByCause[] {
  return connection.all(
    sql`select iif(enabled = 0, 'customer', coalesce(subscriptions.disabled_by, 'quota')) as cause,
        sum(held) as deliveries, count(*) as subscriptions
      from (select subscription_id, count(*) as held from deliveries indexed by deliveries_held
        where status = 'held' group by subscription_id)
        cross join subscriptions on subscriptions.id = subscription_id
        cross join customers on customers.id = customer_id
      group by cause`,
  ).map((row) => ({
    cause: row["cause"] as HoldCause,
    deliveries: Number(row["deliveries"]),
    subscriptions: Number(row["subscriptions"]),
  }));
}

function countOf(connection: Connection, customerId: string): Map<string, UndeliveredCounts> {
  const counts = new Map<string, UndeliveredCounts>();
  const held = connection.all(
    sql`select id, (select count(*) from deliveries indexed by deliveries_held
       where status = 'held' and subscription_id = subscriptions.id) as held
     from subscriptions where customer_id = ${customerId}`,
  );
  for (const row of held) counts.set(String(row["id"]), { held: Number(row["held"]), failed: 0 });
  const failed = connection.all(
    sql`select subscription_id, count(*) as failed from deliveries indexed by deliveries_undelivered
      where customer_id = ${customerId} and status = 'failed' and status in ('failed', 'held', 'cancelled')
      group by subscription_id`,
  );
  for (const row of failed) {
    const of = counts.get(String(row["subscription_id"]));
    if (of !== undefined) of.failed = Number(row["failed"]);
  }
  return counts;
}
