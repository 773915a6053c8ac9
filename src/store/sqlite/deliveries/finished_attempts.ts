// Records batches of finished attempts in SQLite, with their effects on deliveries and endpoints.
import { type FinishedAttempt, MAX_KEPT_ATTEMPTS, type NextStep } from "../../../domain/delivery/delivery.ts";
import type { Connection } from "../connection/connection.ts";
import { applyTrigger, findState, findStates, markPendingDelivered } from "./delivery_states.ts";
import { disableSubscription, EndpointNotes } from "../subscriptions/endpoints.ts";
import { sql } from "../connection/sql.ts";

/** Records attempts in order, in the caller's transaction. */
export function recordAttempts(
  connection: Connection,
  finished: readonly FinishedAttempt[],
  nowMs: number,
): void {
  const notes = new EndpointNotes(connection, nowMs);
  for (const attempt of finished) {
    insertAttempt(connection, attempt);
    removeOldAttempts(connection, attempt.deliveryId, attempt.attempt);
  }
  let arrived: FinishedAttempt[] = [];
  const arrive = (): void => {
    arriveAll(connection, arrived, { notes, nowMs });
    arrived = [];
  };
  for (const attempt of finished) {
    if (attempt.next.kind === "delivered") arrived.push(attempt);
    else {
      arrive(); // a failure may affect all deliveries of the subscription, so earlier successes are applied first
      miss(connection, { ...attempt, next: attempt.next }, { notes, nowMs });
    }
  }
  arrive();
  notes.write();
}

/** Inserts an attempt unless it has already been recorded. */
function insertAttempt(connection: Connection, { deliveryId, attempt, result }: FinishedAttempt): void {
  const { startedAtMs, durationMs, statusCode, problem, response } = result;
  connection.run(
    sql`insert into attempts (delivery_id, number, started_at, duration_ms, status_code, problem, response)
      values (${deliveryId}, ${attempt}, ${startedAtMs}, ${durationMs}, ${statusCode}, ${problem},
        ${response}) on conflict (delivery_id, number) do nothing`,
  );
}

/** Keeps only the newest attempts, because a delivery can be replayed any number of times. */
function removeOldAttempts(connection: Connection, deliveryId: string, attempt: number): void {
  if (attempt <= MAX_KEPT_ATTEMPTS) return;
  connection.run(
    sql`delete from attempts where delivery_id = ${deliveryId} and number <= ${attempt - MAX_KEPT_ATTEMPTS}`,
  );
}

interface Recording {
  notes: EndpointNotes;
  nowMs: number;
}

/** Applies successes, which count even if the lease has expired or the delivery has been held or cancelled. */
function arriveAll(
  connection: Connection,
  finished: readonly FinishedAttempt[],
  { notes, nowMs }: Recording,
): void {
  for (const { subscriptionId, webhookUrl, result: { durationMs } } of finished) {
    if (notes.goesTo(subscriptionId, webhookUrl)) notes.note(subscriptionId, { isSuccess: true, durationMs });
  }
  const ids = finished.map(({ deliveryId }) => deliveryId);
  if (markPendingDelivered(connection, ids, nowMs) === ids.length) return;
  const states = findStates(connection, ids);
  for (const id of ids) if (!states.has(id)) throw new Error(`an attempt for the unknown delivery ${id}`);
  for (const delivery of states.values()) applyTrigger(connection, delivery, { trigger: "arrived", nowMs });
}

interface Missed extends FinishedAttempt {
  next: Exclude<NextStep, { kind: "delivered" }>;
}

function miss(
  connection: Connection,
  { deliveryId, webhookUrl, attempt, tries, result, next, mailId }: Missed,
  { notes, nowMs }: Recording,
): void {
  const delivery = findState(connection, deliveryId);
  if (delivery === null) throw new Error(`an attempt for the unknown delivery ${deliveryId}`);
  const { subscriptionId } = delivery;
  const isSameEndpoint = notes.goesTo(subscriptionId, webhookUrl);
  // A later attempt, a state change or a restart of the schedule has superseded this attempt.
  if (delivery.status !== "pending" || delivery.attempts !== attempt || delivery.tries !== tries - 1) return;
  if (isSameEndpoint) notes.note(subscriptionId, { isSuccess: false, durationMs: result.durationMs });
  if (!isSameEndpoint) {
    // The URL has changed, so the new endpoint gets the whole schedule.
    applyTrigger(connection, delivery, { trigger: "missed", nowMs, retry: { atMs: nowMs, tries: 0 } });
  } else if (next.kind === "retry") {
    applyTrigger(connection, delivery, { trigger: "missed", nowMs, retry: { ...next, tries } });
  } else if (next.kind === "failed") {
    applyTrigger(connection, delivery, { trigger: "exhausted", nowMs });
  } else {
    disableSubscription(connection, subscriptionId, { by: "gone", nowMs, mailId, problem: result.problem });
  }
}
