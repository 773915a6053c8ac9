// Customers in SQLite.
import type { ApiKey, Customer } from "../../domain/customer.ts";
import type { Store } from "../../domain/store.ts";
import type { Tier } from "../../domain/tier.ts";
import type { Connection, Row } from "./connection.ts";
import { holdDeliveries } from "./delivery_states.ts";
import { insertKey, keyFromRow } from "./keys.ts";

type CustomerMethods = "addCustomer" | "findCustomer" | "listCustomers" | "changeCustomer";

/** The columns of a customer, for statements that read one. */
export const CUSTOMER_COLUMNS = "id, email, tier, enabled, limits, created_at";

/** The part of the port that concerns customers. */
export function createCustomers(connection: Connection): Pick<Store, CustomerMethods> {
  return {
    addCustomer: (customer, key) =>
      Promise.resolve(connection.transaction("durable", () => {
        connection.run(
          `insert into customers (${CUSTOMER_COLUMNS}) values (?, ?, ?, ?, ?, ?)`,
          customer.id,
          customer.email,
          customer.tier,
          customer.enabled ? 1 : 0,
          JSON.stringify(customer.limits),
          customer.createdAtMs,
        );
        insertKey(connection, customer.id, key);
      })),

    findCustomer: (id) => Promise.resolve(findCustomer(connection, id)),

    listCustomers: () => {
      const keys = new Map<string, ApiKey[]>();
      for (const row of connection.all("select * from api_keys order by customer_id, created_at, hash")) {
        const customerId = String(row["customer_id"]);
        keys.set(customerId, [...keys.get(customerId) ?? [], keyFromRow(row)]);
      }
      const rows = connection.all(`select ${CUSTOMER_COLUMNS} from customers order by created_at, id`);
      return Promise.resolve(
        rows.map(customerFromRow).map((customer) => ({ customer, keys: keys.get(customer.id) ?? [] })),
      );
    },

    changeCustomer: (id, change) =>
      Promise.resolve(connection.transaction("durable", () => {
        const customer = findCustomer(connection, id);
        if (customer === null) return false;
        const changed = { ...customer, ...change };
        connection.run(
          "update customers set tier = ?, enabled = ?, limits = ? where id = ?",
          changed.tier,
          changed.enabled ? 1 : 0,
          JSON.stringify(changed.limits),
          id,
        );
        if (!changed.enabled) {
          for (const row of connection.all("select id from subscriptions where customer_id = ?", id)) {
            holdDeliveries(connection, String(row["id"]), "disabled");
          }
        }
        return true;
      })),
  };
}

/** The customer of an id, null when there is none. */
export function findCustomer(connection: Connection, id: string): Customer | null {
  const row = connection.get(`select ${CUSTOMER_COLUMNS} from customers where id = ?`, id);
  return row === undefined ? null : customerFromRow(row);
}

/** A customer from a row with {@link CUSTOMER_COLUMNS}. */
export function customerFromRow(row: Row): Customer {
  return {
    id: String(row["id"]),
    email: String(row["email"]),
    tier: row["tier"] as Tier,
    enabled: row["enabled"] === 1,
    limits: JSON.parse(String(row["limits"])),
    createdAtMs: Number(row["created_at"]),
  };
}
