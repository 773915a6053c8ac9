// Payers in SQLite: their customers, and the state of their payments.
import type { PayerState } from "../../../domain/customer/payment.ts";
import type { Tier } from "../../../domain/customer/tier.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { sql } from "../connection/sql.ts";

const PAYER_COLUMNS = sql`payer, customer_id, tier, access, access_until, unknown_price, email`;

/** Returns the state of a customer's payments, or null if the customer was not created by a payment. */
export function findPayer(connection: Connection, customerId: string): PayerState | null {
  const row = connection.get(sql`select ${PAYER_COLUMNS} from payers where customer_id = ${customerId}`);
  return row === undefined ? null : payerFromRow(row);
}

/** Returns a payer's state and customer, or null if no checkout has been paid yet. */
export function findPayerById(
  connection: Connection,
  payer: string,
): { state: PayerState; customerId: string } | null {
  const row = connection.get(sql`select ${PAYER_COLUMNS} from payers where payer = ${payer}`);
  return row === undefined ? null : { state: payerFromRow(row), customerId: String(row["customer_id"]) };
}

export function savePayer(connection: Connection, state: PayerState, customerId: string): void {
  connection.run(
    sql`insert into payers (${PAYER_COLUMNS})
      values (${state.payer}, ${customerId}, ${state.tier}, ${state.access}, ${state.accessUntilMs},
        ${state.unknownPrice}, ${state.email})
      on conflict (payer) do update set tier = excluded.tier, access = excluded.access,
        access_until = excluded.access_until, unknown_price = excluded.unknown_price, email = excluded.email`,
  );
}

function payerFromRow(row: Row): PayerState {
  return {
    payer: String(row["payer"]),
    email: row["email"] as string | null,
    tier: row["tier"] as Tier | null,
    access: row["access"] as PayerState["access"],
    accessUntilMs: row["access_until"] as number | null,
    unknownPrice: row["unknown_price"] as string | null,
  };
}
