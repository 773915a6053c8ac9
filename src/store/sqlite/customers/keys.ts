// API keys in SQLite: their hashes and their customers.
import { keyStateOf } from "../../../domain/customer/api_key.ts";
import type { ApiKey, DisabledBy } from "../../../domain/customer/customer.ts";
import { planRotation } from "../../../domain/plans/key_rotation.ts";
import type { RotationAct } from "../../../domain/ports/store/customers.ts";
import { noteAct } from "./audit.ts";
import type { Connection } from "../connection/connection.ts";
import { customerFromRow, findCustomer } from "./customer_rows.ts";
import { disableKey, insertKey, keysOf } from "./key_rows.ts";
import { cancelWelcome, queueMail } from "./mails.ts";
import { sql } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";

type KeyMethods = "addKey" | "rotateKey" | "disableKeys" | "findKey" | "noteKeyUses";

export function createKeys(connection: Connection): Part<KeyMethods> {
  return {
    addKey: (customerId, key, by) =>
      connection.transaction("durable", () => {
        const isTaken = keysOf(connection, customerId).some((one) =>
          one.label === key.label && keyStateOf(one, by.atMs) === "valid"
        );
        if (isTaken) return false;
        insertKey(connection, customerId, key);
        noteAct(connection, by, "key.add", customerId, { label: key.label, last_four: key.lastFour });
        return true;
      }),

    rotateKey: (customerId, key, by) =>
      connection.transaction("durable", () => {
        if (findCustomer(connection, customerId) === null) return null;
        return rotate(connection, customerId, key, by);
      }),

    disableKeys: (customerId, hash, by) =>
      connection.transaction("durable", () => {
        if (findCustomer(connection, customerId) === null) return false;
        const disabled = keysOf(connection, customerId).filter((key) =>
          (hash === null || key.hash === hash) && keyStateOf(key, by.atMs) !== "disabled"
        );
        for (const key of disabled) disableKey(connection, key.hash, by.atMs);
        cancelWelcome(connection, customerId, { hashes: hash === null ? null : [hash], nowMs: by.atMs });
        noteAct(connection, by, "key.disable", customerId, {
          disabled: disabled.map(({ lastFour }) => lastFour),
          labels: disabled.map(({ label }) => label),
        });
        return true;
      }),

    findKey: (hash) => {
      const row = connection.get(
        sql`select customers.*, disabled_at, valid_until, last_used_at
          from api_keys join customers on customers.id = customer_id where hash = ${hash}`,
      );
      return row === undefined ? null : {
        customer: customerFromRow(row),
        disabledBy: row["disabled_by"] as DisabledBy | null,
        key: {
          disabledAtMs: row["disabled_at"] as number | null,
          validUntilMs: row["valid_until"] as number | null,
          lastUsedAtMs: row["last_used_at"] as number | null,
        },
      };
    },

    noteKeyUses: (uses) =>
      connection.transaction("relaxed", () => {
        for (const { hash, atMs } of uses) {
          connection.run(sql`update api_keys set last_used_at = ${atMs} where hash = ${hash}`);
        }
      }),
  };
}

function rotate(connection: Connection, customerId: string, key: ApiKey, by: RotationAct): ApiKey[] {
  const { atMs, mailId } = by;
  const replaced = planRotation(keysOf(connection, customerId), {
    label: key.label,
    oldUntilMs: by.oldUntilMs,
    nowMs: atMs,
  });
  for (const { hash, validUntilMs, disabledAtMs } of replaced) {
    connection.run(
      sql`update api_keys set valid_until = ${validUntilMs}, disabled_at = ${disabledAtMs} where hash = ${hash}`,
    );
  }
  const hashes = replaced.length === 0 ? null : replaced.map(({ hash }) => hash);
  cancelWelcome(connection, customerId, { hashes, nowMs: atMs });
  insertKey(connection, customerId, key);
  const oldUntilMs = replaced.length === 0 ? null : by.oldUntilMs;
  if (mailId !== null) {
    queueMail(connection, {
      id: mailId,
      kind: "key-rotated",
      customerId,
      data: { label: key.label ?? "", lastFour: key.lastFour, oldUntilMs },
      onceKey: `key-rotated:${customerId}:${key.hash}`,
      atMs,
    });
  }
  const lastFours = replaced.map(({ lastFour }) => lastFour);
  noteAct(connection, by, "key.rotate", customerId, {
    label: key.label,
    last_four: key.lastFour,
    ...(oldUntilMs === null ? { disabled: lastFours } : { expiring: lastFours, valid_until: oldUntilMs }),
  });
  return replaced;
}
