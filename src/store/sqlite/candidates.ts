// The subscriptions that events are matched with, read once and kept until one of them changes.
import type { MatchedSubscription } from "../../domain/subscription.ts";
import type { Connection } from "./connection.ts";
import { SUBSCRIPTION_COLUMNS, subscriptionFromRow } from "./subscriptions.ts";

/** A subscription that is not deleted. */
export interface Candidate {
  subscription: MatchedSubscription;
  /** Events up to this one were stored before the subscription. */
  afterSeq: number;
  customerEnabled: boolean;
  /** It still gets events of the past: those that come now follow them. */
  isBackfilling: boolean;
}

/** Every candidate of one state of the store. */
interface CandidateList {
  version: number;
  byId: ReadonlyMap<string, Candidate>;
  all: readonly MatchedSubscription[];
  /** Whoever comes after this one was stored after every subscription. */
  lastAfterSeq: number;
}

/** The candidates of a store. */
export class Candidates {
  #list: CandidateList | null = null;

  constructor(readonly connection: Connection) {}

  /** Reads what has changed since the last call, by whichever process; call it in the transaction that matches. */
  refresh(): void {
    const version = subscriptionsVersion(this.connection);
    if (this.#list?.version !== version) this.#list = load(this.connection, version);
  }

  /** The subscriptions that were there when the event was stored. */
  presentAt(seq: number): readonly MatchedSubscription[] {
    const { all, byId, lastAfterSeq } = this.#known();
    if (lastAfterSeq < seq) return all;
    return [...byId.values()].filter((candidate) => candidate.afterSeq < seq)
      .map((candidate) => candidate.subscription);
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

/** A number that triggers move with each change of a subscription that matching depends on. */
function subscriptionsVersion(connection: Connection): number {
  return Number(connection.get("select version from matching_state where id = 1")?.["version"]);
}

function load(connection: Connection, version: number): CandidateList {
  const candidates = connection.all(
    `select ${SUBSCRIPTION_COLUMNS.split(/,\s*/).map((name) => `subscriptions.${name}`).join(", ")},
       after_seq, backfill_seq, customers.enabled as customer_enabled
     from subscriptions join customers on customers.id = subscriptions.customer_id
     where deleted_at is null order by subscriptions.id`,
  ).map((row): Candidate => ({
    subscription: subscriptionFromRow(row),
    afterSeq: Number(row["after_seq"]),
    customerEnabled: row["customer_enabled"] === 1,
    isBackfilling: row["backfill_seq"] !== null,
  }));
  return {
    version,
    byId: new Map(candidates.map((candidate) => [candidate.subscription.id, candidate])),
    all: candidates.map((candidate) => candidate.subscription),
    lastAfterSeq: candidates.reduce((last, { afterSeq }) => Math.max(last, afterSeq), -1),
  };
}
