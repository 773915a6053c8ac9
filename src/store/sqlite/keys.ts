// API keys in SQLite: their hashes, and whom they open the API for.
import type { AccountStore } from "../../domain/account_store.ts";
import type { ApiKey, DisabledBy } from "../../domain/customer.ts";
import { noteAct } from "./audit.ts";
import type { Connection, Row } from "./connection.ts";
import { CUSTOMER_COLUMNS, customerFromRow, findCustomer } from "./customers.ts";
import { cancelWelcome, queueMail } from "./mails.ts";

/** The part of the port that concerns keys. */
export function createKeys(connection: Connection): Pick<AccountStore, "replaceKeys" | "findKey"> {
  const ofCustomer = CUSTOMER_COLUMNS.split(", ").map((name) => `customers.${name}`).join(", ");
  const holderOf = `select ${ofCustomer}, disabled_by, disabled_at
    from api_keys join customers on customers.id = api_keys.customer_id where hash = ?`;
  return {
    replaceKeys: (customerId, key, by) =>
      Promise.resolve(connection.transaction("durable", () => {
        if (findCustomer(connection, customerId) === null) return false;
        const disabled = disableKeys(connection, customerId, by.atMs);
        cancelWelcome(connection, customerId, by.atMs);
        if (key !== null) insertKey(connection, customerId, key);
        if (key !== null && by.mailId !== undefined) {
          queueMail(connection, {
            id: by.mailId,
            kind: "key-rotated",
            customerId,
            data: { lastFour: key.lastFour },
            onceKey: `key-rotated:${customerId}:${key.hash}`,
            atMs: by.atMs,
          });
        }
        const change = { disabled, ...(key === null ? {} : { last_four: key.lastFour }) };
        noteAct(connection, by, key === null ? "key.disable" : "key.rotate", customerId, change);
        return true;
      })),

    findKey: (hash) => {
      const row = connection.get(holderOf, hash);
      return row === undefined ? null : {
        customer: customerFromRow(row),
        disabledBy: row["disabled_by"] as DisabledBy | null,
        keyDisabled: row["disabled_at"] !== null,
      };
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

/** Disables one key; one that is disabled already keeps its time. */
export function disableKey(connection: Connection, hash: string, nowMs: number): void {
  connection.run("update api_keys set disabled_at = ? where hash = ? and disabled_at is null", nowMs, hash);
}

/** Disables every good key of a customer; gives their last four characters. */
export function disableKeys(connection: Connection, customerId: string, nowMs: number): string[] {
  return connection.all(
    `update api_keys set disabled_at = ? where customer_id = ? and disabled_at is null
     returning last_four`,
    nowMs,
    customerId,
  ).map((row) => String(row["last_four"]));
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
