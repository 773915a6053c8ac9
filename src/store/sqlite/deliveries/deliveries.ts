// The queue of deliveries in SQLite: claiming what is due.
import type { ClaimedDelivery } from "../../../domain/delivery/delivery.ts";
import type { Pace } from "../../../domain/delivery/endpoint.ts";
import { planEndpointSlots, planRecovery } from "../../../domain/plans/endpoint_pace.ts";
import {
  shareSlots,
  type WaitingCustomer,
  type WaitingSubscription,
} from "../../../domain/plans/share_slots.ts";
import type { Vault } from "../../../domain/ports/ports.ts";
import type { Store } from "../../../domain/ports/store/store.ts";
import type { Connection, Row, Value } from "../connection/connection.ts";
import { recordAttempts } from "./finished_attempts.ts";
import { SecretReader } from "../sealed_secrets.ts";

/** The customers with pending deliveries, in the order of their ids; each by one probe of the index. */
export const NEXT_CUSTOMER_SQL = `
  select customer_id from deliveries indexed by deliveries_due
  where status = 'pending' and is_replay = ? and customer_id > ? order by customer_id limit 1`;

/** The same for a customer's subscriptions, with the time of the first due delivery. */
export const NEXT_SUBSCRIPTION_SQL = `
  select subscription_id, next_attempt_at from deliveries indexed by deliveries_due
  where status = 'pending' and is_replay = ? and customer_id = ? and subscription_id > ?
  order by subscription_id, next_attempt_at limit 1`;

/** The due deliveries of a subscription, oldest first. */
export const DUE_DELIVERIES_SQL = `
  select seq from deliveries indexed by deliveries_due
  where status = 'pending' and is_replay = ? and customer_id = ? and subscription_id = ? and next_attempt_at <= ?
  order by next_attempt_at, seq limit ?`;

/** Deliveries as they are claimed. A body without an ending is returned as it is stored, not joined. */
const CLAIMED_SQL = `
  select seq, deliveries.id, event_id, cast(coalesce(body || ending, body) as blob) as body, attempts, tries, created_at
  from json_each(?) cross join deliveries on seq = value cross join delivery_bodies on delivery_seq = seq
    left join body_endings using (ending_seq)`;

/** The columns of {@link CLAIMED_SQL}. */
type ClaimedRow = [
  seq: number,
  id: string,
  eventId: string,
  body: Uint8Array,
  attempts: number,
  tries: number,
  createdAtMs: number,
];

/**
 * Maximum number of subscriptions that one claim skips because they are paused or no slot is free: while it has found
 * nothing, and when it has found something. The next claim continues there.
 */
const MAX_PASSED_OVER = { before: 300, after: 50 };

type Claim = Parameters<Store["claimDeliveries"]>[0];

/** The part of the port that concerns the queue. */
export function createDeliveries(
  connection: Connection,
  vault: Vault,
): Pick<Store, "claimDeliveries" | "endLeases" | "finishAttempts"> {
  const secrets = new SecretReader(vault);
  const queues = [new Queue(connection, 0), new Queue(connection, 1)];
  return {
    claimDeliveries: (claim) => {
      const shares = new Map(queues.flatMap((queue) => [...queue.share(claim)]));
      if (shares.size === 0) return Promise.resolve([]);
      return Promise.resolve(
        connection.transaction("relaxed", () => claimShares(connection, secrets, { shares, claim })),
      );
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
      Promise.resolve(
        connection.transaction("durable", () => recordAttempts(connection, finished, nowMs)),
      ),
  };
}

/** A subscription with due deliveries. */
interface DueSubscription extends WaitingSubscription {
  customerId: string;
  /** How many deliveries its own limit allows. */
  freeSlots: number;
  /** The first due deliveries, as many as `ready`. */
  seqs: readonly number[];
}

/** The pending deliveries, or the replays, with the position in the rounds over them. */
class Queue {
  /** The customer that was served or skipped last, and the subscription of each customer. */
  #customer = "";
  readonly #subscriptions = new Map<string, string>();
  #skipped = 0;
  /** The subscriptions that were offered a slot, each with the one before it. */
  #offered = new Map<DueSubscription, string>();

  constructor(readonly connection: Connection, readonly isReplay: 0 | 1) {}

  /** Shares the free slots among what is due. */
  share(claim: Claim): Map<DueSubscription, number> {
    this.#skipped = 0;
    this.#offered = new Map();
    const { shares, lastCustomerId } = shareSlots(this.#customers(claim), claim.slots);
    if (lastCustomerId !== null) this.#customer = lastCustomerId;
    for (const [due, before] of this.#offered) {
      if (!shares.has(due)) this.#subscriptions.set(due.customerId, before);
    }
    return shares;
  }

  *#customers(claim: Claim): Generator<WaitingCustomer<DueSubscription>> {
    const next = (after: string) =>
      this.connection.get(NEXT_CUSTOMER_SQL, this.isReplay, after)?.["customer_id"];
    for (const id of around(this.#customer, next)) {
      if (this.#hasScannedEnough()) return;
      yield { id, subscriptions: this.#due(id, claim) };
      this.#customer = id;
    }
  }

  *#due(customerId: string, claim: Claim): Generator<DueSubscription> {
    let dueAtMs = Infinity;
    const next = (after: string) => {
      const row = this.connection.get(NEXT_SUBSCRIPTION_SQL, this.isReplay, customerId, after);
      dueAtMs = Number(row?.["next_attempt_at"]);
      return row?.["subscription_id"];
    };
    let before = this.#subscriptions.get(customerId) ?? "";
    for (const id of around(before, next)) {
      this.#subscriptions.set(customerId, id);
      const due = dueAtMs <= claim.nowMs ? this.#read(customerId, id, claim) : null;
      if (due !== null) {
        this.#offered.set(due, before);
        yield due;
      } else {
        this.#skipped++;
        if (this.#hasScannedEnough()) return;
      }
      before = id;
    }
  }

  #hasScannedEnough(): boolean {
    return this.#skipped >= (this.#offered.size === 0 ? MAX_PASSED_OVER.before : MAX_PASSED_OVER.after);
  }

  /** The deliveries of a subscription that may start now; null without any. */
  #read(customerId: string, id: string, { nowMs, perSubscription, slots }: Claim): DueSubscription | null {
    const { connection, isReplay } = this;
    const row = connection.get(
      "select pace, slow_attempts, resume_at from subscriptions where id = ? and deleted_at is null and closing = 0",
      id,
    );
    if (row === undefined) return null;
    const health = {
      pace: row["pace"] as Pace,
      slowAttempts: row["slow_attempts"] as number | null,
      resumeAtMs: Number(row["resume_at"]),
    };
    const plan = planEndpointSlots(health, {
      customerId,
      subscriptionId: id,
      isReplay: isReplay === 1,
      slots,
      perSubscription,
      nowMs,
    });
    if (plan === null) return null;
    const due = (replays: 0 | 1, limit: number) =>
      connection.tuples(DUE_DELIVERIES_SQL, replays, customerId, id, nowMs, limit);
    // Replays wait for what the subscription has not been sent yet.
    if (isReplay === 1 && due(0, 1).length > 0) return null;
    const { lane, free } = plan;
    const seqs = due(isReplay, free).map(([seq]) => Number(seq));
    return seqs.length === 0 ? null : { id, customerId, lane, freeSlots: free, seqs, ready: seqs.length };
  }
}

/** The ids after `start`, then those up to it; `next` gives the one after an id. */
function* around(start: string, next: (after: string) => Value | undefined): Generator<string> {
  for (const [from, to] of start === "" ? [["", null]] as const : [[start, null], ["", start]] as const) {
    for (let after: string = from;;) {
      const id = next(after);
      if (id === undefined || (to !== null && String(id) > to)) break;
      yield after = String(id);
    }
  }
}

/** Leases the planned deliveries, except those that another process has changed. */
function claimShares(
  connection: Connection,
  secrets: SecretReader,
  { shares, claim: { nowMs, leaseMs } }: { shares: ReadonlyMap<DueSubscription, number>; claim: Claim },
): ClaimedDelivery[] {
  const claimed: ClaimedDelivery[] = [];
  for (const [{ id: subscriptionId, customerId, lane, freeSlots: room, seqs }, share] of shares) {
    const endpoint = connection.get(
      `select pace, webhook_url, secret, previous_secret, previous_secret_until
       from subscriptions where id = ? and deleted_at is null and closing = 0`,
      subscriptionId,
    );
    if (endpoint === undefined) continue;
    // The lease is the time of the next attempt: without a report the delivery is due again, at the same step of its
    // schedule. "or rollback": an error fails the whole claim, so SQLite need not copy each page for this statement
    // alone.
    const leased = connection.tuples(
      `update or rollback deliveries set attempts = attempts + 1, next_attempt_at = ?, decided_at = ?, not_before = null
       where seq in (select value from json_each(?)) and status = 'pending' and next_attempt_at <= ? returning seq`,
      nowMs + leaseMs,
      nowMs,
      JSON.stringify(seqs.slice(0, share)),
      nowMs,
    );
    if (endpoint["pace"] === "recovering") {
      const { pace, resumeAtMs } = planRecovery({ claimed: share, isAll: seqs.length < room, nowMs });
      connection.run(
        "update subscriptions set pace = ?, resume_at = ? where id = ?",
        pace,
        resumeAtMs,
        subscriptionId,
      );
    }
    const webhookUrl = String(endpoint["webhook_url"]);
    const webhookSecrets = secretsOf(subscriptionId, endpoint, { secrets, nowMs });
    const isLeased = new Set(leased.map(([seq]) => seq));
    const rows = connection.tuples(
      CLAIMED_SQL,
      JSON.stringify(seqs.filter((seq) => isLeased.has(seq))),
    ) as unknown as ClaimedRow[];
    for (const [, id, eventId, body, attempt, tries, createdAtMs] of rows) {
      claimed.push({
        id,
        customerId,
        subscriptionId,
        lane,
        eventId,
        webhookUrl,
        webhookSecrets,
        body,
        attempt,
        tries: tries + 1,
        createdAtMs,
      });
    }
  }
  return claimed;
}

function secretsOf(
  id: string,
  endpoint: Row,
  { secrets, nowMs }: { secrets: SecretReader; nowMs: number },
): string[] {
  const present = secrets.read(id, "present", endpoint["secret"] as Uint8Array);
  const previous = endpoint["previous_secret"] as Uint8Array | null;
  if (previous === null || nowMs >= Number(endpoint["previous_secret_until"])) return [present];
  return [present, secrets.read(id, "previous", previous)];
}
