// Reads customers from their rows.
import type { Customer } from "../../../domain/customer/customer.ts";
import type { MailLanguage } from "../../../domain/customer/mail_language.ts";
import type { Tier } from "../../../domain/customer/tier.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { sql } from "../connection/sql.ts";

export const CUSTOMER_COLUMNS = sql`id, email, tier, enabled, limits, language, declared, created_at`;

export function customerFromRow(row: Row): Customer {
  return {
    id: String(row["id"]),
    email: String(row["email"]),
    tier: row["tier"] as Tier,
    enabled: row["enabled"] === 1,
    limits: JSON.parse(String(row["limits"])),
    language: row["language"] as MailLanguage,
    declared: row["declared"] === 1,
    createdAtMs: Number(row["created_at"]),
  };
}

export function findCustomer(connection: Connection, id: string): Customer | null {
  const row = connection.get(sql`select ${CUSTOMER_COLUMNS} from customers where id = ${id}`);
  return row === undefined ? null : customerFromRow(row);
}
