// The subscriptions that events are matched against, cached until one of them changes.
import type { MatchedSubscription } from "../../../domain/delivery/subscription.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { subscriptionFromRow } from "../subscriptions/subscription_rows.ts";
import { sql } from "../connection/sql.ts";

export interface Candidate {
  subscription: MatchedSubscription;
  /** `seq` of the last event stored before the subscription was created. */
  afterSeq: number;
  customerEnabled: boolean;
  /** Whether the subscription is catching up, so that events matched now reach it later. */
  isCatchingUp: boolean;
}

export class Candidates {
  #version = -1;
  #byId: ReadonlyMap<string, Candidate> = new Map();

  constructor(readonly connection: Connection) {}

  /** Rereads the candidates if they have changed. Call this in the transaction that matches events. */
  refresh(): void {
    const version = subscriptionsVersion(this.connection);
    if (this.#version === version) return;
    const candidates = this.connection.all(sql`${CANDIDATES_SQL} order by subscriptions.id`).map(
      candidateFromRow,
    );
    this.#byId = new Map(candidates.map((candidate) => [candidate.subscription.id, candidate]));
    this.#version = version;
  }

  /** Returns the subscriptions that existed when the event was stored, except those that are catching up. */
  presentAt(seq: number): MatchedSubscription[] {
    return [...this.#byId.values()].filter(({ isCatchingUp, afterSeq }) => !isCatchingUp && afterSeq < seq)
      .map(({ subscription }) => subscription);
  }

  get isAnyBehind(): boolean {
    return this.#byId.values().some(({ isCatchingUp }) => isCatchingUp);
  }

  get(id: string): Candidate | undefined {
    return this.#byId.get(id);
  }
}

/** Returns a version that triggers increment whenever a subscription changes in a way that affects matching. */
function subscriptionsVersion(connection: Connection): number {
  return Number(connection.get(sql`select version from matching_state where id = 1`)?.["version"]);
}

const CANDIDATES_SQL = sql`select subscriptions.*, customers.enabled as customer_enabled
  from subscriptions join customers on customers.id = subscriptions.customer_id where deleted_at is null`;

export function readCandidate(connection: Connection, id: string): Candidate | undefined {
  const row = connection.get(sql`${CANDIDATES_SQL} and subscriptions.id = ${id}`);
  return row === undefined ? undefined : candidateFromRow(row);
}

function candidateFromRow(row: Row): Candidate {
  return {
    subscription: subscriptionFromRow(row),
    afterSeq: Number(row["after_seq"]),
    customerEnabled: row["customer_enabled"] === 1,
    isCatchingUp: row["resume_after"] !== null,
  };
}
