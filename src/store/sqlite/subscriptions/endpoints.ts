// Endpoint health in SQLite: updates it after attempts, judges it over time, and disables and enables subscriptions.
import { isDeepStrictEqual } from "node:util";
import {
  afterAttempt,
  type EndpointHealth,
  HALF_OPEN,
  MAX_PROBE_PAUSE_MS,
  type Pace,
  WARN_AFTER_MS,
} from "../../../domain/delivery/endpoint.ts";
import { disabledMail, type FailingEndpoint, planEndpoint } from "../../../domain/plans/endpoint_mail.ts";
import { PREVIOUS_SECRET_MS } from "../../../domain/delivery/secret.ts";
import type { DisabledReason } from "../../../domain/delivery/subscription.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { ATTEMPT_IS_RECORDED, holdDeliveries, pendingOf } from "../deliveries/delivery_states.ts";
import { adjustMailsForClockRollback, queueMail } from "../customers/mails.ts";
import { sql } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";

/** Minimum time in ms between two updates of the last success, so that not every delivery causes a write. */
const LAST_SUCCESS_STEP_MS = 60_000;

const HEALTH_COLUMNS =
  sql`webhook_url, pace, resume_at, first_failure_at, consecutive_failures, warned_at, slow_attempts,
      last_success_at`;

type Failing = FailingEndpoint & Pick<EndpointHealth, "warnedAtMs">;

interface Noted {
  webhookUrl: string;
  before: EndpointHealth;
  health: EndpointHealth;
  lastSuccessAtMs: number | null;
  succeeded: boolean;
}

/** The health of endpoints while a transaction records attempts. Each endpoint is read and written once. */
export class EndpointNotes {
  readonly #noted = new Map<string, Noted>();

  constructor(readonly connection: Connection, readonly nowMs: number) {}

  /** Whether the subscription still has this webhook URL. */
  goesTo(subscriptionId: string, webhookUrl: string): boolean {
    return this.#of(subscriptionId).webhookUrl === webhookUrl;
  }

  /** Notes the outcome of an attempt to deliver to the subscription's current webhook URL. */
  note(subscriptionId: string, attempt: { isSuccess: boolean; durationMs: number }): void {
    const noted = this.#of(subscriptionId);
    noted.health = afterAttempt(noted.health, { ...attempt, nowMs: this.nowMs });
    noted.succeeded ||= attempt.isSuccess;
  }

  #of(subscriptionId: string): Noted {
    return this.#noted.get(subscriptionId) ?? this.#read(subscriptionId);
  }

  #read(subscriptionId: string): Noted {
    const row = this.connection.get(
      sql`select ${HEALTH_COLUMNS} from subscriptions where id = ${subscriptionId}`,
    );
    if (row === undefined) throw new Error(`an attempt for the unknown subscription ${subscriptionId}`);
    const before = healthFromRow(row);
    const lastSuccessAtMs = row["last_success_at"] as number | null;
    const webhookUrl = String(row["webhook_url"]);
    const noted = { webhookUrl, before, health: before, lastSuccessAtMs, succeeded: false };
    this.#noted.set(subscriptionId, noted);
    return noted;
  }

  write(): void {
    for (const [subscriptionId, { before, health, lastSuccessAtMs, succeeded }] of this.#noted) {
      const isNew = lastSuccessAtMs === null ||
        Math.abs(this.nowMs - lastSuccessAtMs) >= LAST_SUCCESS_STEP_MS;
      if (isDeepStrictEqual(before, health) && !(succeeded && isNew)) continue;
      writeHealth(this.connection, subscriptionId, health);
      if (succeeded) {
        this.connection.run(
          sql`update subscriptions set last_success_at = ${this.nowMs} where id = ${subscriptionId}`,
        );
      }
      if (before.pace === "probing" && health.pace === "recovering") this.#clearBackoff(subscriptionId);
    }
  }

  /**
   * Makes an endpoint's waiting deliveries due, because it responds again. A later time that the receiver asked for
   * still applies. Deliveries with an attempt in progress are left alone.
   */
  #clearBackoff(subscriptionId: string): void {
    this.connection.run(
      sql`update deliveries indexed by deliveries_due
        set next_attempt_at = max(${this.nowMs}, coalesce(not_before, 0)), decided_at = ${this.nowMs}
        where ${pendingOf(subscriptionId)} and next_attempt_at > ${this.nowMs} and ${ATTEMPT_IS_RECORDED}`,
    );
  }
}

function healthFromRow(row: Row): EndpointHealth {
  return {
    pace: row["pace"] as Pace,
    resumeAtMs: Number(row["resume_at"]),
    firstFailureAtMs: row["first_failure_at"] as number | null,
    consecutiveFailures: Number(row["consecutive_failures"]),
    warnedAtMs: row["warned_at"] as number | null,
    slowAttempts: row["slow_attempts"] as number | null,
  };
}

function writeHealth(connection: Connection, subscriptionId: string, health: EndpointHealth): void {
  connection.run(
    sql`update subscriptions
      set pace = ${health.pace}, resume_at = ${health.resumeAtMs},
        first_failure_at = ${health.firstFailureAtMs}, consecutive_failures = ${health.consecutiveFailures},
        warned_at = ${health.warnedAtMs}, slow_attempts = ${health.slowAttempts} where id = ${subscriptionId}`,
  );
}

/**
 * Disables a subscription in the caller's transaction, holds its pending deliveries, and queues an email about it
 * unless `mailId` is null. Does nothing if the subscription is already disabled.
 */
export function disableSubscription(
  connection: Connection,
  subscriptionId: string,
  { by, nowMs, mailId, problem }: {
    by: DisabledReason;
    nowMs: number;
    mailId: string | null;
    problem: string | null;
  },
): void {
  const row = connection.get(
    sql`update subscriptions set disabled_at = ${nowMs}, disabled_by = ${by}
      where id = ${subscriptionId} and disabled_at is null and deleted_at is null
      returning customer_id, webhook_url, first_failure_at`,
  );
  if (row === undefined) return;
  holdDeliveries(connection, subscriptionId, nowMs);
  if (mailId === null) return;
  const mail = disabledMail({
    subscriptionId,
    customerId: String(row["customer_id"]),
    webhookUrl: String(row["webhook_url"]),
    firstFailureAtMs: row["first_failure_at"] as number | null,
  }, { by, nowMs, problem });
  queueMail(connection, { ...mail, id: mailId });
}

/** Enables a subscription in the caller's transaction. Its endpoint is probed first. */
export function enableSubscription(connection: Connection, subscriptionId: string): void {
  connection.run(
    sql`update subscriptions set disabled_at = null, disabled_by = null where id = ${subscriptionId}`,
  );
  writeHealth(connection, subscriptionId, HALF_OPEN);
}

export function createEndpoints(
  connection: Connection,
): Part<"judgeEndpoints" | "adjustForClockRollback"> {
  return {
    judgeEndpoints: ({ nowMs, newMailId }) => {
      const failing = connection.all(
        sql`select id, customer_id, webhook_url, first_failure_at, warned_at
          from subscriptions indexed by subscriptions_failing
          where first_failure_at is not null and disabled_at is null and deleted_at is null
            and first_failure_at <= ${nowMs - WARN_AFTER_MS}`,
      );
      const due = failing.map(failingFromRow)
        .filter((endpoint) => planEndpoint(endpoint, { nowMs, problem: null }) !== null);
      if (due.length > 0) {
        connection.transaction("durable", () => {
          for (const endpoint of due) apply(connection, endpoint, { nowMs, newMailId });
        });
      }
      return due.length;
    },

    adjustForClockRollback: (nowMs) =>
      connection.transaction("durable", () => {
        connection.run(
          sql`update subscriptions
            set first_failure_at = min(first_failure_at, ${nowMs}), warned_at = min(warned_at, ${nowMs}),
              resume_at = min(resume_at, ${nowMs + MAX_PROBE_PAUSE_MS})
            where first_failure_at > ${nowMs} or warned_at > ${nowMs}
              or resume_at > ${nowMs + MAX_PROBE_PAUSE_MS}`,
        );
        // A replaced secret must not sign for longer than a day from now.
        connection.run(
          sql`update subscriptions set previous_secret_until = ${nowMs + PREVIOUS_SECRET_MS}
            where previous_secret_until > ${nowMs + PREVIOUS_SECRET_MS}`,
        );
        adjustMailsForClockRollback(connection, nowMs);
        // A wait that began at a time that is now in the future begins again now, with the same length.
        return connection.run(
          sql`update deliveries
            set next_attempt_at = next_attempt_at - (decided_at - ${nowMs}),
              not_before = not_before - (decided_at - ${nowMs}), decided_at = ${nowMs}
            where status = 'pending' and decided_at > ${nowMs}`,
        );
      }),
  };
}

function failingFromRow(row: Row): Failing {
  return {
    subscriptionId: String(row["id"]),
    customerId: String(row["customer_id"]),
    webhookUrl: String(row["webhook_url"]),
    firstFailureAtMs: row["first_failure_at"] as number | null,
    warnedAtMs: row["warned_at"] as number | null,
  };
}

function apply(
  connection: Connection,
  endpoint: Failing,
  { nowMs, newMailId }: { nowMs: number; newMailId: () => string },
): void {
  const { subscriptionId } = endpoint;
  const problem = lastProblem(connection, subscriptionId);
  const plan = planEndpoint(endpoint, { nowMs, problem });
  if (plan === null) return;
  if (plan.kind === "disable") {
    disableSubscription(connection, subscriptionId, { by: "failing", nowMs, mailId: newMailId(), problem });
    return;
  }
  connection.run(sql`update subscriptions set warned_at = ${nowMs} where id = ${subscriptionId}`);
  queueMail(connection, { ...plan.mail, id: newMailId() });
}

/** Returns the problem of the last attempt for a pending delivery or, if there is none, for the newest failed one. */
function lastProblem(connection: Connection, subscriptionId: string): string | null {
  const row = connection.get(
    sql`select problem
      from deliveries indexed by deliveries_due join attempts on attempts.delivery_id = deliveries.id
        and attempts.number = deliveries.attempts where ${pendingOf(subscriptionId)}
      order by next_attempt_at desc limit 1`,
  ) ?? connection.get(
    sql`select problem
      from deliveries join attempts on attempts.delivery_id = deliveries.id
        and attempts.number = deliveries.attempts
      where subscription_id = ${subscriptionId} and status = 'failed' order by sequence desc limit 1`,
  );
  return (row?.["problem"] ?? null) as string | null;
}
