// The audit log in SQLite.
import type { Act } from "../../../domain/customer/audit.ts";
import type { Connection } from "../connection/connection.ts";
import { sql } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";

export function createAudit(connection: Connection): Part<"listAudit"> {
  return {
    listAudit: ({ limit, before = Number.MAX_SAFE_INTEGER, customerId }) => {
      const rows = customerId === undefined
        ? connection.all(sql`select * from audit where seq < ${before} order by seq desc limit ${limit}`)
        : connection.all(
          sql`select * from audit where customer_id = ${customerId} and seq < ${before}
            order by seq desc limit ${limit}`,
        );
      return rows.map((row) => ({
        seq: Number(row["seq"]),
        atMs: Number(row["at"]),
        actor: String(row["actor"]),
        act: String(row["act"]),
        customerId: row["customer_id"] as string | null,
        change: JSON.parse(String(row["change"])),
      }));
    },
  };
}

/** Records an act in the current transaction. `change` must not contain secrets or email addresses. */
export function noteAct(
  connection: Connection,
  by: Act,
  act: string,
  customerId: string | null,
  change: Record<string, unknown> = {},
): void {
  connection.run(
    sql`insert into audit (at, actor, act, customer_id, change)
      values (${by.atMs}, ${by.actor}, ${act}, ${customerId}, ${JSON.stringify(change)})`,
  );
}
