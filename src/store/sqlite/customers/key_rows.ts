// Reads and writes rows of API keys.
import type { ApiKey } from "../../../domain/customer/customer.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { sql } from "../connection/sql.ts";

export function insertKey(connection: Connection, customerId: string, key: ApiKey): void {
  connection.run(
    sql`insert into api_keys (hash, customer_id, last_four, created_at, disabled_at)
      values (${key.hash}, ${customerId}, ${key.lastFour}, ${key.createdAtMs}, ${key.disabledAtMs})`,
  );
}

/** Disables a key. A key that is already disabled keeps its original time. */
export function disableKey(connection: Connection, hash: string, nowMs: number): void {
  connection.run(
    sql`update api_keys set disabled_at = ${nowMs} where hash = ${hash} and disabled_at is null`,
  );
}

/** Disables a customer's active keys. Returns the last four characters of each. */
export function disableKeys(connection: Connection, customerId: string, nowMs: number): string[] {
  return connection.all(
    sql`update api_keys set disabled_at = ${nowMs} where customer_id = ${customerId} and disabled_at is null
      returning last_four`,
  ).map((row) => String(row["last_four"]));
}

export function keyFromRow(row: Row): ApiKey {
  return {
    hash: String(row["hash"]),
    lastFour: String(row["last_four"]),
    createdAtMs: Number(row["created_at"]),
    disabledAtMs: row["disabled_at"] as number | null,
  };
}
