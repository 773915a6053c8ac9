// The queue of deliveries in SQLite: claiming what is due.
import type { ClaimedDelivery } from "../../domain/delivery.ts";
import { MAX_PROBE_PAUSE_MS, type Pace, RECOVERY_PAUSE_MS } from "../../domain/endpoint.ts";
import type { Vault } from "../../domain/ports.ts";
import type { Store } from "../../domain/store.ts";
import type { Connection, Row } from "./connection.ts";
import { recordAttempts } from "./finished_attempts.ts";
import { subscriptionsVersion } from "./candidates.ts";
import { SecretReader } from "./seals.ts";
import type { Unwritten } from "./unwritten.ts";

/**
 * The due subscriptions with what a claim needs of them, each by one probe of the index instead of a walk over its
 * deliveries. A pause that is longer than any can be was decided before the clock was set back.
 */
export const DUE_SUBSCRIPTIONS_SQL = `
  with recursive waiting (id) as (
    select min(subscription_id) from deliveries indexed by deliveries_due where status = 'pending'
    union all
    select (select min(subscription_id) from deliveries indexed by deliveries_due
            where status = 'pending' and subscription_id > waiting.id)
    from waiting where waiting.id is not null),
  queues (id, due_at) as materialized (
    select waiting.id, (select min(next_attempt_at) from deliveries indexed by deliveries_due
      where status = 'pending' and subscription_id = waiting.id)
    from waiting where waiting.id is not null)
  select queues.id, due_at, pace, webhook_url, secret, previous_secret, previous_secret_until
  from queues cross join subscriptions on subscriptions.id = queues.id
  where due_at <= ? and (resume_at <= ? or resume_at > ?)`;

/** The due deliveries of one subscription, oldest first. A body without an ending is given as it stands, not joined. */
export const DUE_DELIVERIES_SQL = `
  select seq, id, event_id, cast(coalesce(body || ending, body) as blob) as body, attempts, tries, created_at,
    next_attempt_at
  from deliveries indexed by deliveries_due cross join delivery_bodies on delivery_seq = seq
    left join body_endings using (ending_seq)
  where status = 'pending' and subscription_id = ? and next_attempt_at <= ?
  order by next_attempt_at, seq limit ?`;

/** The columns of {@link DUE_DELIVERIES_SQL}. */
type Due = [
  seq: number,
  id: string,
  eventId: string,
  body: Uint8Array,
  attempts: number,
  tries: number,
  createdAtMs: number,
  dueAtMs: number,
];

/** The part of the free places that endpoints which answer leave to those that are probed. */
const PROBES_SHARE = 0.25;

/** How late it may be seen that another process has changed a subscription, ms. */
const FOREIGN_MS = 10;

type Claim = Parameters<Store["claimDeliveries"]>[0];

/** The part of the port that concerns the queue. */
export function createDeliveries(
  connection: Connection,
  { vault, unwritten }: { vault: Vault; unwritten: Unwritten },
): Pick<
  Store,
  "claimDeliveries" | "returnDeliveries" | "subscriptionsVersion" | "endLeases" | "finishAttempts"
> {
  const secrets = new SecretReader(vault);
  let known = { nowMs: -Infinity, transactions: -1, version: 0 };
  return {
    claimDeliveries: (claim) => {
      const { nowMs } = claim;
      const due = connection.all(DUE_SUBSCRIPTIONS_SQL, nowMs, nowMs, nowMs + MAX_PROBE_PAUSE_MS)
        .filter((row) => freePlaces(row, claim) + placesAhead(row, claim) > 0)
        .sort(inTurn);
      if (due.length === 0) return Promise.resolve([]);
      // What a loss of power could still take back is not sent.
      return Promise.resolve(unwritten.kept(
        connection.transaction("relaxed", () => claimFrom(connection, secrets, { due, claim })),
      ));
    },

    returnDeliveries: (claimed, nowMs) =>
      Promise.resolve(connection.transaction("relaxed", () => {
        for (const { id, attempt, dueAtMs } of claimed) {
          // It was due when it was leased: after a clock that was set back since, it is due now.
          connection.run(
            `update deliveries set attempts = attempts - 1,
               next_attempt_at = iif(status = 'pending', ?, next_attempt_at), decided_at = ?
             where id = ? and attempts = ?`,
            Math.min(dueAtMs, nowMs),
            nowMs,
            id,
            attempt,
          );
        }
      })),

    subscriptionsVersion: (nowMs) => {
      if (Math.abs(nowMs - known.nowMs) >= FOREIGN_MS || connection.transactions !== known.transactions) {
        known = { nowMs, transactions: connection.transactions, version: subscriptionsVersion(connection) };
      }
      return known.version;
    },

    endLeases: (claimed, nowMs) =>
      Promise.resolve(connection.transaction("relaxed", () => {
        for (const { id, attempt } of claimed) {
          connection.run(
            `update deliveries set next_attempt_at = ?, decided_at = ?
             where id = ? and status = 'pending' and attempts = ? and next_attempt_at > ?`,
            nowMs,
            nowMs,
            id,
            attempt,
            nowMs,
          );
        }
      })),

    finishAttempts: (finished, nowMs) =>
      connection.transactionThrough(() => recordAttempts(connection, finished, nowMs)),
  };
}

/** How many attempts may begin now for a subscription: one at a time while it is probed. */
function freePlaces(subscription: Row, { perSubscription, inFlight }: Claim): number {
  const most = subscription["pace"] === "probing" ? 1 : perSubscription;
  return most - (inFlight.get(String(subscription["id"])) ?? 0);
}

/** How many more may be claimed: an endpoint that is probed, or recovers at a bounded rate, gets nothing ahead. */
function placesAhead(subscription: Row, { ahead }: Claim): number {
  return subscription["pace"] === "steady" ? ahead.get(String(subscription["id"])) ?? 0 : 0;
}

/** The longest due first; endpoints that are probed come last: whoever answers is served before them. */
function inTurn(one: Row, other: Row): number {
  const probes = Number(one["pace"] === "probing") - Number(other["pace"] === "probing");
  return probes !== 0 ? probes : Number(one["due_at"]) - Number(other["due_at"]);
}

function claimFrom(
  connection: Connection,
  secrets: SecretReader,
  { due, claim }: { due: readonly Row[]; claim: Claim },
): ClaimedDelivery[] {
  const claimed: ClaimedDelivery[] = [];
  let counted = 0;
  const probes = due.filter((row) => row["pace"] === "probing").length;
  const kept = Math.min(probes, Math.ceil(claim.limit * PROBES_SHARE));
  for (const subscription of due) {
    const limit = subscription["pace"] === "probing" ? claim.limit : claim.limit - kept;
    const free = freePlaces(subscription, claim);
    const own = Math.max(0, Math.min(free, limit - counted));
    const more = placesAhead(subscription, claim);
    const room = own + Math.max(0, Math.min(more, free + more - own));
    if (room <= 0) continue;
    const rows = claimOf(connection, secrets, { subscription, claim, room });
    counted += Math.min(own, rows.length);
    claimed.push(...rows);
  }
  return claimed;
}

function claimOf(
  connection: Connection,
  secrets: SecretReader,
  { subscription, claim, room }: { subscription: Row; claim: Claim; room: number },
): ClaimedDelivery[] {
  const subscriptionId = String(subscription["id"]);
  const rows = connection.tuples(DUE_DELIVERIES_SQL, subscriptionId, claim.nowMs, room) as unknown as Due[];
  // The lease is the time of the next attempt: when nobody reports back, the delivery is simply due again, and has not
  // come further in its schedule: nobody knows whether that attempt was made. Rolled back: what fails here fails the
  // whole claim, so SQLite need not copy each page first to take back this statement alone.
  connection.run(
    `update or rollback deliveries set attempts = attempts + 1, next_attempt_at = ?, decided_at = ?, not_before = null
     where seq in (select value from json_each(?))`,
    claim.nowMs + claim.leaseMs,
    claim.nowMs,
    JSON.stringify(rows.map(([seq]) => seq)),
  );
  if (subscription["pace"] === "recovering") {
    keepPace(connection, subscriptionId, { claimed: rows.length, room, nowMs: claim.nowMs });
  }
  const webhookSecrets = secretsOf(subscription, secrets, claim.nowMs);
  return rows.map(([, id, eventId, body, attempts, tries, createdAtMs, dueAtMs]) => ({
    id,
    subscriptionId,
    eventId,
    webhookUrl: String(subscription["webhook_url"]),
    webhookSecrets,
    body,
    attempt: attempts + 1,
    tries: tries + 1,
    createdAtMs,
    dueAtMs,
  }));
}

/** An endpoint that recovers gets the next ones after a pause; when nothing is due any more, it has recovered. */
function keepPace(
  connection: Connection,
  subscriptionId: string,
  { claimed, room, nowMs }: { claimed: number; room: number; nowMs: number },
): void {
  const pace: Pace = claimed < room ? "steady" : "recovering";
  connection.run(
    "update subscriptions set pace = ?, resume_at = ? where id = ?",
    pace,
    pace === "steady" ? 0 : nowMs + claimed * RECOVERY_PAUSE_MS,
    subscriptionId,
  );
}

function secretsOf(subscription: Row, secrets: SecretReader, nowMs: number): string[] {
  const id = String(subscription["id"]);
  const present = secrets.read(id, "present", subscription["secret"] as Uint8Array);
  const previous = subscription["previous_secret"] as Uint8Array | null;
  if (previous === null || nowMs >= Number(subscription["previous_secret_until"])) return [present];
  return [present, secrets.read(id, "previous", previous)];
}
