// API keys in SQLite: their hashes, and whom they open the API for.
import type { ApiKey } from "../../domain/customer.ts";
import type { Store } from "../../domain/store.ts";
import type { Connection, Row } from "./connection.ts";
import { CUSTOMER_COLUMNS, customerFromRow, findCustomer } from "./customers.ts";

/** The part of the port that concerns keys. */
export function createKeys(connection: Connection): Pick<Store, "replaceKeys" | "findKey"> {
  return {
    replaceKeys: (customerId, key, nowMs) =>
      Promise.resolve(connection.transaction("durable", () => {
        if (findCustomer(connection, customerId) === null) return false;
        connection.run(
          "update api_keys set disabled_at = ? where customer_id = ? and disabled_at is null",
          nowMs,
          customerId,
        );
        if (key !== null) insertKey(connection, customerId, key);
        return true;
      })),

    findKey: (hash) => {
      const row = connection.get(
        `select ${CUSTOMER_COLUMNS.split(", ").map((name) => `customers.${name}`).join(", ")}, disabled_at
         from api_keys join customers on customers.id = api_keys.customer_id where hash = ?`,
        hash,
      );
      return Promise.resolve(
        row === undefined
          ? null
          : { customer: customerFromRow(row), keyDisabled: row["disabled_at"] !== null },
      );
    },
  };
}

/** Stores a key of the customer. */
export function insertKey(connection: Connection, customerId: string, key: ApiKey): void {
  connection.run(
    "insert into api_keys (hash, customer_id, last_four, created_at, disabled_at) values (?, ?, ?, ?, ?)",
    key.hash,
    customerId,
    key.lastFour,
    key.createdAtMs,
    key.disabledAtMs,
  );
}

/** A key from a whole row. */
export function keyFromRow(row: Row): ApiKey {
  return {
    hash: String(row["hash"]),
    lastFour: String(row["last_four"]),
    createdAtMs: Number(row["created_at"]),
    disabledAtMs: row["disabled_at"] as number | null,
  };
}
