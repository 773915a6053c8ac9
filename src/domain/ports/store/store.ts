// The Store port: use cases, each one atomic. An engine runs the pure decisions it is given inside its transaction.
import type { StorageProblem } from "./storage_fault.ts";
import type { ChangeSpike, ChangeVolume } from "../../source/change_volume.ts";
import type { AccountStore } from "./customers.ts";
import type { LocalizedText, RegEvent } from "../../event/event.ts";
import type { DeliveriesFor, DeliveryLogStore, RememberedResponse } from "./delivery_log.ts";
import type { EventStore } from "./events.ts";
import type { DailyAction, DailyGrant, DailyRequest } from "../../customer/daily_limit.ts";
import type { ClaimedDelivery, FinishedAttempt } from "../../delivery/delivery.ts";
import type { RunningAttempt } from "../../plans/share_slots.ts";
import type { Provenance } from "../../event/provenance.ts";
import type {
  FetchResult,
  IdentityRule,
  PartialFailure,
  PublicationCadence,
  SourceMove,
  SourceState,
} from "../../source/source.ts";
import type { MatchedSubscription, Subscription } from "../../delivery/subscription.ts";
import type { Tier, TierLimits } from "../../customer/tier.ts";
import type { MaintenanceStore } from "./maintenance.ts";

export type { KeyHolder } from "./customers.ts";
export type { EventPosition, EventQuery, FoundEvent, LaterLanguage, ListedEvent } from "./events.ts";

/** What identifies a publication within its source, and what its content is. */
export interface PublicationKey {
  /** The identity under the source's rule of today. */
  key: string;
  /**
   * Hash of the content that counts for revisions. A key that is not known is a new name of the publication whose
   * newest version has this content, if the source has one; it is remembered as such.
   */
  contentHash: string;
  /** Hash of the content without its dates; a publication is known by it as by the content. */
  textHash?: string;
  /** Its identities under earlier rules of the source, by which it may be known. */
  formerKeys?: readonly string[];
  /** The language of its words, where the source offers a publication in several. */
  language?: string;
}

/** The newest stored version of a publication. */
export interface StoredPublication {
  externalId: string;
  contentHash: string;
  version: number;
  /** By what it was found. */
  foundBy: "key" | "content" | "text" | "alias";
  /** Null when it was stored by a version that did not keep it, until it is seen again. */
  textHash: string | null;
  /** The content with a date that was seen once; null without one. */
  pendingHash: string | null;
  /** How often nothing but its date has moved. */
  dateMoves: number;
  /** How many identities it was given after the first. */
  renamings: number;
  withdrawn: boolean;
  /** Its identities, the first one first. */
  keys: readonly string[];
  /** The hash of its text by language, where the source offers several. */
  languages: ReadonlyMap<string, string>;
  /** The record as it is served. */
  event: RegEvent;
}

/** What becomes of one publication. */
export type RecordDecision =
  /** `after_fetch`: subscribers hear of it once its fetch is finished, unless it is judged a flood. */
  | { kind: "record"; event: RegEvent; provenance: Provenance; notify: boolean | "after_fetch" }
  /**
   * `hashedAnew`: what counts of it is hashed in another way than when it was stored, and known by the new hashes from now
   * on. `repeats`: it says in its language what the record says in another one, where the record has other words.
   * `untranslated`: the same where the record has none; what it says is known from now on.
   */
  | { kind: "unchanged"; hashedAnew?: true; repeats?: true; untranslated?: true }
  /**
   * Only what is no revision has changed: the new hash is kept, no record is made. `isPending`: the hash is kept beside
   * that of the content, to be known when it is seen again.
   */
  | { kind: "date_changed"; isPending?: boolean }
  /** The publication's newest record is there in one more language; it is served with it from then on. */
  | { kind: "translated"; words: LocalizedText; url: string; provenance: Provenance; atMs: number }
  /** Its words stand in the version that another language's item is recorded as: they are known from now on. */
  | { kind: "joined" }
  | { kind: "irrelevant" };

/** What becomes of a publication that a complete fetch did not hold. */
export type RemovalDecision =
  | Extract<RecordDecision, { kind: "record" | "unchanged" }>
  /** It is counted as missing once more. */
  | { kind: "missed" };

/** A publication that a complete fetch did not hold. */
export interface MissingPublication {
  stored: StoredPublication;
  /** Complete fetches in a row that did not hold it, the latest included. */
  missed: number;
}

/** How a fetch ended, as the store keeps it. Every time is in Unix ms. */
export interface FetchEnd {
  sourceId: string;
  /** Who holds the lease. */
  holder: string;
  atMs: number;
  /** The schedule that `nextDueAtMs` was counted with, as {@link RegisteredSource.schedule} says it. */
  schedule: string;
  nextDueAtMs: number;
  /** The earliest next fetch if the source has been given another schedule meanwhile: the first run of that after this. */
  notBeforeMs: number;
  outcome: FetchResult;
  /**
   * Whether a failure counts against the source; a storage fault does not, and what was recorded before it goes on
   * waiting, to be judged with what the next fetch brings.
   */
  isItsFault: boolean;
  /** Whether the next fetch goes on where this one ended: it is the first success then that does not. */
  goesOn?: boolean;
  /** Since when the outcome has been the same. */
  outcomeSinceMs: number;
  /** What the next fetch is given; null leaves what the last one left. */
  kept: {
    cursor: string | null;
    identityRule: IdentityRule;
    formerRules?: readonly IdentityRule[];
    timezone?: string;
  } | null;
  /** Why it is no success, null for "ok". */
  error: string | null;
  cadence: PublicationCadence;
  moves: readonly SourceMove[];
  partialFailures: readonly PartialFailure[];
  /** As {@link SourceState.narrowUntilMs} has it. */
  narrowUntilMs: number | null;
  /**
   * What its hosts want from now on; what is there already stays where it is later. A pause is `guessed` when the host has
   * not said for how long it wants to be left alone.
   */
  hosts: readonly { host: string; freeAtMs: number; pausedUntilMs: number; guessed?: boolean }[];
  /** Hosts that have answered well whatever was asked since a time: what was guessed of them before that is over. */
  responded?: { hosts: readonly string[]; sinceMs: number };
}

/** A source to be made known. */
export interface RegisteredSource {
  id: string;
  /** Null for what is no host's. */
  host: string | null;
  /** Whatever makes its runs fall as they do; another text means another schedule. */
  schedule: string;
  /** Unix ms. */
  nextRunAtMs: number;
}

/** Which sources to lease. */
export interface SourceClaim {
  nowMs: number;
  leaseMs: number;
  /** Who holds the leases: a text of its own for each process. */
  holder: string;
  limit: number;
  ids: readonly string[];
  /** `only`: those that are due and whose hosts are not paused; `any`: all. */
  due: "only" | "any";
  /** So many sources of one host are leased at the same time at most. */
  perHost: number;
  /** How long a host is left alone after a source of it was leased, ms. */
  spacingOf(host: string): number;
}

/** The counts behind the health report. */
export interface StoreHealth {
  pendingDeliveries: number;
  /** When the oldest pending delivery was created, Unix ms; null without one. */
  oldestPendingAtMs: number | null;
}

/**
 * What became of a wish to subscribe. `duplicate_held`: the tier holds one that is the same. `too_many_switched_off`: the
 * customer has {@link MAX_SWITCHED_OFF}. `backfill_limit_reached`: the day's backfills are used up.
 */
export type SubscribeResult =
  | "created"
  | "duplicate"
  | "duplicate_held"
  | "limit_reached"
  | "too_many_switched_off"
  | "backfill_limit_reached";

/** What a customer has used. */
export interface Usage {
  /** Events delivered or on their way this month. */
  deliveries: number;
  /** Deliveries that wait for a cause to end. */
  held: number;
  activeSubscriptions: number;
  /** When the customer was told that the month is nearly used, and that it is wholly used; null when not. */
  warnedAtMs: number | null;
  spentAtMs: number | null;
}

/** Everything that is kept. Every time is in Unix ms. */
export interface Store extends EventStore, AccountStore, DeliveryLogStore, MaintenanceStore {
  // Sources
  /**
   * Makes these sources known. One that was never seen is due at once. One whose schedule has changed, or whose last
   * fetch lies in the future because the clock was set back, is due at its next run at the latest; any other at the
   * latest after a day, or at its next run where that is later.
   */
  registerSources(sources: readonly RegisteredSource[], nowMs: number): Promise<void>;
  /** The state of every source that was ever known, by id. */
  listSources(): Promise<SourceState[]>;
  /** Whether a source of this id was ever made known. */
  isKnownSource(id: string): Promise<boolean>;
  /**
   * Leases those of the sources that are due, or all of them (`any`), unless somebody holds them or their host is not
   * free; the longest due first, at most `limit`.
   */
  claimSources(claim: SourceClaim): Promise<SourceState[]>;
  /** Holds a lease for longer; false when somebody else holds the source now. */
  extendLease(lease: { sourceId: string; holder: string; untilMs: number }): Promise<boolean>;
  /**
   * Ends the lease and keeps how the fetch ended. The source's events that waited for it go out to be matched; those
   * that `judge` takes for a flood are held back until they are released, and with them the revisions of what is held
   * back. It is not asked about the source's first fetch. Returns how many are held back by it. Throws
   * {@link LeaseLostError}, and keeps nothing, when somebody else has leased the source after the holder.
   */
  finishFetch(end: FetchEnd, judge?: (arrivals: ChangeVolume) => ChangeSpike): Promise<number>;
  /** Ends the holding back of the source's events: they are matched, or nobody is told of them. Returns how many. */
  releaseEvents(sourceId: string, end: "deliver" | "discard"): Promise<number>;

  // Events
  /**
   * Decides each publication with what is stored of it and records the outcome, all in one transaction. Returns the
   * decisions in order, once they survive a loss of power; the next call need not wait for that, and decides with what
   * this one has recorded. A recorded event with `notify` waits to be matched from the same transaction on. Throws
   * {@link LeaseLostError} when somebody else has leased the source after the `holder`, where one is named.
   */
  recordPublications<T extends PublicationKey>(
    sourceId: string,
    publications: readonly T[],
    decide: (publication: T, stored: StoredPublication | null) => RecordDecision,
    holder?: string,
  ): Promise<RecordDecision[]>;
  /** The decisions that {@link recordPublications} would take; nothing is written. */
  previewPublications<T extends PublicationKey>(
    sourceId: string,
    publications: readonly T[],
    decide: (publication: T, stored: StoredPublication | null) => RecordDecision,
  ): Promise<RecordDecision[]>;
  /**
   * Decides on the source's publications, dated at or after a time and not withdrawn, that a complete fetch did not
   * hold: `seen` are the external ids of those that it did. The decisions stand in the order of what is missing. Throws
   * {@link LeaseLostError} when somebody else has leased the source after the `holder`, where one is named.
   */
  recordRemovals(
    sourceId: string,
    fetch: { seen: ReadonlySet<string>; sinceMs: number; holder?: string },
    decide: (missing: readonly MissingPublication[]) => RemovalDecision[],
  ): Promise<RemovalDecision[]>;

  // Usage
  /** Requests counted for the customer on the UTC day ("2026-07-31"). */
  countedRequests(customerId: string, day: string): Promise<number>;
  /** What the customer has used in the UTC month ("2026-07"). */
  usageOf(customerId: string, month: string): Promise<Usage>;
  /** Takes of one of the customer's limits per UTC day, or refuses and changes nothing. */
  countDaily(customerId: string, request: DailyRequest): Promise<DailyGrant>;
  /** What the customer has used of those limits on the UTC day of the time. */
  usedToday(customerId: string, nowMs: number): Promise<Record<DailyAction, number>>;
  /** Adds to the counts; a crash may lose the call before it. */
  addRequests(counts: readonly { customerId: string; day: string; requests: number }[]): Promise<void>;

  // Subscriptions
  /**
   * Checks the limit and the duplicates and stores, as one; with it the answer, which is kept only if it was created.
   * With `backfill` it gets the stored events published since then before those that come; that counts towards the
   * backfills of the UTC day, of which `perDay` are allowed.
   */
  addSubscription(
    subscription: Subscription,
    activeLimit: number,
    options?: {
      answer?: RememberedResponse | undefined;
      backfill?: { sinceMs: number; perDay: number } | undefined;
    },
  ): Promise<SubscribeResult>;
  /** The customer's subscriptions that are not deleted, oldest first; nothing that is sealed is opened for them. */
  listSubscriptions(customerId: string): Promise<MatchedSubscription[]>;
  /** Null unless it is the customer's and not deleted. */
  findSubscription(customerId: string, id: string): Promise<Subscription | null>;

  // Deliveries
  /**
   * Takes events that wait, oldest first, asks for each what goes to which of the subscriptions that were there when
   * it was stored, and stores the deliveries, all in one transaction. `month` is the UTC month ("2026-07") of the
   * quota. What is over it is held, up to the customer's limit of held deliveries: from then on the subscription is
   * behind, and gets events by {@link DeliveryLogStore.catchUp}. Returns how many events were matched.
   */
  matchEvents(match: {
    nowMs: number;
    month: string;
    limit: number;
    tiers: Record<Tier, TierLimits>;
    /** For the mails that tell a customer how much of the month is used. */
    newMailId: () => string;
    deliveriesFor: DeliveriesFor;
  }): Promise<number>;
  /**
   * Leases due deliveries and counts the attempt: as many as have a free slot, shared as `shareSlots` says (in
   * src/domain/plans), and of each subscription at most `perSubscription` less those running; oldest first within one.
   * Of an endpoint that is probed one at a time.
   */
  claimDeliveries(claim: {
    nowMs: number;
    leaseMs: number;
    /** The delivery slots there are. */
    slots: number;
    /** How many of them may be taken by this call at most. */
    limit: number;
    perSubscription: number;
    /** The attempts that hold a slot. */
    running: Iterable<RunningAttempt>;
  }): Promise<ClaimedDelivery[]>;
  /**
   * Ends the leases of attempts that were broken off here: the attempts stay counted, and the deliveries are due now.
   * From one that has changed since nothing follows.
   */
  endLeases(claimed: readonly Pick<ClaimedDelivery, "id" | "attempt">[], nowMs: number): Promise<void>;
  /**
   * Records attempts and what follows from them, all in one transaction. An arrival counts whatever has happened to its
   * delivery meanwhile; from another outcome nothing follows unless its attempt is the latest and still awaited.
   */
  finishAttempts(finished: readonly FinishedAttempt[], nowMs: number): Promise<void>;
  /**
   * Lets held deliveries go whose cause has ended, oldest first, some hundreds a call, and then subscriptions go on that
   * are behind and paused. Returns how many of both; more may wait unless it is 0.
   */
  releaseHeld(release: {
    nowMs: number;
    month: string;
    tiers: Record<Tier, TierLimits>;
    newMailId: () => string;
  }): Promise<number>;

  // The whole
  health(): Promise<StoreHealth>;
  /**
   * The storage fault that there is now, null for none. While there is one, methods that meet it reject with a StorageError.
   * Call it regularly: it sees faults that no other method has met, and whether a fault is over.
   */
  fault(): Promise<StorageProblem | null>;
  close(): Promise<void>;
}
