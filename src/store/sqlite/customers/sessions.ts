// Sessions, one-time links and submitted forms in SQLite.
import { keyStateOf } from "../../../domain/customer/api_key.ts";
import {
  FORM_LIFE_MS,
  isLinkValid,
  isSessionValid,
  MAX_LINK_MAILS_PER_HOUR,
  MAX_SESSIONS,
  type NewSession,
  type Session,
  SESSION_IDLE_MS,
  SESSION_LIFE_MS,
  type SessionFacts,
  SIGN_IN_LINK_MS,
  type SignInMethod,
  type Viewer,
} from "../../../domain/customer/session.ts";
import type { LinkMails, SessionOwner, SessionStore } from "../../../domain/ports/store/sessions.ts";
import { noteAct } from "./audit.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { CUSTOMER_COLUMNS, customerFromRow, findCustomer } from "./customer_rows.ts";
import { queueMail } from "./mails.ts";
import { type Sql, sql } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";

const HOUR_MS = 3_600_000;
const LINK_MAILS_KEPT_MS = 30 * 86_400_000;
/** Maximum number of rows that one call removes from each table. */
const REMOVED_AT_ONCE = 500;

export function createSessions(connection: Connection): Part<keyof SessionStore> {
  return {
    startSession: ({ viewer, ...session }) =>
      connection.transaction("durable", () => {
        if (!mayStart(connection, viewer, session)) return false;
        start(connection, viewer, session);
        return true;
      }),

    findSession: (hash) => {
      const row = connection.get(sql`${SESSIONS} where sessions.hash = ${hash}`);
      return row === undefined ? null : factsFromRow(connection, row);
    },

    noteSessionUse: (hash, { atMs, ipAddress }) =>
      connection.transaction("relaxed", () => {
        connection.run(
          sql`update sessions set last_seen_at = ${atMs}, ip_address = ${ipAddress} where hash = ${hash}`,
        );
      }),

    listSessions: (owner, nowMs) =>
      connection.all(
        sql`${SESSIONS} where ${ownedBy(owner)} order by sessions.last_seen_at desc, sessions.id desc`,
      ).map((row) => factsFromRow(connection, row))
        .filter((facts) => isSessionValid(facts, nowMs))
        .map(({ session }) => session),

    endSession: (hash) =>
      connection.transaction("durable", () => {
        connection.run(sql`delete from sessions where hash = ${hash}`);
      }),

    endSessions: (owner, which, by) =>
      connection.transaction("durable", () => {
        const chosen = "id" in which ? sql`id = ${which.id}` : sql`id is not ${which.except}`;
        const ended = connection.run(sql`delete from sessions where ${ownedBy(owner)} and ${chosen}`);
        if (ended > 0 && by !== null) {
          noteAct(connection, by, "session.end", customerOf(owner), {
            of: customerOf(owner) === null ? "operators" : "customer",
            sessions: ended,
          });
        }
        return ended;
      }),

    addSignInLink: ({ hash, viewer, createdAtMs }, by) =>
      connection.transaction("durable", () => {
        if (!hasAccess(connection, viewer)) return false;
        const { customerId, operator } = columnsOf(viewer);
        connection.run(
          sql`insert into sign_in_links (hash, customer_id, operator, created_at)
            values (${hash}, ${customerId}, ${operator}, ${createdAtMs})`,
        );
        if (by !== null) {
          noteAct(connection, by, "console.link", customerId, operator === null ? {} : { operator });
        }
        return true;
      }),

    findSignInLink: (hash, nowMs) => findLink(connection, hash, nowMs),

    redeemSignInLink: (hash, session) =>
      connection.transaction("durable", () => {
        const nowMs = session.createdAtMs;
        const viewer = findLink(connection, hash, nowMs);
        if (viewer === null || !mayStart(connection, viewer, session)) return null;
        connection.run(sql`update sign_in_links set redeemed_at = ${nowMs} where hash = ${hash}`);
        start(connection, viewer, session);
        return viewer;
      }),

    queueLinkMails: (mails) => {
      // Most unknown addresses are attacks or typing errors, which must not take the write lock.
      const customers = customersByEmail(connection, mails.email);
      if (customers.length === 0) return 0;
      return connection.transaction(
        "durable",
        () => customers.filter(({ id }) => queueLinkMail(connection, id, mails)).length,
      );
    },

    beginForm: ({ sessionId, formId }, nowMs) =>
      connection.transaction("durable", () => {
        const row = connection.get(
          sql`select is_finished, location from submitted_forms
            where session_id = ${sessionId} and form_id = ${formId}`,
        );
        if (row === undefined) {
          connection.run(
            sql`insert into submitted_forms (session_id, form_id, created_at)
              values (${sessionId}, ${formId}, ${nowMs})`,
          );
          return { kind: "new" };
        }
        if (row["is_finished"] === 0) return { kind: "running" };
        return { kind: "finished", location: row["location"] as string | null };
      }),

    finishForm: ({ sessionId, formId }, outcome) =>
      connection.transaction("durable", () => {
        connection.run(
          outcome.kind === "refused"
            ? sql`delete from submitted_forms where session_id = ${sessionId} and form_id = ${formId}`
            : sql`update submitted_forms set is_finished = 1, location = ${outcome.location}
              where session_id = ${sessionId} and form_id = ${formId}`,
        );
      }),

    removeOldSessions: (nowMs) => {
      for (const { find, remove } of removalsAt(nowMs)) {
        if (connection.get(sql`${find} limit 1`) === undefined) continue; // so that it need not take the write lock
        connection.transaction("relaxed", () => connection.run(remove));
      }
    },
  };
}

const SESSIONS = sql`select sessions.*, disabled_at, valid_until
  from sessions left join api_keys on api_keys.hash = key_hash`;

function factsFromRow(connection: Connection, row: Row): SessionFacts {
  const session = sessionFromRow(row);
  const { viewer } = session;
  return {
    session,
    customer: viewer.kind === "customer" ? findCustomer(connection, viewer.customerId) : null,
    key: row["key_hash"] === null ? null : {
      disabledAtMs: row["disabled_at"] as number | null,
      validUntilMs: row["valid_until"] as number | null,
    },
  };
}

function sessionFromRow(row: Row): Session {
  return {
    id: String(row["id"]),
    viewer: viewerFromRow(row),
    method: row["method"] as SignInMethod,
    createdAtMs: Number(row["created_at"]),
    lastSeenAtMs: Number(row["last_seen_at"]),
    client: { ipAddress: String(row["ip_address"]), userAgent: String(row["user_agent"]) },
  };
}

function viewerFromRow(row: Row): Viewer {
  return row["customer_id"] === null
    ? { kind: "operator", name: String(row["operator"]) }
    : { kind: "customer", customerId: String(row["customer_id"]) };
}

function columnsOf(viewer: Viewer): { customerId: string | null; operator: string | null } {
  return viewer.kind === "customer"
    ? { customerId: viewer.customerId, operator: null }
    : { customerId: null, operator: viewer.name };
}

function ownedBy(owner: SessionOwner): Sql {
  if (owner === "operators") return sql`operator is not null`;
  return "operator" in owner
    ? sql`operator = ${owner.operator}`
    : sql`sessions.customer_id = ${owner.customerId}`;
}

function customerOf(owner: SessionOwner): string | null {
  return owner === "operators" || "operator" in owner ? null : owner.customerId;
}

function hasAccess(connection: Connection, viewer: Viewer): boolean {
  return viewer.kind === "operator" || findCustomer(connection, viewer.customerId)?.enabled === true;
}

function mayStart(connection: Connection, viewer: Viewer, { keyHash, createdAtMs }: NewSession): boolean {
  if (!hasAccess(connection, viewer)) return false;
  if (keyHash === null) return true;
  const key = connection.get(
    sql`select disabled_at, valid_until from api_keys
      where hash = ${keyHash} and customer_id = ${columnsOf(viewer).customerId}`,
  );
  return key !== undefined &&
    keyStateOf({
        disabledAtMs: key["disabled_at"] as number | null,
        validUntilMs: key["valid_until"] as number | null,
      }, createdAtMs) !== "disabled";
}

function start(connection: Connection, viewer: Viewer, session: NewSession): void {
  const { id, hash, method, keyHash, createdAtMs, client } = session;
  const { customerId, operator } = columnsOf(viewer);
  connection.run(
    sql`insert into sessions (id, hash, customer_id, operator, method, key_hash, created_at, last_seen_at, ip_address,
        user_agent)
      values (${id}, ${hash}, ${customerId}, ${operator}, ${method}, ${keyHash}, ${createdAtMs}, ${createdAtMs},
        ${client.ipAddress}, ${client.userAgent})`,
  );
  if (keyHash !== null) {
    connection.run(sql`update api_keys set last_used_at = ${createdAtMs} where hash = ${keyHash}`);
  }
  const own = customerId === null ? sql`operator = ${operator}` : sql`customer_id = ${customerId}`;
  connection.run(
    sql`delete from sessions where id in (
      select id from sessions where ${own} and id <> ${id}
      order by last_seen_at desc limit -1 offset ${MAX_SESSIONS - 1})`,
  );
  if (viewer.kind === "operator") {
    const by = { actor: `console:${viewer.name}`, address: client.ipAddress, atMs: createdAtMs };
    noteAct(connection, by, "console.sign-in", null, { method });
  }
}

function findLink(connection: Connection, hash: string, nowMs: number): Viewer | null {
  const row = connection.get(sql`select * from sign_in_links where hash = ${hash}`);
  if (row === undefined) return null;
  const link = {
    createdAtMs: Number(row["created_at"]),
    redeemedAtMs: row["redeemed_at"] as number | null,
  };
  return isLinkValid(link, nowMs) ? viewerFromRow(row) : null;
}

function customersByEmail(connection: Connection, email: string): ReturnType<typeof customerFromRow>[] {
  return connection.all(
    sql`select ${CUSTOMER_COLUMNS} from customers indexed by customers_by_email
      where lower(email) = lower(${email}) and email <> '' and enabled = 1 order by created_at, id`,
  ).map(customerFromRow);
}

function queueLinkMail(
  connection: Connection,
  customerId: string,
  { returnTo, nowMs, newMailId }: LinkMails,
): boolean {
  const recent = connection.get(
    sql`select count(*) as mails from mails indexed by mails_by_customer
      where customer_id = ${customerId} and created_at > ${nowMs - HOUR_MS} and kind = 'sign-in'`,
  );
  if (Number(recent?.["mails"]) >= MAX_LINK_MAILS_PER_HOUR) return false;
  const id = newMailId();
  queueMail(connection, {
    id,
    kind: "sign-in",
    customerId,
    data: { requestedAtMs: nowMs, returnTo },
    onceKey: id,
    atMs: nowMs,
  });
  return true;
}

function removalsAt(nowMs: number): { find: Sql; remove: Sql }[] {
  const oldSessions = sql`select id from sessions
    where last_seen_at <= ${nowMs - SESSION_IDLE_MS} or created_at <= ${nowMs - SESSION_LIFE_MS}`;
  const oldLinks = sql`select hash from sign_in_links where created_at <= ${nowMs - SIGN_IN_LINK_MS}`;
  const oldForms = sql`select session_id, form_id from submitted_forms where created_at <= ${
    nowMs - FORM_LIFE_MS
  }`;
  const oldMails = sql`select id from mails indexed by mails_sign_in
    where kind = 'sign-in' and status <> 'queued' and created_at <= ${nowMs - LINK_MAILS_KEPT_MS}`;
  const limit = sql`limit ${REMOVED_AT_ONCE}`;
  return [
    { find: oldSessions, remove: sql`delete from sessions where id in (${oldSessions} ${limit})` },
    { find: oldLinks, remove: sql`delete from sign_in_links where hash in (${oldLinks} ${limit})` },
    {
      find: oldForms,
      remove: sql`delete from submitted_forms where (session_id, form_id) in (${oldForms} ${limit})`,
    },
    { find: oldMails, remove: sql`delete from mails where id in (${oldMails} ${limit})` },
  ];
}
