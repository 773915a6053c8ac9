// The audit in SQLite.
import type { Store } from "../../../domain/ports/store/store.ts";
import type { Act } from "../../../domain/customer/audit.ts";
import type { Connection } from "../connection/connection.ts";

/** The part of the port that concerns the audit. */
export function createAudit(connection: Connection): Pick<Store, "listAudit"> {
  return {
    listAudit: ({ limit, before = Number.MAX_SAFE_INTEGER, customerId }) => {
      const rows = customerId === undefined
        ? connection.all("select * from audit where seq < ? order by seq desc limit ?", before, limit)
        : connection.all(
          "select * from audit where customer_id = ? and seq < ? order by seq desc limit ?",
          customerId,
          before,
          limit,
        );
      return Promise.resolve(rows.map((row) => ({
        seq: Number(row["seq"]),
        atMs: Number(row["at"]),
        actor: String(row["actor"]),
        act: String(row["act"]),
        customerId: row["customer_id"] as string | null,
        change: JSON.parse(String(row["change"])),
      })));
    },
  };
}

/** Writes down what the transaction around it does. No secret and no mail address belongs into `change`. */
export function noteAct(
  connection: Connection,
  by: Act,
  act: string,
  customerId: string | null,
  change: Record<string, unknown> = {},
): void {
  connection.run(
    "insert into audit (at, actor, act, customer_id, change) values (?, ?, ?, ?, ?)",
    by.atMs,
    by.actor,
    act,
    customerId,
    JSON.stringify(change),
  );
}
