// Sources: settings and stored state.
import type { StrategyRules } from "./extraction_rules.ts";

export const FETCH_STRATEGIES = ["feed", "files", "json", "html", "sparql", "sitemap"] as const;

/**
 * How a source is fetched: `feed` is RSS, Atom, RDF or JSON Feed over HTTP, `files` a watched folder of such documents,
 * `json` an API, `html` a listing, `sparql` an endpoint that answers queries, `sitemap` the changed pages of a site.
 */
export type FetchStrategy = typeof FETCH_STRATEGIES[number];

export interface SourceSettings {
  id: string;
  nameEn: string;
  nameDe: string;
  /** Absolute URL of the publisher's site; the base of relative links without a better one. */
  baseUrl: string;
  fetchStrategy: FetchStrategy;
  /** The folder's path (`files`), else the URL of the document, the first list page, the endpoint or the sitemap. */
  location: string;
  /** The table of its strategy; none for `feed` and `files`. */
  rules?: StrategyRules;
  /** Five- or six-field cron expression. */
  schedule: string;
  /** IANA time zone of the schedule, and of dates without one. */
  timezone: string;
  /** ISO 639-1 codes of its languages, the main one first. */
  languages: string[];
  /** `ai`: only items about AI regulation become events; `all`: every item does. */
  relevance: "ai" | "all";
  /** How its publications are identified; without it, the rule that the source has reached by itself. */
  identity?: IdentityRule;
  /** Its URL in each language (all but `files` and `sparql`), by ISO 639-1 code; `location` is the first of them. */
  urls?: Readonly<Record<string, string>>;
  /** A regular expression whose first group is the language in a URL; without it, the usual forms. */
  languagePattern?: string;
  /** Whether links may lead out of its folder (`files`). */
  followLinks?: boolean;
  /** Whether its documents are complete lists: publications missing from them are withdrawn. */
  removals?: boolean;
  /** Whether the first fetch notifies subscribers or only fills the store. */
  notifyFirstFetch: boolean;
  enabled: boolean;
  /** A fetch that returns a document with fewer items fails; without it, no number is too small. */
  minItems?: number;
  /** Maximum duration of parsing one of its documents, ms. */
  parseTimeoutMs: number;
  /** Pause between two requests to the source's host, ms; without it, the service's default. */
  crawlDelayMs?: number;
  /** The publisher's terms of reuse, in words. */
  reuse?: string;
  /**
   * A secret: the value of the `Authorization` header of the source's requests (`feed` only). Sent to the host of
   * `location` alone, never after a redirect to another host; never in a log, an answer or a report.
   */
  authorization?: string;
  /** Further headers of its requests by their lower-case names; secret like `authorization`. */
  headers?: Readonly<Record<string, string>>;
  /** The source is silent when nothing new comes for longer, ms; without it, its own history decides. */
  silentAfterMs?: number;
  /** A file of PEM certificates that are trusted for this source in addition to the system's. */
  caFile?: string;
}

/**
 * How the publications of a source are identified: `guid`, `link`, `link+title`, or `pattern ` and a regular expression
 * whose first group is searched in link and guid. With `any-language ` before it, the language in a URL does not count.
 */
export type IdentityRule = string;

/**
 * The rules that a source goes through by itself. It starts with `guid` and only moves forward: when a document shows
 * that the current rule gives two publications one identity, or one publication ever new ones.
 */
export const IDENTITY_RULES = ["guid", "link", "link+title"] as const;

/** The prefix of a rule with a regular expression. */
export const PATTERN_RULE = "pattern ";

/** The outcomes of a fetch; `empty`: fewer items than the source must have. */
export const FETCH_OUTCOMES = ["ok", "failing", "blocked", "empty"] as const;

/** See {@link FETCH_OUTCOMES}; `blocked`: the host refuses or throttles this client. */
export type FetchResult = typeof FETCH_OUTCOMES[number];

export interface PublicationCadence {
  /** The last time, Unix ms; null if never. */
  lastAtMs: number | null;
  /** The latest UTC days with something new, in days since 1970, oldest first. */
  days: number[];
  /** Opaque: the contents of the last fetch. */
  seen: string;
}

/** Where a URL of a source has moved permanently, as its host says. */
export interface SourceMove {
  /** The URL in the config at that time; the move counts for no other one. */
  from: string;
  url: string;
  /** The first time the host said so, Unix ms. */
  sinceMs: number;
  /** From when on the new URL is fetched, Unix ms; null until the answer has been the same for long enough. */
  adoptedAtMs: number | null;
}

/** A part that was missing in the last successful fetch of a source. */
export interface PartialFailure {
  /** What is missing, for the operator: a URL, a page, a file. */
  part: string;
  /** The reason, in words. */
  reason: string;
  /** Since when every fetch has missed it, Unix ms. */
  sinceMs: number;
}

/** The stored state of a source. Every time is in Unix ms. */
export interface SourceState {
  id: string;
  /** Opaque to the store: makes the next fetch conditional. */
  cursor: string | null;
  identityRule: IdentityRule;
  /** Its previous rules, the latest first: publications known under them are not new. */
  formerRules: IdentityRule[];
  /** The time zone of dates without one in the last fetch; null before the first. */
  timezone: string | null;
  /** The usual maximum number of new publications per fetch. */
  usualNew: number;
  /** Quarantined events of change spikes; the operator decides on them. */
  heldBack: number;
  firstSuccessAtMs: number | null;
  lastAttemptAtMs: number | null;
  lastSuccessAtMs: number | null;
  consecutiveFailures: number;
  /** Why the last fetch failed; null after a success. */
  lastError: string | null;
  nextDueAtMs: number;
  /** The outcome of the last fetch; null before the first. */
  outcome: FetchResult | null;
  /** When the current outcome first occurred, Unix ms; unchanged since then. */
  outcomeSinceMs: number | null;
  cadence: PublicationCadence;
  /** The permanent moves of its URLs. */
  moves: SourceMove[];
  /** The parts that its last success missed. */
  partialFailures: PartialFailure[];
  /** When its publications were last narrowed to AI regulation; null once all have been read again. */
  narrowUntilMs: number | null;
  /** Until when its host asks not to be requested; null when it does not say. */
  hostPausedUntilMs: number | null;
}

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
