// Counts queued emails, failed emails, and payers with unknown prices in SQLite.
import type { AccountHealth } from "../../../domain/ports/store/customers.ts";
import type { Connection } from "../connection/connection.ts";
import { sql } from "../connection/sql.ts";

export function accountHealth(connection: Connection): AccountHealth {
  const row = connection.get(
    sql`select
       (select count(*) from mails indexed by mails_due where status = 'queued') as queued,
       (select min(created_at) from mails indexed by mails_due where status = 'queued') as oldest,
       (select count(*) from mails indexed by mails_failed where status = 'failed') as failed,
       (select count(*) from payers indexed by payers_unknown where unknown_price is not null) as unknown`,
  ) ?? {};
  return {
    queuedMails: Number(row["queued"]),
    oldestQueuedMailAtMs: row["oldest"] as number | null,
    failedMails: Number(row["failed"]),
    unknownPrices: Number(row["unknown"]),
  };
}
