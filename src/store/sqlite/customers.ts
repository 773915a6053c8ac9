// Customers, their keys and their counted requests in SQLite.
import type { ApiKey, Customer } from "../../domain/customer.ts";
import type { Store } from "../../domain/store.ts";
import type { Tier } from "../../domain/tier.ts";
import type { Connection, Row } from "./connection.ts";
import { holdDeliveries } from "./delivery_states.ts";

type CustomerMethods =
  | "addCustomer"
  | "findCustomer"
  | "listCustomers"
  | "changeCustomer"
  | "replaceKeys"
  | "findKey"
  | "countedRequests"
  | "usageOf"
  | "addRequests";

const COLUMNS = "id, email, tier, enabled, limits, created_at";

/** The part of the port that concerns customers. */
export function createCustomers(connection: Connection): Pick<Store, CustomerMethods> {
  return {
    addCustomer: (customer, key) =>
      Promise.resolve(connection.transaction("durable", () => {
        connection.run(
          `insert into customers (${COLUMNS}) values (?, ?, ?, ?, ?, ?)`,
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
      const rows = connection.all(`select ${COLUMNS} from customers order by created_at, id`);
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
        `select ${COLUMNS.split(", ").map((name) => `customers.${name}`).join(", ")}, disabled_at
         from api_keys join customers on customers.id = api_keys.customer_id where hash = ?`,
        hash,
      );
      return Promise.resolve(
        row === undefined
          ? null
          : { customer: customerFromRow(row), keyDisabled: row["disabled_at"] !== null },
      );
    },

    countedRequests: (customerId, day) => {
      const row = connection.get(
        "select requests from api_usage where customer_id = ? and day = ?",
        customerId,
        day,
      );
      return Promise.resolve(Number(row?.["requests"] ?? 0));
    },

    usageOf: (customerId, month) => {
      const row = connection.get(
        `select
           (select deliveries from delivery_usage where customer_id = customers.id and month = ?) as deliveries,
           (select count(*) from subscriptions indexed by subscriptions_active
            where customer_id = customers.id and deleted_at is null and disabled_at is null) as active,
           (select count(*) from deliveries indexed by deliveries_held
            where status = 'held' and subscription_id in (
              select id from subscriptions where customer_id = customers.id)) as held
         from customers where id = ?`,
        month,
        customerId,
      );
      return Promise.resolve({
        deliveries: Number(row?.["deliveries"] ?? 0),
        held: Number(row?.["held"] ?? 0),
        activeSubscriptions: Number(row?.["active"] ?? 0),
      });
    },

    addRequests: (counts) =>
      Promise.resolve(connection.transaction("relaxed", () => {
        for (const { customerId, day, requests } of counts) {
          connection.run(
            `insert into api_usage (customer_id, day, requests) values (?, ?, max(0, ?))
             on conflict (customer_id, day) do update set requests = max(0, requests + ?)`,
            customerId,
            day,
            requests,
            requests,
          );
        }
      })),
  };
}

function findCustomer(connection: Connection, id: string): Customer | null {
  const row = connection.get(`select ${COLUMNS} from customers where id = ?`, id);
  return row === undefined ? null : customerFromRow(row);
}

function insertKey(connection: Connection, customerId: string, key: ApiKey): void {
  connection.run(
    "insert into api_keys (hash, customer_id, last_four, created_at, disabled_at) values (?, ?, ?, ?, ?)",
    key.hash,
    customerId,
    key.lastFour,
    key.createdAtMs,
    key.disabledAtMs,
  );
}

function customerFromRow(row: Row): Customer {
  return {
    id: String(row["id"]),
    email: String(row["email"]),
    tier: row["tier"] as Tier,
    enabled: row["enabled"] === 1,
    limits: JSON.parse(String(row["limits"])),
    createdAtMs: Number(row["created_at"]),
  };
}

function keyFromRow(row: Row): ApiKey {
  return {
    hash: String(row["hash"]),
    lastFour: String(row["last_four"]),
    createdAtMs: Number(row["created_at"]),
    disabledAtMs: row["disabled_at"] as number | null,
  };
}
