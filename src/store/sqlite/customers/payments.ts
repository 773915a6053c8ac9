// Payment events in SQLite: stores each one once, together with its effects.
import type { PaymentReview, PaymentStore } from "../../../domain/ports/store/payments.ts";
import type { Act } from "../../../domain/customer/audit.ts";
import type { NewMail } from "../../../domain/customer/mail.ts";
import type { KeptPayment, PaymentEvent, PaymentVerdict } from "../../../domain/customer/payment.ts";
import {
  accessChange,
  planPayer,
  planPayerChange,
  planPaymentMail,
  planProvision,
} from "../../../domain/plans/payment.ts";
import { noteAct } from "./audit.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { disabledByOf, insertCustomer, updateCustomer } from "./customers.ts";
import { findCustomer } from "./customer_rows.ts";
import { queueMail, sendWelcomeNow, wasWritten, welcomeKey } from "./mails.ts";
import { findPayerById, savePayer } from "./payers.ts";
import { sql } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";

const EVENT_COLUMNS = sql`id, type, created_at, received_at, payer, subscription, fact, note`;
const KEPT_EVENTS = sql`select id, type, created_at, received_at, payer, subscription, fact, note,
    coalesce(customer_id, erased_customer_id) as customer_id from payment_events`;

export function createPayments(connection: Connection): Part<keyof PaymentStore> {
  return {
    recordPayment: (event, review) =>
      connection.transaction("durable", () => {
        if (!insertEvent(connection, event)) return "repeated";
        const by = { actor: `payment:${event.id}`, atMs: review.nowMs };
        return follow(connection, event, { review, by });
      }),

    replayPayment: (id, review, by) =>
      connection.transaction("durable", () => {
        const found = findEvent(connection, id);
        if (found === null) return null;
        noteAct(connection, by, "payment.replay", found.customerId, { event: id });
        return follow(connection, found.event, { review, by });
      }),

    reviewPayers: (which, review) => {
      const due = which === "all" ? connection.all(sql`select payer from payers`) : connection.all(
        sql`select payer from payers indexed by payers_in_grace
          where access = 'granted' and access_until is not null and access_until <= ${review.nowMs}`,
      );
      const by = { actor: "service", atMs: review.nowMs };
      for (const row of due) {
        connection.transaction("durable", () => judgePayer(connection, String(row["payer"]), { review, by }));
      }
      return due.length;
    },

    listPayments: ({ limit, before = null, customerId }) => {
      const which = customerId === undefined
        ? sql`indexed by payment_events_by_receipt left join payers using (payer) where true`
        : sql`left join payers using (payer)
            where (payer = (select payer from payers where customer_id = ${customerId})
              or erased_customer_id = ${customerId})`;
      return connection.all(
        sql`${KEPT_EVENTS} ${which} and (${before} is null
            or (received_at, id) < (select received_at, id from payment_events where id = ${before}))
          order by received_at desc, id desc limit ${limit}`,
      ).map(keptFromRow);
    },

    findPayment: (id) => findEvent(connection, id),
  };
}

function findEvent(connection: Connection, id: string): KeptPayment | null {
  const row = connection.get(sql`${KEPT_EVENTS} left join payers using (payer) where id = ${id}`);
  return row === undefined ? null : keptFromRow(row);
}

/** Stores an event. Returns false if it has already been stored. */
function insertEvent(connection: Connection, event: PaymentEvent): boolean {
  return connection.run(
    sql`insert into payment_events (${EVENT_COLUMNS})
      values (${event.id}, ${event.type}, ${event.createdAtMs}, ${event.receivedAtMs}, ${event.payer},
        ${event.subscription}, ${event.fact === null ? null : JSON.stringify(event.fact)}, ${event.note})
      on conflict (id) do nothing`,
  ) === 1;
}

/** How a payer is judged, and the actor for the audit log. */
interface Judging {
  review: PaymentReview;
  by: Act;
}

function follow(
  connection: Connection,
  { payer, fact }: PaymentEvent,
  judging: Judging,
): "applied" | "waiting" | "ignored" {
  if (fact === null || payer === null) return "ignored";
  return judgePayer(connection, payer, judging) ? "applied" : "waiting";
}

/** Applies the verdict on all of a payer's events. Returns false if no checkout has been paid yet. */
function judgePayer(connection: Connection, payer: string, { review, by }: Judging): boolean {
  const { nowMs, newId } = review;
  const events = connection.all(
    sql`select ${EVENT_COLUMNS} from payment_events indexed by payment_events_by_payer where payer = ${payer}
      order by created_at, id`,
  );
  const verdict = review.judge(events.map(eventFromRow));
  const found = findPayerById(connection, payer);
  const known = found?.state ?? null;
  const customerId = found?.customerId ?? provision(connection, verdict, { review, by });
  if (customerId === null) return false;
  const customer = findCustomer(connection, customerId);
  if (customer === null) throw new Error(`payer of unknown customer ${customerId}`);
  savePayer(connection, planPayer(payer, verdict, known), customerId);
  updateCustomer(connection, customer, {
    by: { ...by, tiers: review.tiers, newMailId: () => newId("mail") },
    ...planPayerChange(verdict, { known, disabledBy: disabledByOf(connection, customerId) }),
  });
  const isEnabled = findCustomer(connection, customerId)?.enabled ?? false;
  const access = accessChange({ before: customer.enabled, after: isEnabled }, verdict);
  if (access !== null) review.noteAccess(customerId, access);
  if (!verdict.isPriceAwaited) sendWelcomeNow(connection, customerId, nowMs);
  const mail = planPaymentMail(verdict, { customerId, isNew: known === null });
  if (mail !== null && !wasWritten(connection, mail.formerKeys)) {
    const { content, onceKey } = mail;
    queueMail(connection, { ...content, id: newId("mail"), customerId, onceKey, atMs: nowMs } as NewMail);
  }
  return true;
}

/** Creates the customer of a paid checkout. Returns null if no checkout has been paid yet. */
function provision(connection: Connection, verdict: PaymentVerdict, { review, by }: Judging): string | null {
  const { nowMs, newId } = review;
  const plan = planProvision(verdict, { nowMs, newCustomerId: () => newId("customer") });
  if (plan === null) return null;
  const { customer, disabledBy, welcomeAtMs } = plan;
  insertCustomer(connection, customer, { by, disabledBy });
  queueMail(connection, {
    id: newId("mail"),
    kind: "welcome",
    customerId: customer.id,
    data: {},
    onceKey: welcomeKey(customer.id),
    atMs: nowMs,
    dueAtMs: welcomeAtMs,
  });
  return customer.id;
}

function keptFromRow(row: Row): KeptPayment {
  return { event: eventFromRow(row), customerId: row["customer_id"] as string | null };
}

function eventFromRow(row: Row): PaymentEvent {
  return {
    id: String(row["id"]),
    type: String(row["type"]),
    createdAtMs: Number(row["created_at"]),
    receivedAtMs: Number(row["received_at"]),
    payer: row["payer"] as string | null,
    subscription: row["subscription"] as string | null,
    fact: row["fact"] === null ? null : JSON.parse(String(row["fact"])),
    note: row["note"] as string | null,
  };
}
