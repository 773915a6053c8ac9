// The queue of mails in SQLite.
import type { NewMail } from "../../domain/mail.ts";
import type { Connection } from "./connection.ts";

/**
 * Queues a mail within the transaction that the caller runs; what it tells of and the mail are then kept together, or
 * neither. Returns whether it was queued: nothing happens when its occasion was written about before.
 */
export function queueMail(connection: Connection, mail: NewMail): boolean {
  return connection.run(
    `insert into mails (id, kind, customer_id, data, once_key, next_attempt_at, created_at)
     values (?, ?, ?, ?, ?, ?, ?) on conflict (once_key) do nothing`,
    mail.id,
    mail.kind,
    mail.customerId,
    JSON.stringify(mail.data),
    mail.onceKey,
    mail.atMs,
    mail.atMs,
  ) === 1;
}
