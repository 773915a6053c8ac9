// The part of the Store port that concerns sources: their state, their leases, and change spikes.
import type { ChangeSpike, ChangeVolume } from "../../source/change_volume.ts";
import type {
  FetchResult,
  IdentityRule,
  PartialFailure,
  PublicationCadence,
  SourceMove,
  SourceState,
} from "../../source/source.ts";

/** How a fetch ended, as it is stored. Every time is in Unix ms. */
export interface FetchEnd {
  sourceId: string;
  holder: string;
  atMs: number;
  /** The schedule that `nextDueAtMs` was computed with, see {@link RegisteredSource.schedule}. */
  schedule: string;
  nextDueAtMs: number;
  /** The earliest next fetch if the schedule has changed meanwhile: then the first run of the new one after this. */
  notBeforeMs: number;
  outcome: FetchResult;
  /**
   * Whether a failure counts against the source. A storage fault does not: what was recorded before it keeps waiting
   * and is judged with the next fetch.
   */
  isItsFault: boolean;
  /** Whether the next fetch continues where this one ended. The first success is a fetch that does not. */
  goesOn?: boolean;
  /** When the current outcome first occurred, Unix ms. */
  outcomeSinceMs: number;
  /** State for the next fetch; null keeps the previous one. */
  kept: {
    cursor: string | null;
    identityRule: IdentityRule;
    formerRules?: readonly IdentityRule[];
    timezone?: string;
  } | null;
  /** Why it failed, null for "ok". */
  error: string | null;
  cadence: PublicationCadence;
  moves: readonly SourceMove[];
  partialFailures: readonly PartialFailure[];
  /** See {@link SourceState.narrowUntilMs}. */
  narrowUntilMs: number | null;
  /** What its hosts asked for; a later stored time stays. `guessed`: the host did not say how long. */
  hosts: readonly { host: string; freeAtMs: number; pausedUntilMs: number; guessed?: boolean }[];
  /** Hosts that have answered every request since `sinceMs`; this ends guessed pauses that began earlier. */
  responded?: { hosts: readonly string[]; sinceMs: number };
}

export interface RegisteredSource {
  id: string;
  /** Null for a source without a host. */
  host: string | null;
  /** Everything that determines its runs; another text means another schedule. */
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
  /** `only`: sources that are due and whose hosts are not paused; `any`: all. */
  due: "only" | "any";
  /** Maximum number of leased sources per host. */
  perHost: number;
  /** How long a host is left alone after a source of it was leased, ms. */
  spacingOf(host: string): number;
}

/** Sources. Each call is one transaction. Every time is in Unix ms. */
export interface SourceStore {
  /**
   * Registers the sources of the config. A new one is due at once. One whose schedule has changed, or whose last fetch
   * is in the future because the clock was set back, is due at its next run at the latest; any other after a day at the
   * latest, or at its next run if that is later.
   */
  registerSources(sources: readonly RegisteredSource[], nowMs: number): Promise<void>;
  /** The state of every source that was ever registered, by id. */
  listSources(): Promise<SourceState[]>;
  isKnownSource(id: string): Promise<boolean>;
  /** Leases sources that nobody holds and whose host is free; the longest due first, at most `limit`. */
  claimSources(claim: SourceClaim): Promise<SourceState[]>;
  /** Extends a lease; false when another holder has it. */
  extendLease(lease: { sourceId: string; holder: string; untilMs: number }): Promise<boolean>;
  /**
   * Ends the lease and stores how the fetch ended. The source's events that waited for it can be matched, except those
   * that `judge` considers a change spike and the revisions of those: they are quarantined until they are released. The
   * first fetch is never judged. Returns how many events it quarantined. Throws {@link LeaseLostError}, and stores
   * nothing, when another holder has leased the source after `holder`.
   */
  finishFetch(end: FetchEnd, judge?: (arrivals: ChangeVolume) => ChangeSpike): Promise<number>;
  /** Ends the quarantine of the source's events: they are matched, or nobody is notified. Returns how many. */
  releaseEvents(sourceId: string, end: "deliver" | "discard"): Promise<number>;
}
