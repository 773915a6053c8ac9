// The queue of mails in SQLite.
import type { Store } from "../../../domain/ports/store/store.ts";
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
import { noteAct } from "./audit.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { customerFromRow } from "./customer_rows.ts";
import { CUSTOMER_COLUMNS } from "./customer_rows.ts";
import { disableKey } from "./key_rows.ts";
import { insertKey } from "./key_rows.ts";

type MailMethods =
  | "claimMails"
  | "storeWelcomeKey"
  | "finishMail"
  | "listMails"
  | "retryMail"
  | "cancelMail"
  | "blankMails";

/** The due mails, the longest due first. */
export const DUE_MAILS_SQL = `select id from mails indexed by mails_due
  where status = 'queued' and next_attempt_at <= ? order by next_attempt_at, id limit ?`;

/** Finished mails with content, the oldest first. */
export const BLANK_MAILS_SQL = `select id from mails indexed by mails_to_blank
  where status in ('sent', 'cancelled') and data <> '{}' and finished_at <= ? order by finished_at limit ?`;

const KEPT_COLUMNS = `id, kind, customer_id, status, attempts, next_attempt_at, last_problem, created_at,
  finished_at`;

/** The part of the port that concerns mails. */
export function createMails(connection: Connection): Pick<Store, MailMethods> {
  return {
    claimMails: ({ nowMs, leaseMs, limit }) => {
      // Most calls find nothing: they must not take the write lock.
      if (connection.get(DUE_MAILS_SQL, nowMs, 1) === undefined) return Promise.resolve([]);
      return Promise.resolve(connection.transaction("durable", () => {
        const due = connection.all(DUE_MAILS_SQL, nowMs, limit);
        return due.map((row) => claim(connection, String(row["id"]), nowMs + leaseMs));
      }));
    },

    storeWelcomeKey: (mailId, attempt, key) =>
      Promise.resolve(
        connection.transaction("durable", () => storeWelcomeKey(connection, { mailId, attempt, key })),
      ),

    finishMail: (mailId, attempt, outcome, nowMs) =>
      Promise.resolve(
        connection.transaction("durable", () => finish(connection, { mailId, attempt, outcome, nowMs })),
      ),

    listMails: (query) => Promise.resolve(listMails(connection, query)),

    retryMail: (id, by) =>
      Promise.resolve(connection.transaction("durable", () => retry(connection, id, by))),

    cancelMail: (id, by) =>
      Promise.resolve(connection.transaction("durable", () => {
        const row = connection.get(
          `update mails set status = 'cancelled', finished_at = ?,
             last_problem = coalesce(nullif(last_problem, ?), 'the operator cancelled it')
           where id = ? and status in ('queued', 'failed') returning customer_id, kind`,
          by.atMs,
          CUSTOMER_DISABLED,
          id,
        );
        if (row === undefined) return false;
        noteAct(connection, by, "mail.cancel", String(row["customer_id"]), { mail: id, kind: row["kind"] });
        return true;
      })),

    blankMails: (blank) => Promise.resolve(blankMails(connection, blank)),
  };
}

function retry(connection: Connection, id: string, by: Act): MailRetry {
  // A lease is a time of the next attempt too: a mail that is due after any lease ends is not being sent.
  const row = connection.get(
    `update mails set status = 'queued', tries = 0, next_attempt_at = ?, finished_at = null
     where id = ? and (
       (status in ('failed', 'cancelled') and (kind = 'welcome' or data <> '{}'))
       or (status = 'queued' and next_attempt_at > ? and (attempts = 0 or next_attempt_at > ?)))
     returning customer_id, kind`,
    by.atMs,
    id,
    by.atMs,
    by.atMs + MAIL_LEASE_MS,
  );
  if (row === undefined) {
    const waits = connection.get("select 1 from mails where id = ? and status = 'queued'", id);
    return waits === undefined ? "over" : "soon";
  }
  noteAct(connection, by, "mail.retry", String(row["customer_id"]), { mail: id, kind: row["kind"] });
  return "queued";
}

function listMails(
  connection: Connection,
  { limit, before = null, status = null, customerId }: {
    limit: number;
    before?: string | null;
    status?: MailStatus | null;
    customerId?: string;
  },
): KeptMail[] {
  const wanted = `(? is null or status = ?)
    and (? is null or (created_at, id) < (select created_at, id from mails where id = ?))`;
  const given = [status, status, before, before, limit];
  const rows = customerId === undefined
    ? connection.all(
      `select ${KEPT_COLUMNS} from mails indexed by mails_by_age where ${wanted}
       order by created_at desc, id desc limit ?`,
      ...given,
    )
    : connection.all(
      `select ${KEPT_COLUMNS} from mails indexed by mails_by_customer where customer_id = ? and ${wanted}
       order by created_at desc, id desc limit ?`,
      customerId,
      ...given,
    );
  return rows.map(keptFromRow);
}

function blankMails(
  connection: Connection,
  { finishedUntilMs, limit }: { finishedUntilMs: number; limit: number },
): number {
  const due = connection.all(BLANK_MAILS_SQL, finishedUntilMs, limit);
  if (due.length === 0) return 0;
  connection.transaction("relaxed", () =>
    connection.run(
      `update mails set data = '{}', last_problem = null
       where status in ('sent', 'cancelled') and id in (select value from json_each(?))`,
      JSON.stringify(due.map((row) => row["id"])),
    ));
  return due.length;
}

/**
 * Queues a mail within the caller's transaction. Returns whether it was queued: of each deduplication key, one mail is
 * written.
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
    mail.dueAtMs ?? mail.atMs,
    mail.atMs,
  ) === 1;
}

/** Whether a mail with one of these deduplication keys was queued. */
export function wasWritten(connection: Connection, onceKeys: readonly string[]): boolean {
  return onceKeys.some((key) => connection.get("select 1 from mails where once_key = ?", key) !== undefined);
}

/** The deduplication key of a customer's welcome mail. */
export function welcomeKey(customerId: string): string {
  return `welcome:${customerId}`;
}

/** Whether a customer has not got its welcome mail yet, which names its tier. */
export function awaitsWelcome(connection: Connection, customerId: string): boolean {
  return connection.get(
    "select 1 from mails where once_key = ? and status in ('queued', 'failed')",
    welcomeKey(customerId),
  ) !== undefined;
}

/** After the clock was set back: mails that would wait too long are due now. */
export function adjustMailsForClockRollback(connection: Connection, nowMs: number): void {
  connection.run(
    "update mails set next_attempt_at = ? where status = 'queued' and next_attempt_at > ?",
    nowMs,
    nowMs + MOST_MAIL_WAIT_MS,
  );
}

/** Makes a welcome mail due that has not been tried yet. */
export function sendWelcomeNow(connection: Connection, customerId: string, nowMs: number): void {
  connection.run(
    `update mails set next_attempt_at = ?
     where once_key = ? and status = 'queued' and attempts = 0 and next_attempt_at > ?`,
    nowMs,
    welcomeKey(customerId),
    nowMs,
  );
}

/** Queues a failed welcome mail again, after a change of address. */
export function retryWelcome(connection: Connection, customerId: string, nowMs: number): void {
  connection.run(
    `update mails set status = 'queued', tries = 0, next_attempt_at = ?, finished_at = null
     where once_key = ? and status = 'failed'`,
    nowMs,
    welcomeKey(customerId),
  );
}

/** Queues a welcome mail that waited, or was cancelled, because its customer was disabled. */
export function returnWelcome(connection: Connection, customerId: string, nowMs: number): void {
  connection.run(
    `update mails set status = 'queued', tries = 0, next_attempt_at = ?, finished_at = null
     where once_key = ? and status in ('queued', 'cancelled') and last_problem = ?`,
    nowMs,
    welcomeKey(customerId),
    CUSTOMER_DISABLED,
  );
}

/** Cancels a queued or failed welcome mail: the customer has got another key. */
export function cancelWelcome(connection: Connection, customerId: string, nowMs: number): void {
  connection.run(
    `update mails set status = 'cancelled', finished_at = ?, last_problem = 'the operator gave out another key'
     where once_key = ? and status in ('queued', 'failed')`,
    nowMs,
    welcomeKey(customerId),
  );
}

function claim(connection: Connection, id: string, leaseUntilMs: number): ClaimedMail {
  // The lease is the time of the next attempt: without a report the mail is due again.
  const row = connection.get(
    `update mails set attempts = attempts + 1, tries = tries + 1, next_attempt_at = ? where id = ?
     returning kind, data, attempts, tries, customer_id`,
    leaseUntilMs,
    id,
  ) ?? {};
  const customerId = String(row["customer_id"]);
  const customer = connection.get(`select ${CUSTOMER_COLUMNS} from customers where id = ?`, customerId);
  if (customer === undefined) throw new Error(`mail to unknown customer ${customerId}`);
  const newest = connection.get(
    `select last_four from api_keys where customer_id = ? and disabled_at is null
     order by created_at desc limit 1`,
    customerId,
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

/** The mail while this attempt is its latest and still awaited. */
function awaited(connection: Connection, mailId: string, attempt: number): Row | undefined {
  return connection.get(
    "select customer_id, key_hash from mails where id = ? and status = 'queued' and attempts = ?",
    mailId,
    attempt,
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
  insertKey(connection, customerId, key);
  connection.run("update mails set key_hash = ? where id = ?", key.hash, mailId);
  noteAct(connection, by, "key.welcome", customerId, { last_four: key.lastFour, mail: mailId, attempt });
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
      "update mails set next_attempt_at = ?, last_problem = ? where id = ?",
      outcome.atMs,
      outcome.problem,
      mailId,
    );
    return;
  }
  connection.run(
    "update mails set status = ?, finished_at = ?, last_problem = ? where id = ?",
    outcome.kind,
    nowMs,
    outcome.kind === "sent" ? null : outcome.problem,
    mailId,
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
