// The delivery queue in SQLite: claims due deliveries, ends their leases, and records finished attempts.
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
import type { Connection, Row } from "../connection/connection.ts";
import { recordAttempts } from "./finished_attempts.ts";
import { openHeaders, secretField } from "../sealed_secrets.ts";
import { sql, type Value } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";

/**
 * Maximum number of subscriptions that a claim skips in one queue because none of their deliveries can start now.
 * `before` applies until a subscription is offered a slot, and `after` from then on. The next claim continues where
 * this one stopped.
 */
const MAX_PASSED_OVER = { before: 300, after: 50 };

type Claim = Parameters<Store["claimDeliveries"]>[0];

export function createDeliveries(
  connection: Connection,
  vault: Vault,
): Part<"claimDeliveries" | "endLeases" | "finishAttempts"> {
  const queues = [new Queue(connection, 0), new Queue(connection, 1)];
  return {
    claimDeliveries: (claim) => {
      const shares = new Map(queues.flatMap((queue) => [...queue.share(claim)]));
      if (shares.size === 0) return [];
      return connection.transaction("relaxed", () => claimShares(connection, vault, { shares, claim }));
    },

    endLeases: (claimed, nowMs) =>
      connection.transaction("relaxed", () => {
        for (const { id, attempt } of claimed) {
          connection.run(
            sql`update deliveries set next_attempt_at = ${nowMs}, decided_at = ${nowMs}
              where id = ${id} and status = 'pending' and attempts = ${attempt} and next_attempt_at > ${nowMs}`,
          );
        }
      }),

    finishAttempts: (finished, nowMs) =>
      connection.transaction("durable", () => recordAttempts(connection, finished, nowMs)),
  };
}

interface DueSubscription extends WaitingSubscription {
  customerId: string;
  /** How many more attempts the subscription's own limit allows. */
  freeSlots: number;
  /** The `seq` of each delivery counted in `ready`, in the order in which they are due. */
  seqs: readonly number[];
}

/** The queue of regular deliveries or of replays. Customers take turns, and so do the subscriptions of a customer. */
class Queue {
  /** The customer after whom the next claim continues. */
  #customer = "";
  /** For each customer, the subscription after which the next claim continues. */
  readonly #subscriptions = new Map<string, string>();
  #skipped = 0;
  /** Subscriptions to which this claim offers a slot, each with the id of the one before it in the customer's round. */
  #offered = new Map<DueSubscription, string>();

  constructor(readonly connection: Connection, readonly isReplay: 0 | 1) {}

  /** Returns how many due deliveries of each subscription get a free slot. */
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
      this.connection.get(
        sql`select customer_id from deliveries indexed by deliveries_due
          where status = 'pending' and is_replay = ${this.isReplay} and customer_id > ${after}
          order by customer_id limit 1`,
      )?.["customer_id"];
    for (const id of around(this.#customer, next)) {
      if (this.#hasScannedEnough()) return;
      yield { id, subscriptions: this.#due(id, claim) };
      this.#customer = id;
    }
  }

  *#due(customerId: string, claim: Claim): Generator<DueSubscription> {
    let dueAtMs = Infinity;
    const next = (after: string) => {
      const row = this.connection.get(
        sql`select subscription_id, next_attempt_at from deliveries indexed by deliveries_due
          where status = 'pending' and is_replay = ${this.isReplay} and customer_id = ${customerId}
            and subscription_id > ${after} order by subscription_id, next_attempt_at limit 1`,
      );
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

  /** Returns the subscription with those of its deliveries that may start now, or null if none may. */
  #read(customerId: string, id: string, { nowMs, perSubscription, slots }: Claim): DueSubscription | null {
    const { connection, isReplay } = this;
    const row = connection.get(
      sql`select pace, slow_attempts, resume_at from subscriptions
        where id = ${id} and deleted_at is null and closing = 0`,
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
      connection.all(
        sql`select seq from deliveries indexed by deliveries_due
          where status = 'pending' and is_replay = ${replays} and customer_id = ${customerId}
            and subscription_id = ${id} and next_attempt_at <= ${nowMs}
          order by next_attempt_at, seq limit ${limit}`,
      ).map((row) => Number(row["seq"]));
    // Replays wait while regular deliveries of the subscription are due.
    if (isReplay === 1 && due(0, 1).length > 0) return null;
    const { lane, free } = plan;
    const seqs = due(isReplay, free);
    return seqs.length === 0 ? null : { id, customerId, lane, freeSlots: free, seqs, ready: seqs.length };
  }
}

/** Yields the ids after `start`, then those up to and including `start`. `next` returns the id after the given one. */
function* around(start: string, next: (after: string) => Value | undefined): Generator<string> {
  for (const [from, to] of start === "" ? [["", null]] as const : [[start, null], ["", start]] as const) {
    for (let after: string = from;;) {
      const id = next(after);
      if (id === undefined || (to !== null && String(id) > to)) break;
      yield after = String(id);
    }
  }
}

/** Leases the planned deliveries, except those that another process has changed since they were read. */
function claimShares(
  connection: Connection,
  vault: Vault,
  { shares, claim: { nowMs, leaseMs } }: { shares: ReadonlyMap<DueSubscription, number>; claim: Claim },
): ClaimedDelivery[] {
  const claimed: ClaimedDelivery[] = [];
  for (const [{ id: subscriptionId, customerId, lane, freeSlots: room, seqs }, share] of shares) {
    const endpoint = connection.get(
      sql`select pace, webhook_url, secret, previous_secret, previous_secret_until, headers from subscriptions
        where id = ${subscriptionId} and deleted_at is null and closing = 0`,
    );
    if (endpoint === undefined) continue;
    // The lease sets the time of the next attempt. If no result is recorded, the delivery becomes due again at the same
    // step of its schedule. With "or rollback", an error undoes the whole transaction, so no statement journal is
    // needed.
    const leased = connection.all(
      sql`update or rollback deliveries set attempts = attempts + 1, next_attempt_at = ${nowMs + leaseMs},
        decided_at = ${nowMs}, not_before = null
       where seq in (select value from json_each(${JSON.stringify(seqs.slice(0, share))}))
         and status = 'pending' and next_attempt_at <= ${nowMs} returning seq`,
    );
    if (endpoint["pace"] === "recovering") {
      const { pace, resumeAtMs } = planRecovery({ claimed: share, isAll: seqs.length < room, nowMs });
      connection.run(
        sql`update subscriptions set pace = ${pace}, resume_at = ${resumeAtMs} where id = ${subscriptionId}`,
      );
    }
    const webhookUrl = String(endpoint["webhook_url"]);
    const webhookSecrets = secretsOf(subscriptionId, endpoint, { vault, nowMs });
    const headers = openHeaders(vault, subscriptionId, endpoint["headers"] as Uint8Array | null);
    const isLeased = new Set(leased.map((row) => row["seq"]));
    const leasedSeqs = JSON.stringify(seqs.filter((seq) => isLeased.has(seq)));
    // Without an ending, `body || ending` is null.
    const rows = connection.all(
      sql`select deliveries.id, event_id, cast(coalesce(body || ending, body) as blob) as body, attempts, tries,
          created_at
        from json_each(${leasedSeqs}) cross join deliveries on seq = value
          cross join delivery_bodies on delivery_seq = seq left join body_endings using (ending_seq)`,
    );
    for (const row of rows) {
      claimed.push({
        id: String(row["id"]),
        customerId,
        subscriptionId,
        lane,
        eventId: String(row["event_id"]),
        webhookUrl,
        webhookSecrets,
        headers,
        body: row["body"] as Uint8Array,
        attempt: Number(row["attempts"]),
        tries: Number(row["tries"]) + 1,
        createdAtMs: Number(row["created_at"]),
      });
    }
  }
  return claimed;
}

/** Returns the secrets to sign with now, newest first. */
function secretsOf(id: string, endpoint: Row, { vault, nowMs }: { vault: Vault; nowMs: number }): string[] {
  const open = (sealed: Value | undefined) => vault.open(sealed as Uint8Array, secretField(id));
  const present = open(endpoint["secret"]);
  if (endpoint["previous_secret"] === null || nowMs >= Number(endpoint["previous_secret_until"])) {
    return [present];
  }
  return [present, open(endpoint["previous_secret"])];
}
