// The email queue in SQLite.
import { freeLabel, keyStateOf } from "../../../domain/customer/api_key.ts";
import type { Act } from "../../../domain/customer/audit.ts";
import type { ApiKey } from "../../../domain/customer/customer.ts";
import {
  type ClaimedMail,
  CUSTOMER_DISABLED,
  type KeptMail,
  MAIL_LEASE_MS,
  type MailContent,
  type MailKind,
  type MailOutcome,
  type MailRetry,
  type MailStatus,
  MOST_MAIL_WAIT_MS,
  type NewMail,
} from "../../../domain/customer/mail.ts";
import type { MailStore } from "../../../domain/ports/store/mails.ts";
import { noteAct } from "./audit.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { CUSTOMER_COLUMNS, customerFromRow } from "./customer_rows.ts";
import { disableKey, insertKey, keysOf } from "./key_rows.ts";
import { sql } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";

const dueMails = (nowMs: number, limit: number) =>
  sql`select id from mails indexed by mails_due where status = 'queued' and next_attempt_at <= ${nowMs}
    order by next_attempt_at, id limit ${limit}`;

const KEPT_COLUMNS = sql`id, kind, customer_id, status, attempts, next_attempt_at, last_problem, created_at,
    finished_at`;

export function createMails(connection: Connection): Part<keyof MailStore> {
  return {
    claimMails: ({ nowMs, leaseMs, limit }) => {
      // Most calls find nothing, so they must not take the write lock.
      if (connection.get(dueMails(nowMs, 1)) === undefined) return [];
      return connection.transaction("durable", () => {
        const due = connection.all(dueMails(nowMs, limit));
        return due.map((row) => claim(connection, String(row["id"]), nowMs + leaseMs));
      });
    },

    storeWelcomeKey: (mailId, attempt, key) =>
      connection.transaction("durable", () => storeWelcomeKey(connection, { mailId, attempt, key })),

    finishMail: (mailId, attempt, outcome, nowMs) =>
      connection.transaction("durable", () => finish(connection, { mailId, attempt, outcome, nowMs })),

    listMails: ({ limit, before = null, status = null, customerId }) => {
      const ofCustomer = customerId === undefined
        ? sql`indexed by mails_by_age where true`
        : sql`indexed by mails_by_customer where customer_id = ${customerId}`;
      return connection.all(
        sql`select ${KEPT_COLUMNS} from mails ${ofCustomer} and (${status} is null or status = ${status})
            and (${before} is null
              or (created_at, id) < (select created_at, id from mails where id = ${before}))
          order by created_at desc, id desc limit ${limit}`,
      ).map(keptFromRow);
    },

    findMail: (id) => {
      const row = connection.get(sql`select ${KEPT_COLUMNS} from mails where id = ${id}`);
      return row === undefined ? null : keptFromRow(row);
    },

    retryMail: (id, by) => connection.transaction("durable", () => retry(connection, id, by)),

    cancelMail: (id, by) =>
      connection.transaction("durable", () => {
        const row = connection.get(
          sql`update mails set status = 'cancelled', finished_at = ${by.atMs},
             last_problem = coalesce(nullif(last_problem, ${CUSTOMER_DISABLED}), 'the operator cancelled it')
           where id = ${id} and status in ('queued', 'failed') returning customer_id, kind`,
        );
        if (row === undefined) return false;
        noteAct(connection, by, "mail.cancel", String(row["customer_id"]), { mail: id, kind: row["kind"] });
        return true;
      }),

    blankMails: ({ finishedUntilMs, limit }) => {
      const due = connection.all(
        sql`select id from mails indexed by mails_to_blank
          where status in ('sent', 'cancelled') and data <> '{}' and finished_at <= ${finishedUntilMs}
          order by finished_at limit ${limit}`,
      );
      if (due.length === 0) return 0;
      const ids = JSON.stringify(due.map((row) => row["id"]));
      connection.transaction("relaxed", () =>
        connection.run(
          sql`update mails set data = '{}', last_problem = null
            where status in ('sent', 'cancelled') and id in (select value from json_each(${ids}))`,
        ));
      return due.length;
    },
  };
}

function retry(connection: Connection, id: string, by: Act): MailRetry {
  // A lease also sets next_attempt_at. If that time is beyond the end of any lease, the email is not being sent.
  const row = connection.get(
    sql`update mails set status = 'queued', tries = 0, next_attempt_at = ${by.atMs}, finished_at = null
     where id = ${id} and (
       (status in ('failed', 'cancelled') and (kind = 'welcome' or data <> '{}'))
       or (status = 'queued' and next_attempt_at > ${by.atMs} and (attempts = 0
         or next_attempt_at > ${by.atMs + MAIL_LEASE_MS})))
     returning customer_id, kind`,
  );
  if (row === undefined) {
    const waits = connection.get(sql`select 1 from mails where id = ${id} and status = 'queued'`);
    return waits === undefined ? "over" : "soon";
  }
  noteAct(connection, by, "mail.retry", String(row["customer_id"]), { mail: id, kind: row["kind"] });
  return "queued";
}

/** Queues an email in the caller's transaction. Returns false if one with the same deduplication key exists. */
export function queueMail(connection: Connection, mail: NewMail): boolean {
  return connection.run(
    sql`insert into mails (id, kind, customer_id, data, once_key, next_attempt_at, created_at)
      values (${mail.id}, ${mail.kind}, ${mail.customerId}, ${JSON.stringify(mail.data)}, ${mail.onceKey},
        ${mail.dueAtMs ?? mail.atMs}, ${mail.atMs}) on conflict (once_key) do nothing`,
  ) === 1;
}

/** Whether an email with one of these deduplication keys has ever been queued. */
export function wasWritten(connection: Connection, onceKeys: readonly string[]): boolean {
  return onceKeys.some((key) =>
    connection.get(sql`select 1 from mails where once_key = ${key}`) !== undefined
  );
}

export function welcomeKey(customerId: string): string {
  return `welcome:${customerId}`;
}

/** Whether a customer is still waiting for the welcome email, which states the tier. */
export function awaitsWelcome(connection: Connection, customerId: string): boolean {
  return connection.get(
    sql`select 1 from mails where once_key = ${welcomeKey(customerId)} and status in ('queued', 'failed')`,
  ) !== undefined;
}

/** If emails would wait too long because the clock was set back, makes them due now. */
export function adjustMailsForClockRollback(connection: Connection, nowMs: number): void {
  connection.run(
    sql`update mails set next_attempt_at = ${nowMs}
      where status = 'queued' and next_attempt_at > ${nowMs + MOST_MAIL_WAIT_MS}`,
  );
}

/** Makes a customer's welcome email due now if it has not been attempted yet. */
export function sendWelcomeNow(connection: Connection, customerId: string, nowMs: number): void {
  connection.run(
    sql`update mails set next_attempt_at = ${nowMs}
      where once_key = ${welcomeKey(customerId)} and status = 'queued' and attempts = 0
        and next_attempt_at > ${nowMs}`,
  );
}

/** Requeues a welcome email that failed, or that waited or was cancelled because its customer was disabled. */
export function requeueWelcome(
  connection: Connection,
  customerId: string,
  { after, nowMs }: { after: "failure" | "disabled"; nowMs: number },
): void {
  const condition = after === "failure"
    ? sql`status = 'failed'`
    : sql`status in ('queued', 'cancelled') and last_problem = ${CUSTOMER_DISABLED}`;
  connection.run(
    sql`update mails set status = 'queued', tries = 0, next_attempt_at = ${nowMs}, finished_at = null
      where once_key = ${welcomeKey(customerId)} and ${condition}`,
  );
}

/**
 * Cancels a queued or failed welcome email if its key is one of `hashes`, which the operator has replaced or disabled.
 * With null, always cancels it.
 */
export function cancelWelcome(
  connection: Connection,
  customerId: string,
  { hashes, nowMs }: { hashes: readonly string[] | null; nowMs: number },
): void {
  const ended = hashes === null ? null : JSON.stringify(hashes);
  connection.run(
    sql`update mails
      set status = 'cancelled', finished_at = ${nowMs}, last_problem = 'the operator replaced or disabled the key'
      where once_key = ${welcomeKey(customerId)} and status in ('queued', 'failed')
        and (${ended} is null or key_hash in (select value from json_each(${ended})))`,
  );
}

function claim(connection: Connection, id: string, leaseUntilMs: number): ClaimedMail {
  // The lease sets the time of the next attempt. If no result is recorded, the email becomes due again.
  const row = connection.get(
    sql`update mails set attempts = attempts + 1, tries = tries + 1, next_attempt_at = ${leaseUntilMs}
      where id = ${id} returning kind, data, attempts, tries, customer_id`,
  ) ?? {};
  const customerId = String(row["customer_id"]);
  const customer = connection.get(sql`select ${CUSTOMER_COLUMNS} from customers where id = ${customerId}`);
  if (customer === undefined) throw new Error(`email to the unknown customer ${customerId}`);
  const newest = connection.get(
    sql`select last_four from api_keys where customer_id = ${customerId} and disabled_at is null
      order by created_at desc limit 1`,
  );
  return {
    id,
    ...{ kind: row["kind"], data: JSON.parse(String(row["data"])) } as MailContent,
    attempt: Number(row["attempts"]),
    tries: Number(row["tries"]),
    customer: customerFromRow(customer),
    lastFour: (newest?.["last_four"] ?? null) as string | null,
  };
}

/** Returns the email if this attempt is its latest and has no result yet. */
function awaited(connection: Connection, mailId: string, attempt: number): Row | undefined {
  return connection.get(
    sql`select customer_id, key_hash from mails
      where id = ${mailId} and status = 'queued' and attempts = ${attempt}`,
  );
}

function storeWelcomeKey(
  connection: Connection,
  { mailId, attempt, key }: { mailId: string; attempt: number; key: ApiKey },
): boolean {
  const mail = awaited(connection, mailId, attempt);
  if (mail === undefined) return false;
  const customerId = String(mail["customer_id"]);
  const by = { actor: "service", atMs: key.createdAtMs };
  const before = mail["key_hash"] as string | null;
  if (before !== null) disableKey(connection, before, by.atMs);
  // The operator may have added a key with the same label in the meantime.
  const taken = keysOf(connection, customerId).filter((one) => keyStateOf(one, by.atMs) === "valid");
  const label = key.label === null ? null : freeLabel(key.label, taken.map((one) => one.label));
  insertKey(connection, customerId, { ...key, label });
  connection.run(sql`update mails set key_hash = ${key.hash} where id = ${mailId}`);
  noteAct(connection, by, "key.welcome", customerId, {
    label,
    last_four: key.lastFour,
    mail: mailId,
    attempt,
  });
  return true;
}

function finish(
  connection: Connection,
  { mailId, attempt, outcome, nowMs }: {
    mailId: string;
    attempt: number;
    outcome: MailOutcome;
    nowMs: number;
  },
): void {
  if (awaited(connection, mailId, attempt) === undefined) return;
  if (outcome.kind === "retry") {
    connection.run(
      sql`update mails set next_attempt_at = ${outcome.atMs}, last_problem = ${outcome.problem}
        where id = ${mailId}`,
    );
    return;
  }
  connection.run(
    sql`update mails
      set status = ${outcome.kind}, finished_at = ${nowMs},
        last_problem = ${outcome.kind === "sent" ? null : outcome.problem} where id = ${mailId}`,
  );
}

function keptFromRow(row: Row): KeptMail {
  return {
    id: String(row["id"]),
    kind: row["kind"] as MailKind,
    customerId: String(row["customer_id"]),
    status: row["status"] as MailStatus,
    attempts: Number(row["attempts"]),
    createdAtMs: Number(row["created_at"]),
    nextAttemptAtMs: row["status"] === "queued" ? Number(row["next_attempt_at"]) : null,
    finishedAtMs: row["finished_at"] as number | null,
    problem: row["last_problem"] as string | null,
  };
}
