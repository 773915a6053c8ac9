// Customers that the config declares, in SQLite.
import type { TierAct } from "../../../domain/ports/store/customers.ts";
import type { Store } from "../../../domain/ports/store/store.ts";
import type { Customer } from "../../../domain/customer/customer.ts";
import {
  type Declaration,
  type DeclarationConflict,
  type DeclaredCustomer,
  UNKNOWN_LAST_FOUR,
} from "../../../domain/customer/declared_customers.ts";
import { noteAct } from "./audit.ts";
import { Connection } from "../connection/connection.ts";
import { insertCustomer, updateCustomer } from "./customers.ts";
import { findCustomer } from "./customer_rows.ts";
import { customerFromRow } from "./customer_rows.ts";
import { CUSTOMER_COLUMNS } from "./customer_rows.ts";
import { disableKey } from "./key_rows.ts";
import { insertKey } from "./key_rows.ts";

/** The part of the port that concerns declared customers. */
export function createDeclared(connection: Connection): Pick<Store, "declareCustomers"> {
  return {
    declareCustomers: (customers, by) =>
      Promise.resolve(connection.transaction("durable", (): Declaration => {
        const conflicts = customers.flatMap((customer) => findConflicts(connection, customer));
        if (conflicts.length > 0) return { kind: "refused", conflicts };
        // Those that left come first: whoever has a new name takes the keys along.
        const gone = endOthers(connection, customers, by);
        const added: string[] = [];
        const changed: string[] = [];
        for (const customer of customers) {
          const came = declare(connection, customer, by);
          if (came === "added") added.push(customer.name);
          if (came === "changed") changed.push(customer.name);
        }
        return { kind: "applied", added, changed, gone };
      })),
  };
}

/** What in the database contradicts a declaration. */
export function findConflicts(connection: Connection, customer: DeclaredCustomer): DeclarationConflict[] {
  const { id, name, email, keyHashes } = customer;
  const known = connection.get("select email, enabled, erased_at from customers where id = ?", id);
  if (known !== undefined && known["erased_at"] !== null) return [{ name, what: "erased", holderId: id }];
  const conflicts: DeclarationConflict[] = [];
  // What holds already goes on holding, or somebody who pays later could keep the service from starting.
  const isHeld = known?.["enabled"] === 1 && String(known["email"]).toLowerCase() === email.toLowerCase();
  if (!isHeld) {
    // Who is kept out by the operator comes back by the operator's word alone; a payment brings back all others.
    const holder = connection.get(
      `select id from customers
       where declared = 0 and disabled_by is not 'operator' and lower(email) = lower(?)
       order by created_at limit 1`,
      email,
    );
    if (holder !== undefined) conflicts.push({ name, what: "email", holderId: String(holder["id"]) });
  }
  for (const [keyIndex, hash] of keyHashes.entries()) {
    const holder = connection.get(
      `select customers.id from api_keys join customers on customers.id = api_keys.customer_id
       where api_keys.hash = ? and customers.declared = 0`,
      hash,
    );
    if (holder !== undefined) {
      conflicts.push({ name, what: "key", holderId: String(holder["id"]), keyIndex });
    }
  }
  return conflicts;
}

/** Disables who was declared and is no more; gives their ids. */
function endOthers(connection: Connection, customers: readonly DeclaredCustomer[], by: TierAct): string[] {
  const declared = new Set(customers.map(({ id }) => id));
  const others = connection.all(
    `select ${CUSTOMER_COLUMNS} from customers where declared = 1 and enabled = 1 order by created_at, id`,
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

/** Gives the customer the declared keys and takes every other. */
function setKeys(
  connection: Connection,
  { id, keyHashes }: DeclaredCustomer,
  nowMs: number,
): { added: number; disabled: number } {
  let added = 0;
  for (const hash of keyHashes) {
    const row = connection.get("select customer_id, disabled_at from api_keys where hash = ?", hash);
    if (row === undefined) {
      insertKey(connection, id, {
        hash,
        lastFour: UNKNOWN_LAST_FOUR,
        createdAtMs: nowMs,
        disabledAtMs: null,
      });
      added++;
    } else if (row["customer_id"] !== id || row["disabled_at"] !== null) {
      connection.run(
        "update api_keys set customer_id = ?, created_at = ?, disabled_at = null where hash = ?",
        id,
        nowMs,
        hash,
      );
      added++;
    }
  }
  const others = connection.all("select hash from api_keys where customer_id = ? and disabled_at is null", id)
    .map((row) => String(row["hash"])).filter((hash) => !keyHashes.includes(hash));
  for (const hash of others) disableKey(connection, hash, nowMs);
  return { added, disabled: others.length };
}
