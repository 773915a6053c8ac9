// Source leases in SQLite, which decide who may write the result of a fetch.
import { LeaseLostError } from "../../../domain/source/lease.ts";
import type { Connection } from "../connection/connection.ts";
import { sql } from "../connection/sql.ts";

/** Throws a {@link LeaseLostError} if `holder` is given, but another holder has leased the source in the meantime. */
export function requireLease(connection: Connection, sourceId: string, holder: string | undefined): void {
  if (holder === undefined) return;
  const other = connection.get(
    sql`select 1 from sources where id = ${sourceId} and lease_holder <> ${holder}`,
  );
  if (other !== undefined) throw new LeaseLostError();
}
