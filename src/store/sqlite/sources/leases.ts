// Leases of sources in SQLite: who may write what a fetch brought.
import { LeaseLostError } from "../../../domain/source/lease.ts";
import type { Connection } from "../connection/connection.ts";

/**
 * Throws {@link LeaseLostError} when somebody else has leased the source after `holder`. A lease that is over and that
 * nobody has taken is still its holder's; where no holder is named, nobody is asked.
 */
export function requireLease(connection: Connection, sourceId: string, holder: string | undefined): void {
  if (holder === undefined) return;
  const other = connection.get(
    "select 1 from sources where id = ? and lease_holder <> ?",
    sourceId,
    holder,
  );
  if (other !== undefined) throw new LeaseLostError();
}
