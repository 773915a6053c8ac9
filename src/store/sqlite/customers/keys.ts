// API keys in SQLite: their hashes and their customers.
import type { DisabledBy } from "../../../domain/customer/customer.ts";
import { noteAct } from "./audit.ts";
import type { Connection } from "../connection/connection.ts";
import { customerFromRow, findCustomer } from "./customer_rows.ts";
import { disableKeys, insertKey } from "./key_rows.ts";
import { cancelWelcome, queueMail } from "./mails.ts";
import { sql } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";

export function createKeys(connection: Connection): Part<"replaceKeys" | "findKey"> {
  return {
    replaceKeys: (customerId, key, by) =>
      connection.transaction("durable", () => {
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
      }),

    findKey: (hash) => {
      const row = connection.get(
        sql`select customers.*, disabled_at from api_keys join customers on customers.id = customer_id
          where hash = ${hash}`,
      );
      return row === undefined ? null : {
        customer: customerFromRow(row),
        disabledBy: row["disabled_by"] as DisabledBy | null,
        keyDisabled: row["disabled_at"] !== null,
      };
    },
  };
}
