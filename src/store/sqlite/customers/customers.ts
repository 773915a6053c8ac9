// Customers in SQLite.
import type { Account, TierAct } from "../../../domain/ports/store/customers.ts";
import type { Act } from "../../../domain/customer/audit.ts";
import type { ApiKey, Customer, DisabledBy } from "../../../domain/customer/customer.ts";
import { limitFields } from "../../../domain/customer/tier.ts";
import {
  type CustomerChange,
  disabledAfterEnabling,
  planCustomerChange,
  planLimitsMail,
} from "../../../domain/plans/customer_change.ts";
import { noteAct } from "./audit.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { holdDeliveries } from "../deliveries/delivery_states.ts";
import { insertKey, keyFromRow, keysOf } from "./key_rows.ts";
import { findPayer } from "./payers.ts";
import { awaitsWelcome, queueMail, requeueWelcome } from "./mails.ts";
import { fitToLimits } from "../subscriptions/plan_limits.ts";
import { CUSTOMER_COLUMNS, customerFromRow, findCustomer } from "./customer_rows.ts";
import { sql } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";

type CustomerMethods = "addCustomer" | "findCustomer" | "findAccount" | "listCustomers" | "changeCustomer";

export function createCustomers(connection: Connection): Part<CustomerMethods> {
  return {
    addCustomer: (customer, key, by) =>
      connection.transaction("durable", () => {
        const disabledBy = customer.enabled ? null : "operator";
        insertCustomer(connection, customer, { by, disabledBy, key });
        insertKey(connection, customer.id, key);
      }),

    findCustomer: (id) => findCustomer(connection, id),

    findAccount: (id) => findAccount(connection, id),

    listCustomers: () => {
      const keys = new Map<string, ApiKey[]>();
      for (const row of connection.all(sql`select * from api_keys order by customer_id, created_at, hash`)) {
        const customerId = String(row["customer_id"]);
        keys.set(customerId, [...keys.get(customerId) ?? [], keyFromRow(row)]);
      }
      return connection.all(sql`${ACCOUNTS} order by created_at, id`)
        .map((row) => accountFromRow(row, keys.get(String(row["id"])) ?? []));
    },

    changeCustomer: (id, change, by) =>
      connection.transaction("durable", () => {
        const customer = findCustomer(connection, id);
        if (customer === null) return false;
        const { enabled, ...rest } = change;
        updateCustomer(connection, customer, {
          by,
          change: rest,
          ...(enabled === undefined ? {} : {
            disabledBy: enabled ? disabledAfterEnabling(findPayer(connection, id)) : "operator",
          }),
        });
        return true;
      }),
  };
}

/** Stores a customer in the caller's transaction. */
export function insertCustomer(
  connection: Connection,
  customer: Customer,
  { by, disabledBy, key }: { by: Act; disabledBy: DisabledBy | null; key?: ApiKey },
): void {
  connection.run(
    sql`insert into customers (${CUSTOMER_COLUMNS}, disabled_by)
      values (${customer.id}, ${customer.email}, ${customer.tier}, ${disabledBy === null ? 1 : 0},
        ${JSON.stringify(customer.limits)}, ${customer.language}, ${customer.declared ? 1 : 0},
        ${customer.createdAtMs}, ${disabledBy})`,
  );
  const { tier, enabled, limits, language } = customer;
  noteAct(connection, by, "customer.add", customer.id, {
    tier,
    enabled,
    ...(Object.keys(limits).length > 0 ? { limits: limitFields(limits) } : {}),
    language,
    ...(key === undefined ? {} : { label: key.label, last_four: key.lastFour }),
  });
}

/** Applies a change to a customer, with all its effects and its audit entry, in the caller's transaction. */
export function updateCustomer(
  connection: Connection,
  customer: Customer,
  { by, ...change }: CustomerChange & { by: TierAct },
): void {
  const { id } = customer;
  const facts = { customer, disabledBy: disabledByOf(connection, id) };
  const plan = planCustomerChange(facts, change, by.tiers);
  if (plan === null) return;
  const { customer: changed } = plan;
  connection.run(
    sql`update customers
      set email = ${changed.email}, tier = ${changed.tier}, enabled = ${changed.enabled ? 1 : 0},
        limits = ${JSON.stringify(changed.limits)}, language = ${changed.language},
        disabled_by = ${plan.disabledBy} where id = ${id}`,
  );
  if (plan.isDisabled) holdAll(connection, id, by.atMs);
  if (plan.isEnabled) requeueWelcome(connection, id, { after: "disabled", nowMs: by.atMs });
  noteAct(connection, by, "customer.change", id, plan.differences);
  if (plan.hasNewEmail) requeueWelcome(connection, id, { after: "failure", nowMs: by.atMs });
  if (plan.limits === null) return;
  const { limits } = plan;
  const fit = fitToLimits(connection, id, { limit: limits.activeSubscriptions, by });
  const mail = planLimitsMail({
    before: customer.tier,
    after: changed.tier,
    limits,
    fit,
    awaitsWelcome: awaitsWelcome(connection, id),
  });
  if (mail === null) return;
  const mailId = by.newMailId();
  queueMail(connection, { ...mail, id: mailId, customerId: id, onceKey: mailId, atMs: by.atMs });
}

export function disabledByOf(connection: Connection, id: string): DisabledBy | null {
  return (connection.get(sql`select disabled_by from customers where id = ${id}`)?.["disabled_by"] ??
    null) as DisabledBy | null;
}

/** Holds the pending deliveries of a disabled customer. */
export function holdAll(connection: Connection, customerId: string, nowMs: number): void {
  for (const row of connection.all(sql`select id from subscriptions where customer_id = ${customerId}`)) {
    holdDeliveries(connection, String(row["id"]), nowMs);
  }
}

function findAccount(connection: Connection, id: string): Account | null {
  const row = connection.get(sql`${ACCOUNTS} where id = ${id}`);
  if (row === undefined) return null;
  return { ...accountFromRow(row, keysOf(connection, id)), payment: findPayer(connection, id) };
}

const ACCOUNTS = sql`select ${CUSTOMER_COLUMNS}, disabled_by, erased_at from customers`;

function accountFromRow(row: Row, keys: ApiKey[]): Omit<Account, "payment"> {
  return {
    customer: customerFromRow(row),
    keys,
    disabledBy: row["disabled_by"] as DisabledBy | null,
    erasedAtMs: row["erased_at"] as number | null,
  };
}
