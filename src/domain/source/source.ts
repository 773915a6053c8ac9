// Sources: where publications come from, with their settings and their stored state.
import type { StrategyRules } from "./extraction_rules.ts";

/** How a source is fetched. */
export const FETCH_STRATEGIES = ["feed", "files", "json", "html", "sparql", "sitemap"] as const;

/**
 * How a source is fetched: `feed` is RSS, Atom, RDF or JSON Feed over HTTP, `files` a watched folder of such documents,
 * `json` an API, `html` a listing, `sparql` an endpoint that answers queries, `sitemap` the changed pages of a site.
 */
export type FetchStrategy = typeof FETCH_STRATEGIES[number];

/** A source as the config describes it. */
export interface SourceSettings {
  id: string;
  nameEn: string;
  nameDe: string;
  /** Absolute address of the publisher's site; relative links without a better base are resolved against it. */
  baseUrl: string;
  fetchStrategy: FetchStrategy;
  /** The folder's path (`files`), else the address: of the document, of the list's first page, of the endpoint, of the map. */
  location: string;
  /** What the table of its strategy says; `feed` and `files` have none. */
  rules?: StrategyRules;
  /** Five- or six-field cron expression. */
  schedule: string;
  /** IANA time zone of the schedule, and of dates that state none. */
  timezone: string;
  /** ISO 639-1 codes in which the source publishes, its main language first. */
  languages: string[];
  /** `ai`: only what concerns AI regulation becomes an event; `all`: everything does. */
  relevance: "ai" | "all";
  /** The rule that tells its publications apart; without it, the one that the source has come to by itself. */
  identity?: IdentityRule;
  /** Its address in each language (all but `files` and `sparql`), by ISO 639-1 code; `location` is the first of them. */
  urls?: Readonly<Record<string, string>>;
  /** A regular expression whose first group is the language in an address; without it, the usual forms. */
  languagePattern?: string;
  /** Whether links may lead out of its folder (`files`). */
  followLinks?: boolean;
  /** Whether its documents are complete lists, so that what is missing in them is withdrawn. */
  removals?: boolean;
  /** Whether the first fetch notifies subscribers or only fills the store. */
  notifyFirstFetch: boolean;
  enabled: boolean;
  /** Fewer items in a fetch that brought a document are a failure; without it, none are too few. */
  minItems?: number;
  /** How long parsing one of its documents may take, ms. */
  parseTimeoutMs: number;
  /** Pause between two requests to the source's host, ms; without it, what the service leaves between any two. */
  crawlDelayMs?: number;
  /** The terms under which the publisher lets its texts be used again, in words. */
  reuse?: string;
  /**
   * A secret: the value of the `Authorization` header of the source's requests (`feed` only). It is for the host of
   * `location` alone: no redirect to another host carries it, and no log, answer or report shows it.
   */
  authorization?: string;
  /** Further headers of its requests by their lower-case names; as secret as `authorization`. */
  headers?: Readonly<Record<string, string>>;
  /** Nothing new for longer than this is silence, ms; without it, what its own history allows. */
  silentAfterMs?: number;
  /** A file of PEM certificates that are trusted for this source beside the system's. */
  caFile?: string;
}

/**
 * What tells two publications of a source apart: `guid`, `link`, `link+title`, or `pattern ` and a regular expression
 * whose first group is looked for in link and guid; `any-language ` before it leaves the language out of addresses.
 */
export type IdentityRule = string;

/**
 * The rules that follow each other by themselves: it starts as `guid` and only ever moves on, when a document shows
 * that the rule before gives two publications one identity, or one publication ever new ones.
 */
export const IDENTITY_RULES = ["guid", "link", "link+title"] as const;

/** What begins a rule that is a pattern: the rest of it is a regular expression. */
export const PATTERN_RULE = "pattern ";

/** What a fetch can come to; `empty` is fewer items than the source must have. */
export const FETCH_OUTCOMES = ["ok", "failing", "blocked", "empty"] as const;

/** See {@link FETCH_OUTCOMES}; `blocked`: the host refuses or throttles this client. */
export type FetchResult = typeof FETCH_OUTCOMES[number];

/** When a source had something new. */
export interface PublicationCadence {
  /** The last time, Unix ms; null until then. */
  lastAtMs: number | null;
  /** The latest UTC days with something new, as days since 1970, oldest first. */
  days: number[];
  /** Opaque: what the last fetch held. */
  seen: string;
}

/** Where an address of a source says that it has moved for good. */
export interface SourceMove {
  /** The address that the config named then: for another one this means nothing. */
  from: string;
  url: string;
  /** When it first said so, Unix ms. */
  sinceMs: number;
  /** From when on that address is asked, Unix ms; null while the answer has not been the same for long enough. */
  adoptedAtMs: number | null;
}

/** A part of a source that the last fetch did not have although it went well as a whole. */
export interface PartialFailure {
  /** An address, a page, a file: what is missing, as an operator knows it. */
  part: string;
  /** Why, in words. */
  reason: string;
  /** Since when it has been missing at each fetch, Unix ms. */
  sinceMs: number;
}

/** What the store knows of a source. Every time is in Unix ms. */
export interface SourceState {
  id: string;
  /** Opaque to the store: what the next fetch needs to ask only for what changed. */
  cursor: string | null;
  identityRule: IdentityRule;
  /** The rules before it, the latest first: what they knew is not new. */
  formerRules: IdentityRule[];
  /** The time zone in which the last fetch read dates without one; null before it. */
  timezone: string | null;
  /** How many new publications a fetch brings at most, as far as is remembered. */
  usualNew: number;
  /** Quarantined events of change spikes, which wait for the operator. */
  heldBack: number;
  firstSuccessAtMs: number | null;
  lastAttemptAtMs: number | null;
  lastSuccessAtMs: number | null;
  consecutiveFailures: number;
  /** Why the last fetch failed, null after a success. */
  lastError: string | null;
  nextDueAtMs: number;
  /** What the last fetch came to; null before the first one. */
  outcome: FetchResult | null;
  /** Since when it has been that. */
  outcomeSinceMs: number | null;
  cadence: PublicationCadence;
  /** Of each of its addresses that says so. */
  moves: SourceMove[];
  /** What its last success was without. */
  partialFailures: PartialFailure[];
  /**
   * When its publications were last taken only if they concern AI regulation; null once all of them have been looked at
   * without that.
   */
  narrowUntilMs: number | null;
  /** Until when its host wants to be left alone, whatever is asked of it; null when it does not say. */
  hostPausedUntilMs: number | null;
}

/** The state of a source of which nothing is known yet. */
export function untouchedSource(id: string, nextDueAtMs: number): SourceState {
  return {
    id,
    cursor: null,
    identityRule: "guid",
    formerRules: [],
    timezone: null,
    usualNew: 0,
    heldBack: 0,
    firstSuccessAtMs: null,
    lastAttemptAtMs: null,
    lastSuccessAtMs: null,
    consecutiveFailures: 0,
    lastError: null,
    nextDueAtMs,
    outcome: null,
    outcomeSinceMs: null,
    cadence: { lastAtMs: null, days: [], seen: "" },
    moves: [],
    partialFailures: [],
    narrowUntilMs: null,
    hostPausedUntilMs: null,
  };
}
