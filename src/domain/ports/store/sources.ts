// The part of the Store port for sources: their state, leases and change spikes.
import type { Act } from "../../customer/audit.ts";
import type { ChangeSpike, ChangeVolume } from "../../source/change_volume.ts";
import type { FetchRecord } from "../../source/fetch_record.ts";
import type {
  FetchResult,
  IdentityRule,
  PartialFailure,
  PublicationCadence,
  SourceMove,
  SourceState,
} from "../../source/source.ts";

/** How a fetch ended, as it is stored. All times are in Unix ms. */
export interface FetchEnd {
  sourceId: string;
  holder: string;
  atMs: number;
  /** The schedule from which `nextDueAtMs` was computed; see {@link RegisteredSource.schedule}. */
  schedule: string;
  nextDueAtMs: number;
  /** If the schedule changed during the fetch, the source is due at its next run or at this time, whichever is later. */
  notBeforeMs: number;
  outcome: FetchResult;
  /**
   * Whether a failure counts against the source. A storage fault does not: the events recorded before it keep waiting
   * and are judged with the next fetch.
   */
  isItsFault: boolean;
  /** Whether the next fetch continues where this one ended. If so, this is not yet the first success. */
  goesOn?: boolean;
  /** The time since which every fetch has had this outcome, Unix ms. */
  outcomeSinceMs: number;
  /** The state for the next fetch, or null to keep the previous one. */
  kept: {
    cursor: string | null;
    identityRule: IdentityRule;
    formerRules?: readonly IdentityRule[];
    timezone?: string;
  } | null;
  /** Why the fetch failed, or null if the outcome is "ok". */
  error: string | null;
  cadence: PublicationCadence;
  moves: readonly SourceMove[];
  partialFailures: readonly PartialFailure[];
  /** See {@link SourceState.narrowUntilMs}. */
  narrowUntilMs: number | null;
  /** The rest of the fetch's record. */
  record: Pick<FetchRecord, "startedAtMs" | "cause" | "counts" | "documentHash">;
  /** The pauses of hosts. A stored pause that ends later is kept. `guessed`: the host did not say how long to wait. */
  hosts: readonly { host: string; freeAtMs: number; pausedUntilMs: number; guessed?: boolean }[];
  /** Hosts that have responded to every request since `sinceMs`. This ends guessed pauses that began by then. */
  responded?: { hosts: readonly string[]; sinceMs: number };
}

export interface RegisteredSource {
  id: string;
  host: string | null;
  /** Contains everything that determines the source's runs. A different string means a different schedule. */
  schedule: string;
  nextRunAtMs: number;
}

export interface SourceClaim {
  nowMs: number;
  leaseMs: number;
  /** Identifies the process that holds the leases. */
  holder: string;
  limit: number;
  ids: readonly string[];
  /** `only`: sources that are due and whose hosts are not paused. `any`: all sources, due or not, paused or not. */
  due: "only" | "any";
  /** Maximum number of leased sources per host. */
  perHost: number;
  /** Returns how long a host rests after one of its sources was leased, ms. */
  spacingOf(host: string): number;
}

/** Sources. Each call is one transaction. All times are in Unix ms. */
export interface SourceStore {
  /**
   * Registers the sources of the config. A new source is due now. A source whose schedule has changed, or whose last
   * fetch is in the future because the clock was set back, is due no later than its next run. Any other source is due
   * within a day, or by its next run if that is later. Events of sources that are not in the config no longer wait for
   * the end of a fetch, and can be matched.
   */
  registerSources(sources: readonly RegisteredSource[], nowMs: number): Promise<void>;
  /** Returns the state of every source that was ever registered, sorted by id. */
  listSources(): Promise<SourceState[]>;
  isKnownSource(id: string): Promise<boolean>;
  /** Makes a source due now. Returns false if the source was never registered. */
  requestFetch(sourceId: string, by: Act): Promise<boolean>;
  /** Leases at most `limit` sources that are not leased and whose host is free, longest due first. */
  claimSources(claim: SourceClaim): Promise<SourceState[]>;
  /** Extends a lease. Returns false if another holder has it. */
  extendLease(lease: { sourceId: string; holder: string; untilMs: number }): Promise<boolean>;
  /**
   * Ends the lease, stores how the fetch ended, and records the fetch. The events that waited for the end of the fetch can now be matched.
   * Events that `judge` considers a change spike, and their revisions, are quarantined instead, until they are
   * released. The first fetch is never judged. Returns the number of events quarantined. If another holder has leased
   * the source since, throws a {@link LeaseLostError} and stores nothing.
   */
  finishFetch(end: FetchEnd, judge?: (arrivals: ChangeVolume) => ChangeSpike): Promise<number>;
  /** Returns the JSON of the events that a change spike holds, newest first by (`published_at`, id). */
  listHeldEvents(sourceId: string): Promise<string[]>;
  /**
   * Ends a source's quarantine: `deliver` matches the events, `discard` does not. Returns the number of events. If it is
   * 0, nothing is audited.
   */
  releaseEvents(sourceId: string, end: "deliver" | "discard", by: Act): Promise<number>;
}
