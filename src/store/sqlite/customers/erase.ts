// Erases customers in SQLite: permanently removes personal data, but keeps counts, ids and the audit log.
import type { Act } from "../../../domain/customer/audit.ts";
import { EVERY_EVENT } from "../../../domain/event/event_filter.ts";
import { noteAct } from "./audit.ts";
import type { Connection } from "../connection/connection.ts";
import { holdAll } from "./customers.ts";
import { findCustomer } from "./customer_rows.ts";
import { cancelDeliveries } from "../deliveries/delivery_states.ts";
import { sql } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";

/** Replaces the webhook URLs of an erased customer. */
const ERASED_URL = "https://erased.invalid/";
const ERASED_FILTER = JSON.stringify(EVERY_EVENT);
const ERASED_SECRET = new Uint8Array();

export function createErasure(connection: Connection): Part<"eraseCustomer"> {
  return {
    eraseCustomer: (id, by) => {
      // Freed pages would otherwise keep the data.
      connection.all(sql`pragma secure_delete = on`);
      try {
        const isErased = connection.transaction("durable", () => erase(connection, id, by));
        if (isErased) {
          // Removes previously freed pages from the file, and empties the log.
          connection.all(sql`pragma incremental_vacuum`);
          connection.all(sql`pragma wal_checkpoint(truncate)`);
        }
        return isErased;
      } finally {
        connection.all(sql`pragma secure_delete = fast`);
      }
    },
  };
}

function erase(connection: Connection, id: string, by: Act): boolean {
  if (findCustomer(connection, id) === null) return false;
  const row = connection.get(sql`select erased_at from customers where id = ${id}`);
  if (row?.["erased_at"] !== null) return false;
  holdAll(connection, id, by.atMs);
  const subscriptions = connection.all(sql`select id from subscriptions where customer_id = ${id}`);
  for (const subscription of subscriptions) {
    const subscriptionId = String(subscription["id"]);
    // A response may contain personal data.
    connection.run(
      sql`update attempts set response = null where response is not null and delivery_id in (
         select id from deliveries where subscription_id = ${subscriptionId})`,
    );
    connection.run(
      sql`update subscriptions
        set deleted_at = coalesce(deleted_at, ${by.atMs}), closing = 1, webhook_url = ${ERASED_URL},
          name = null, note = null, headers = null, header_names = '[]', secret = ${ERASED_SECRET}, previous_secret = null, previous_secret_until = null, filter = ${ERASED_FILTER},
          identity = 'erased'
        where id = ${subscriptionId}`,
    );
    cancelDeliveries(connection, subscriptionId, by.atMs);
  }
  const keys = connection.run(
    sql`update api_keys set disabled_at = ${by.atMs} where customer_id = ${id} and disabled_at is null`,
  );
  connection.run(sql`update api_keys set label = null where customer_id = ${id}`);
  connection.run(sql`delete from feed_visits where customer_id = ${id}`);
  connection.run(sql`delete from stored_responses where customer_id = ${id}`);
  const mails = connection.run(sql`delete from mails where customer_id = ${id}`);
  const payments = connection.run(
    sql`update payment_events
     set payer = null, subscription = null, fact = null, note = 'erased', erased_customer_id = ${id}
     where payer in (select payer from payers where customer_id = ${id})`,
  );
  connection.run(sql`delete from payers where customer_id = ${id}`);
  connection.run(
    sql`update customers
      set email = '', language = 'en', enabled = 0, disabled_by = 'operator', erased_at = ${by.atMs}
      where id = ${id}`,
  );
  noteAct(connection, by, "customer.erase", id, {
    subscriptions: subscriptions.length,
    keys,
    mails,
    payments,
  });
  return true;
}
