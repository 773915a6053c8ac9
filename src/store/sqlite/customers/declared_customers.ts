// Customers that the config declares, in SQLite.
import type { TierAct } from "../../../domain/ports/store/customers.ts";
import type { Customer } from "../../../domain/customer/customer.ts";
import {
  type Declaration,
  type DeclarationConflict,
  type DeclaredCustomer,
  UNKNOWN_LAST_FOUR,
} from "../../../domain/customer/declared_customers.ts";
import { findConflicts, planKeys } from "../../../domain/plans/declared_customers.ts";
import { noteAct } from "./audit.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { insertCustomer, updateCustomer } from "./customers.ts";
import { CUSTOMER_COLUMNS, customerFromRow, findCustomer } from "./customer_rows.ts";
import { disableKey, insertKey } from "./key_rows.ts";
import { sql } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";

export function createDeclared(connection: Connection): Part<"declareCustomers"> {
  return {
    declareCustomers: (customers, by) =>
      connection.transaction("durable", (): Declaration => {
        const conflicts = customers.flatMap((customer) => conflictsOf(connection, customer));
        if (conflicts.length > 0) return { kind: "refused", conflicts };
        // Undeclared customers are disabled first, so that a renamed customer can take over its keys.
        const gone = endOthers(connection, customers, by);
        const added: string[] = [];
        const changed: string[] = [];
        for (const customer of customers) {
          const came = declare(connection, customer, by);
          if (came === "added") added.push(customer.name);
          if (came === "changed") changed.push(customer.name);
        }
        return { kind: "applied", added, changed, gone };
      }),
  };
}

export function conflictsOf(connection: Connection, customer: DeclaredCustomer): DeclarationConflict[] {
  const known = connection.get(
    sql`select email, enabled, erased_at from customers where id = ${customer.id}`,
  );
  const idOf = (row: Row | undefined) => row === undefined ? null : String(row["id"]);
  return findConflicts(customer, {
    known: known === undefined ? null : {
      email: String(known["email"]),
      enabled: known["enabled"] === 1,
      isErased: known["erased_at"] !== null,
    },
    emailHolderId: idOf(connection.get(
      sql`select id from customers
        where declared = 0 and disabled_by is not 'operator' and lower(email) = lower(${customer.email})
        order by created_at limit 1`,
    )),
    keyHolderIds: customer.keyHashes.map((hash) =>
      idOf(connection.get(
        sql`select customers.id from api_keys join customers on customers.id = api_keys.customer_id
          where api_keys.hash = ${hash} and customers.declared = 0`,
      ))
    ),
  });
}

/** Disables customers that are no longer declared. Returns their ids. */
function endOthers(connection: Connection, customers: readonly DeclaredCustomer[], by: TierAct): string[] {
  const declared = new Set(customers.map(({ id }) => id));
  const others = connection.all(
    sql`select ${CUSTOMER_COLUMNS} from customers where declared = 1 and enabled = 1 order by created_at, id`,
  ).map(customerFromRow).filter(({ id }) => !declared.has(id));
  for (const customer of others) {
    updateCustomer(connection, customer, { by, change: {}, disabledBy: "operator" });
  }
  return others.map(({ id }) => id);
}

function declare(
  connection: Connection,
  declared: DeclaredCustomer,
  by: TierAct,
): "added" | "changed" | "unchanged" {
  const { id, email, tier, limits, language, name } = declared;
  const known = findCustomer(connection, id);
  if (known === null) {
    const customer: Customer = {
      id,
      email,
      tier,
      enabled: true,
      limits,
      language,
      declared: true,
      createdAtMs: by.atMs,
    };
    insertCustomer(connection, customer, { by, disabledBy: null });
  } else {
    updateCustomer(connection, known, { by, change: { email, tier, limits, language }, disabledBy: null });
  }
  const keys = setKeys(connection, declared, by.atMs);
  if (keys.added + keys.disabled > 0) noteAct(connection, by, "key.declare", id, { name, ...keys });
  if (known === null) return "added";
  const now = findCustomer(connection, id);
  return keys.added + keys.disabled > 0 || JSON.stringify(now) !== JSON.stringify(known)
    ? "changed"
    : "unchanged";
}

/** Gives the customer its declared API keys, and disables all other keys of the customer. */
function setKeys(
  connection: Connection,
  customer: DeclaredCustomer,
  nowMs: number,
): { added: number; disabled: number } {
  const stored = connection.all(
    sql`select hash, customer_id, disabled_at from api_keys
     where hash in (select value from json_each(${JSON.stringify(customer.keyHashes)}))
       or customer_id = ${customer.id}`,
  ).map((row) => ({
    hash: String(row["hash"]),
    customerId: String(row["customer_id"]),
    isDisabled: row["disabled_at"] !== null,
  }));
  const { added, moved, disabled } = planKeys(customer, stored);
  for (const hash of added) {
    insertKey(connection, customer.id, {
      hash,
      label: null,
      lastFour: UNKNOWN_LAST_FOUR,
      createdAtMs: nowMs,
      validUntilMs: null,
      disabledAtMs: null,
      lastUsedAtMs: null,
    });
  }
  for (const hash of moved) {
    connection.run(
      sql`update api_keys set customer_id = ${customer.id}, created_at = ${nowMs}, disabled_at = null
        where hash = ${hash}`,
    );
  }
  for (const hash of disabled) disableKey(connection, hash, nowMs);
  return { added: added.length + moved.length, disabled: disabled.length };
}
