// Customers in SQLite.
import type { Account, TierAct } from "../../../domain/ports/store/customers.ts";
import type { Store } from "../../../domain/ports/store/store.ts";
import type { Act } from "../../../domain/customer/audit.ts";
import { type ApiKey, type Customer, type DisabledBy, limitsOf } from "../../../domain/customer/customer.ts";
import { limitFields } from "../../../domain/customer/tier.ts";
import { noteAct } from "./audit.ts";
import type { Connection } from "../connection/connection.ts";
import { holdDeliveries } from "../deliveries/delivery_states.ts";
import { keyFromRow } from "./key_rows.ts";
import { insertKey } from "./key_rows.ts";
import { findPayer } from "./payers.ts";
import { awaitsWelcome, queueMail, retryWelcome, returnWelcome } from "./mails.ts";
import { fitToTier } from "../subscriptions/plan_limits.ts";
import { CUSTOMER_COLUMNS, customerFromRow, findCustomer } from "./customer_rows.ts";

type CustomerMethods = "addCustomer" | "findCustomer" | "findAccount" | "listCustomers" | "changeCustomer";

/** The part of the port that concerns customers. */
export function createCustomers(connection: Connection): Pick<Store, CustomerMethods> {
  return {
    addCustomer: (customer, key, by) =>
      Promise.resolve(connection.transaction("durable", () => {
        const disabledBy = customer.enabled ? null : "operator";
        insertCustomer(connection, customer, { by, disabledBy, lastFour: key.lastFour });
        insertKey(connection, customer.id, key);
      })),

    findCustomer: (id) => Promise.resolve(findCustomer(connection, id)),

    findAccount: (id) => Promise.resolve(findAccount(connection, id)),

    listCustomers: () => {
      const keys = new Map<string, ApiKey[]>();
      for (const row of connection.all("select * from api_keys order by customer_id, created_at, hash")) {
        const customerId = String(row["customer_id"]);
        keys.set(customerId, [...keys.get(customerId) ?? [], keyFromRow(row)]);
      }
      const rows = connection.all(
        `select ${CUSTOMER_COLUMNS}, disabled_by, erased_at from customers order by created_at, id`,
      );
      return Promise.resolve(rows.map((row) => ({
        customer: customerFromRow(row),
        keys: keys.get(String(row["id"])) ?? [],
        disabledBy: row["disabled_by"] as DisabledBy | null,
        erasedAtMs: row["erased_at"] as number | null,
      })));
    },

    changeCustomer: (id, change, by) =>
      Promise.resolve(connection.transaction("durable", () => {
        const customer = findCustomer(connection, id);
        if (customer === null) return false;
        const { enabled, ...rest } = change;
        updateCustomer(connection, customer, {
          by,
          change: rest,
          ...(enabled === undefined ? {} : { disabledBy: enabled ? unpaid(connection, id) : "operator" }),
        });
        return true;
      })),
  };
}

/** What still keeps a customer out that the operator lets in. */
function unpaid(connection: Connection, customerId: string): DisabledBy | null {
  return findPayer(connection, customerId)?.access === "ended" ? "payment" : null;
}

/** Stores a customer within the caller's transaction. */
export function insertCustomer(
  connection: Connection,
  customer: Customer,
  { by, disabledBy, lastFour }: { by: Act; disabledBy: DisabledBy | null; lastFour?: string },
): void {
  connection.run(
    `insert into customers (${CUSTOMER_COLUMNS}, disabled_by) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    customer.id,
    customer.email,
    customer.tier,
    disabledBy === null ? 1 : 0,
    JSON.stringify(customer.limits),
    customer.language,
    customer.declared ? 1 : 0,
    customer.createdAtMs,
    disabledBy,
  );
  const { tier, enabled, limits, language } = customer;
  noteAct(connection, by, "customer.add", customer.id, {
    tier,
    enabled,
    ...(Object.keys(limits).length > 0 ? { limits: limitFields(limits) } : {}),
    language,
    // Which key was given out with it.
    ...(lastFour === undefined ? {} : { last_four: lastFour }),
  });
}

/** What of a customer changes, and who keeps it out from now on (null: nobody); what is not given stays. */
export interface CustomerChange {
  /** With the limits of the tiers: subscriptions follow them. */
  by: TierAct;
  change: Partial<Pick<Customer, "tier" | "limits" | "email" | "language">>;
  disabledBy?: DisabledBy | null;
}

/** Changes a customer within the caller's transaction, with all that follows from it, and writes it down. */
export function updateCustomer(
  connection: Connection,
  customer: Customer,
  { by, change, ...given }: CustomerChange,
): void {
  const { id } = customer;
  const before = disabledByOf(connection, id);
  const disabledBy = given.disabledBy === undefined ? before : given.disabledBy;
  // A customer's own limits are of one stay in the tier embedded: they end with it, or they would come back unseen.
  const isMoved = change.tier !== undefined && change.tier !== customer.tier;
  const limits = change.limits ?? (isMoved ? {} : customer.limits);
  const changed: Customer = { ...customer, ...change, limits, enabled: disabledBy === null };
  const differences = differencesOf(customer, changed);
  if (before !== disabledBy) differences["disabled_by"] = { before, after: disabledBy };
  if (Object.keys(differences).length === 0) return;
  connection.run(
    `update customers set email = ?, tier = ?, enabled = ?, limits = ?, language = ?, disabled_by = ?
     where id = ?`,
    changed.email,
    changed.tier,
    changed.enabled ? 1 : 0,
    JSON.stringify(changed.limits),
    changed.language,
    disabledBy,
    id,
  );
  if (!changed.enabled && customer.enabled) holdAll(connection, id, by.atMs);
  if (changed.enabled && !customer.enabled) {
    returnWelcome(connection, id, by.atMs);
  }
  noteAct(connection, by, "customer.change", id, differences);
  if ("email" in differences) retryWelcome(connection, id, by.atMs);
  if ("tier" in differences || "limits" in differences) followTier(connection, { customer, changed }, by);
}

/** Subscriptions follow the tier and its limits, and the customer is told. */
function followTier(
  connection: Connection,
  { customer, changed }: { customer: Customer; changed: Customer },
  by: TierAct,
): void {
  const { id: customerId, tier } = changed;
  const limits = limitsOf(changed, by.tiers);
  const fit = fitToTier(connection, customerId, { limit: limits.activeSubscriptions, by });
  // A welcome that is yet to come says all of it.
  if (awaitsWelcome(connection, customerId)) return;
  const data = { limits, ...fit };
  const id = by.newMailId();
  const mail = { id, customerId, onceKey: id, atMs: by.atMs };
  if (tier !== customer.tier) {
    const tiers = { before: customer.tier, after: tier };
    queueMail(connection, { ...mail, kind: "tier-changed", data: { ...data, ...tiers } });
  } else if (fit.held.length > 0) queueMail(connection, { ...mail, kind: "subscriptions-held", data });
}

function disabledByOf(connection: Connection, id: string): DisabledBy | null {
  return (connection.get("select disabled_by from customers where id = ?", id)?.["disabled_by"] ??
    null) as DisabledBy | null;
}

/** Holds what a customer that is kept out still has to get. */
export function holdAll(connection: Connection, customerId: string, nowMs: number): void {
  for (const row of connection.all("select id from subscriptions where customer_id = ?", customerId)) {
    holdDeliveries(connection, String(row["id"]), nowMs);
  }
}

function differencesOf(before: Customer, after: Customer): Record<string, unknown> {
  const differences: Record<string, unknown> = {};
  for (const field of ["tier", "enabled", "language"] as const) {
    if (before[field] !== after[field]) {
      differences[field] = { before: before[field], after: after[field] };
    }
  }
  if (JSON.stringify(before.limits) !== JSON.stringify(after.limits)) {
    differences["limits"] = { before: limitFields(before.limits), after: limitFields(after.limits) };
  }
  // The audit outlives an erasure: that the address changed is enough to know.
  if (before.email !== after.email) differences["email"] = "changed";
  return differences;
}

function findAccount(connection: Connection, id: string): Account | null {
  const row = connection.get(
    `select ${CUSTOMER_COLUMNS}, disabled_by, erased_at from customers where id = ?`,
    id,
  );
  if (row === undefined) return null;
  const keys = connection.all("select * from api_keys where customer_id = ? order by created_at, hash", id);
  return {
    customer: customerFromRow(row),
    keys: keys.map(keyFromRow),
    disabledBy: row["disabled_by"] as DisabledBy | null,
    erasedAtMs: row["erased_at"] as number | null,
    payment: findPayer(connection, id),
  };
}
