// The subscriptions that events are matched with, read once and kept until one of them changes.
import type { MatchedSubscription } from "../../../domain/delivery/subscription.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { subscriptionFromRow } from "../subscriptions/subscription_rows.ts";
import { sql } from "../connection/sql.ts";

/** A subscription that is not deleted. */
export interface Candidate {
  subscription: MatchedSubscription;
  /** Events up to this one were stored before the subscription. */
  afterSeq: number;
  customerEnabled: boolean;
  /** It catches up: it gets events that are matched now later. */
  isCatchingUp: boolean;
}

/** Every candidate of one state of the store. */
interface CandidateList {
  version: number;
  byId: ReadonlyMap<string, Candidate>;
  /** Those that get events as they come. */
  current: readonly Candidate[];
  currentSubscriptions: readonly MatchedSubscription[];
  /** Every current subscription existed before events after this one were stored. */
  lastAfterSeq: number;
}

/** The candidates of a store. */
export class Candidates {
  #list: CandidateList | null = null;

  constructor(readonly connection: Connection) {}

  /** Reloads the list if any process has changed it; call it in the transaction that matches. */
  refresh(): void {
    const version = subscriptionsVersion(this.connection);
    if (this.#list?.version !== version) this.#list = load(this.connection, version);
  }

  /** The subscriptions that existed when the event was stored, without those that catch up. */
  presentAt(seq: number): readonly MatchedSubscription[] {
    const { current, currentSubscriptions, lastAfterSeq } = this.#known();
    if (lastAfterSeq < seq) return currentSubscriptions;
    return current.filter(({ afterSeq }) => afterSeq < seq).map(({ subscription }) => subscription);
  }

  /** Whether a subscription catches up. */
  get isAnyBehind(): boolean {
    const { byId, current } = this.#known();
    return current.length < byId.size;
  }

  /** The candidate of that id. */
  get(id: string): Candidate | undefined {
    return this.#known().byId.get(id);
  }

  #known(): CandidateList {
    if (this.#list === null) throw new Error("the candidates were not read");
    return this.#list;
  }
}

/**
 * A number that triggers increment with each change of a subscription that matching depends on. An engine on another
 * machine replaces this read by a notification.
 */
function subscriptionsVersion(connection: Connection): number {
  return Number(connection.get(sql`select version from matching_state where id = 1`)?.["version"]);
}

const CANDIDATES_SQL = sql`
  select subscriptions.*, customers.enabled as customer_enabled
  from subscriptions join customers on customers.id = subscriptions.customer_id
  where deleted_at is null`;

/** One candidate, as it is stored now; undefined without one. */
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

function load(connection: Connection, version: number): CandidateList {
  const candidates = connection.all(sql`${CANDIDATES_SQL} order by subscriptions.id`).map(candidateFromRow);
  const current = candidates.filter(({ isCatchingUp }) => !isCatchingUp);
  return {
    version,
    byId: new Map(candidates.map((candidate) => [candidate.subscription.id, candidate])),
    current,
    currentSubscriptions: current.map(({ subscription }) => subscription),
    lastAfterSeq: current.reduce((last, { afterSeq }) => Math.max(last, afterSeq), -1),
  };
}
