// The audit log in SQLite.
import type { Act, ActName } from "../../../domain/customer/audit.ts";
import type { Connection } from "../connection/connection.ts";
import { sql } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";

export function createAudit(connection: Connection): Part<"listAudit" | "recordAct"> {
  return {
    listAudit: ({ limit, before = Number.MAX_SAFE_INTEGER, customerId, acts, actor = "", ...time }) => {
      const { sinceMs = 0, untilMs = Number.MAX_SAFE_INTEGER } = time;
      const wanted = acts === undefined ? null : JSON.stringify(acts);
      const from = customerId === undefined
        ? sql`audit where true`
        : sql`audit indexed by audit_by_customer where customer_id = ${customerId}`;
      return connection.all(
        sql`select * from ${from} and seq < ${before} and at >= ${sinceMs} and at < ${untilMs}
            and substr(actor, 1, ${actor.length}) = ${actor}
            and (${wanted} is null or act in (select value from json_each(${wanted})))
          order by seq desc limit ${limit}`,
      ).map((row) => ({
        seq: Number(row["seq"]),
        atMs: Number(row["at"]),
        actor: String(row["actor"]),
        ...(row["address"] === null ? {} : { address: String(row["address"]) }),
        act: String(row["act"]),
        customerId: row["customer_id"] as string | null,
        change: JSON.parse(String(row["change"])),
      }));
    },

    recordAct: (by, act, change) =>
      connection.transaction("durable", () => noteAct(connection, by, act, null, change)),
  };
}

/** Records an act in the current transaction. `change` must not contain secrets or email addresses. */
export function noteAct(
  connection: Connection,
  { actor, address, atMs }: Act,
  act: ActName,
  customerId: string | null,
  change: Record<string, unknown> = {},
): void {
  connection.run(
    sql`insert into audit (at, actor, address, act, customer_id, change)
      values (${atMs}, ${actor}, ${address ?? null}, ${act}, ${customerId}, ${JSON.stringify(change)})`,
  );
}
