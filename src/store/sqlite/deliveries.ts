// The queue of deliveries in SQLite: claiming what is due, recording what came of it.
import type { ClaimedDelivery, FinishedAttempt } from "../../domain/delivery.ts";
import type { Vault } from "../../domain/ports.ts";
import type { Store } from "../../domain/store.ts";
import type { Connection } from "./connection.ts";
import { holdDeliveries, markDelivered, returnToQuota } from "./delivery_states.ts";
import { SecretReader } from "./seals.ts";

/** The due subscriptions, each by one probe of the index instead of a walk over its deliveries. */
export const DUE_SUBSCRIPTIONS_SQL = `
  with recursive waiting (id) as (
    select min(subscription_id) from deliveries indexed by deliveries_due where status = 'pending'
    union all
    select (select min(subscription_id) from deliveries indexed by deliveries_due
            where status = 'pending' and subscription_id > waiting.id)
    from waiting where waiting.id is not null)
  select waiting.id as subscription_id,
    (select min(next_attempt_at) from deliveries indexed by deliveries_due
     where status = 'pending' and subscription_id = waiting.id) as due_at
  from waiting where waiting.id is not null`;

/** The due deliveries of one subscription, oldest first. */
export const DUE_DELIVERIES_SQL = `
  select seq, id, body, attempts, created_at
  from deliveries indexed by deliveries_due cross join delivery_bodies on delivery_seq = seq
  where status = 'pending' and subscription_id = ? and next_attempt_at <= ?
  order by next_attempt_at, seq limit ?`;

/** The part of the port that concerns the queue. */
export function createDeliveries(
  connection: Connection,
  vault: Vault,
): Pick<Store, "claimDeliveries" | "finishAttempts"> {
  const secrets = new SecretReader(vault);
  return {
    claimDeliveries: (claim) => {
      const due = dueSubscriptions(connection, claim.nowMs);
      if (due.length === 0) return Promise.resolve([]);
      return Promise.resolve(
        connection.transaction("relaxed", () => claimFrom(connection, secrets, { due, claim })),
      );
    },

    finishAttempts: (finished, nowMs) =>
      Promise.resolve(connection.transaction("durable", () => {
        for (const attempt of finished) finish(connection, attempt, nowMs);
      })),
  };
}

function dueSubscriptions(connection: Connection, nowMs: number): string[] {
  return connection.all(DUE_SUBSCRIPTIONS_SQL)
    .filter((row) => Number(row["due_at"]) <= nowMs)
    .sort((a, b) => Number(a["due_at"]) - Number(b["due_at"]))
    .map((row) => String(row["subscription_id"]));
}

function claimFrom(
  connection: Connection,
  secrets: SecretReader,
  { due, claim }: { due: readonly string[]; claim: Parameters<Store["claimDeliveries"]>[0] },
): ClaimedDelivery[] {
  const claimed: ClaimedDelivery[] = [];
  for (const subscriptionId of due) {
    const free = claim.perSubscription - (claim.inFlight.get(subscriptionId) ?? 0);
    const room = Math.min(free, claim.limit - claimed.length);
    if (room <= 0) continue;
    const target = connection.get(
      "select webhook_url, secret, previous_secret, previous_secret_until from subscriptions where id = ?",
      subscriptionId,
    );
    if (target === undefined) throw new Error(`deliveries of unknown subscription ${subscriptionId}`);
    const previous = target["previous_secret"] as Uint8Array | null;
    const webhookSecrets = [secrets.read(subscriptionId, "present", target["secret"] as Uint8Array)];
    if (previous !== null && claim.nowMs < Number(target["previous_secret_until"])) {
      webhookSecrets.push(secrets.read(subscriptionId, "previous", previous));
    }
    const rows = connection.all(DUE_DELIVERIES_SQL, subscriptionId, claim.nowMs, room);
    // The lease is the time of the next attempt: when nobody reports back, the delivery is simply due again.
    connection.run(
      `update deliveries set attempts = attempts + 1, tries = tries + 1, next_attempt_at = ?, decided_at = ?
       where seq in (select value from json_each(?))`,
      claim.nowMs + claim.leaseMs,
      claim.nowMs,
      JSON.stringify(rows.map((row) => row["seq"])),
    );
    for (const row of rows) {
      claimed.push({
        id: String(row["id"]),
        subscriptionId,
        webhookUrl: String(target["webhook_url"]),
        webhookSecrets,
        body: String(row["body"]),
        attempt: Number(row["attempts"]) + 1,
        createdAtMs: Number(row["created_at"]),
      });
    }
  }
  return claimed;
}

function finish(
  connection: Connection,
  { deliveryId, attempt, result, next }: FinishedAttempt,
  nowMs: number,
): void {
  connection.run(
    `insert into attempts (delivery_id, number, started_at, duration_ms, status_code, problem)
     values (?, ?, ?, ?, ?, ?) on conflict (delivery_id, number) do nothing`,
    deliveryId,
    attempt,
    result.startedAtMs,
    result.durationMs,
    result.statusCode,
    result.problem,
  );
  if (next.kind === "delivered") {
    // True whatever has happened meanwhile: an expired lease, a hold, a cancellation.
    markDelivered(connection, deliveryId, nowMs);
    return;
  }
  const row = connection.get(
    "select seq, subscription_id, arrived_at from deliveries where id = ? and status = 'pending' and attempts = ?",
    deliveryId,
    attempt,
  );
  if (row === undefined) return; // A later attempt, or a change of state, has overtaken this one.
  const seq = Number(row["seq"]);
  if (next.kind === "retry") {
    connection.run(
      "update deliveries set next_attempt_at = ?, decided_at = ? where seq = ?",
      next.atMs,
      nowMs,
      seq,
    );
  } else if (next.kind === "failed") {
    if (row["arrived_at"] === null) returnToQuota(connection, seq);
    // What arrived before stays delivered, although its replay failed.
    connection.run(
      "update deliveries set status = iif(arrived_at is null, 'failed', 'delivered'), finished_at = ? where seq = ?",
      nowMs,
      seq,
    );
  } else {
    const subscriptionId = String(row["subscription_id"]);
    connection.run(
      `update subscriptions set disabled_at = coalesce(disabled_at, ?), disabled_by = coalesce(disabled_by, 'gone')
       where id = ?`,
      nowMs,
      subscriptionId,
    );
    holdDeliveries(connection, subscriptionId, "disabled");
  }
}
