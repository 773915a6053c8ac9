// Reads and writes rows of API keys.
import type { ApiKey } from "../../../domain/customer/customer.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { sql } from "../connection/sql.ts";

export function insertKey(connection: Connection, customerId: string, key: ApiKey): void {
  connection.run(
    sql`insert into api_keys (hash, customer_id, label, last_four, created_at, valid_until, disabled_at, last_used_at)
      values (${key.hash}, ${customerId}, ${key.label}, ${key.lastFour}, ${key.createdAtMs}, ${key.validUntilMs},
        ${key.disabledAtMs}, ${key.lastUsedAtMs})`,
  );
}

/** Returns a customer's keys, oldest first. */
export function keysOf(connection: Connection, customerId: string): ApiKey[] {
  return connection.all(
    sql`select * from api_keys where customer_id = ${customerId} order by created_at, hash`,
  ).map(keyFromRow);
}

/** Disables a key. A key that is already disabled keeps its original time. */
export function disableKey(connection: Connection, hash: string, nowMs: number): void {
  connection.run(
    sql`update api_keys set disabled_at = ${nowMs} where hash = ${hash} and disabled_at is null`,
  );
}

export function keyFromRow(row: Row): ApiKey {
  return {
    hash: String(row["hash"]),
    label: row["label"] as string | null,
    lastFour: String(row["last_four"]),
    createdAtMs: Number(row["created_at"]),
    validUntilMs: row["valid_until"] as number | null,
    disabledAtMs: row["disabled_at"] as number | null,
    lastUsedAtMs: row["last_used_at"] as number | null,
  };
}
