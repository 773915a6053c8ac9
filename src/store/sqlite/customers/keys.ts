// API keys in SQLite: their hashes, and whom they open the API for.
import type { Store } from "../../../domain/ports/store/store.ts";
import type { DisabledBy } from "../../../domain/customer/customer.ts";
import { noteAct } from "./audit.ts";
import type { Connection } from "../connection/connection.ts";
import { findCustomer } from "./customer_rows.ts";
import { customerFromRow } from "./customer_rows.ts";
import { CUSTOMER_COLUMNS } from "./customer_rows.ts";
import { disableKeys, insertKey } from "./key_rows.ts";
import { cancelWelcome, queueMail } from "./mails.ts";

/** The part of the port that concerns keys. */
export function createKeys(connection: Connection): Pick<Store, "replaceKeys" | "findKey"> {
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
      return Promise.resolve(
        row === undefined ? null : {
          customer: customerFromRow(row),
          disabledBy: row["disabled_by"] as DisabledBy | null,
          keyDisabled: row["disabled_at"] !== null,
        },
      );
    },
  };
}
