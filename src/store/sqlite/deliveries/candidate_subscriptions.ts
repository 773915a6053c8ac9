// The subscriptions that events are matched against, cached until one of them changes.
import type { MatchedSubscription } from "../../../domain/delivery/subscription.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { subscriptionFromRow } from "../subscriptions/subscription_rows.ts";
import { sql } from "../connection/sql.ts";

export interface Candidate {
  subscription: MatchedSubscription;
  /** `seq` of the last event stored before the subscription was created. */
  afterSeq: number;
  /** Events stored before the subscription belong to it if they were published since this time; null without a backfill. */
  backfillSinceMs: number | null;
  customerEnabled: boolean;
  /** Whether the subscription is catching up, so that events matched now reach it later. */
  isCatchingUp: boolean;
}

interface StoredEvent {
  seq: number;
  publishedAtMs: number;
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

  /**
   * Returns the subscriptions that existed when the event was stored, or whose backfill covers it, except those that are
   * catching up.
   */
  coveredBy(event: StoredEvent): MatchedSubscription[] {
    return [...this.#byId.values()].filter((candidate) =>
      !candidate.isCatchingUp && isCovered(candidate, event)
    )
      .map(({ subscription }) => subscription);
  }

  get isAnyBehind(): boolean {
    return this.#byId.values().some(({ isCatchingUp }) => isCatchingUp);
  }

  get(id: string): Candidate | undefined {
    return this.#byId.get(id);
  }
}

/** An event is matched long after it was stored if a change spike held it, and its release may follow a backfill. */
export function isCovered(
  { afterSeq, backfillSinceMs }: Candidate,
  { seq, publishedAtMs }: StoredEvent,
): boolean {
  return afterSeq < seq || (backfillSinceMs !== null && backfillSinceMs <= publishedAtMs);
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
    backfillSinceMs: row["backfill_since"] as number | null,
    customerEnabled: row["customer_enabled"] === 1,
    isCatchingUp: row["resume_after"] !== null,
  };
}
