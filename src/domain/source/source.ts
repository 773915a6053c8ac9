// Sources: their settings and their stored state.
import type { StrategyRules } from "./extraction_rules.ts";

export const FETCH_STRATEGIES = ["feed", "files", "json", "html", "sparql", "sitemap"] as const;

/**
 * How a source is fetched. `feed`: RSS, Atom, RDF or JSON Feed over HTTP. `files`: the same formats in a watched
 * folder. `json`: an API. `html`: a listing page. `sparql`: a query endpoint. `sitemap`: the changed pages of a site.
 */
export type FetchStrategy = typeof FETCH_STRATEGIES[number];

export interface SourceSettings {
  id: string;
  nameEn: string;
  nameDe: string;
  /** Absolute URL of the publisher's site. Relative links are resolved against it if they have no better base. */
  baseUrl: string;
  fetchStrategy: FetchStrategy;
  /** The folder's path for `files`; otherwise, the URL of the document, first list page, endpoint or sitemap. */
  location: string;
  /** The rules from the strategy's table. `feed` and `files` have none. */
  rules?: StrategyRules;
  schedule: string;
  /** IANA time zone of the schedule, and of dates that state none. */
  timezone: string;
  /** ISO 639-1 codes of the source's languages, the main language first. */
  languages: string[];
  /** `ai`: only items about AI regulation become events. `all`: every item becomes an event. */
  relevance: "ai" | "all";
  /** The rule that identifies publications. If absent, a rule is found automatically. */
  identity?: IdentityRule;
  /** The URLs by language (ISO 639-1). `location` is the first of them. Not supported by `files` and `sparql`. */
  urls?: Readonly<Record<string, string>>;
  /** A regular expression whose first group is the language in a URL. If absent, forms such as `/de/` apply. */
  languagePattern?: string;
  /** Whether links may lead out of the folder (`files`). */
  followLinks?: boolean;
  /** Whether the source's documents are complete lists. If so, publications missing from them are withdrawn. */
  removals?: boolean;
  /** Whether the first fetch notifies subscribers or only fills the store. */
  notifyFirstFetch: boolean;
  enabled: boolean;
  /** Minimum number of items. A fetch of a document with fewer items fails. */
  minItems?: number;
  /** Maximum duration of parsing one document, ms. */
  parseTimeoutMs: number;
  /** Pause between two requests to the source's host, ms. If absent, the service's default applies. */
  crawlDelayMs?: number;
  reuse?: string;
  /**
   * The secret value of the `Authorization` header of the source's requests. It is sent only to the configured origin,
   * not after a redirect to another one, and never appears in a log, a response or a report.
   */
  authorization?: string;
  /** Further request headers by lower-case name. They are secret, like `authorization`. */
  headers?: Readonly<Record<string, string>>;
  /** Time without anything new after which the source is silent, ms. If absent, the history of the source decides. */
  silentAfterMs?: number;
  /** A file of PEM certificates that are trusted for this source in addition to the system's. */
  caFile?: string;
}

/**
 * How the publications of a source are identified: by `guid`, `link` or `link+title`, or by `pattern ` and a regular
 * expression, whose first group in the link or guid is the identity. With the prefix `any-language `, URLs that only
 * differ in the language are the same identity.
 */
export type IdentityRule = string;

/**
 * The rules that a source adopts automatically. A source starts with `guid` and moves to the next rule when a document
 * shows that the current one gives two publications the same identity, or one publication a new identity each time.
 */
export const IDENTITY_RULES = ["guid", "link", "link+title"] as const;

export const PATTERN_RULE = "pattern ";

/** The outcomes of a fetch. `empty`: fewer items than required. `blocked`: the host refuses or throttles requests. */
const FETCH_OUTCOMES = ["ok", "failing", "blocked", "empty"] as const;

export type FetchResult = typeof FETCH_OUTCOMES[number];

export interface PublicationCadence {
  /** When something new last appeared, Unix ms, or null if nothing has. */
  lastAtMs: number | null;
  /** The latest UTC days with something new, as days since 1970-01-01, oldest first. */
  days: number[];
  /** Identifies the items of the last fetch. Opaque to the store. */
  seen: string;
}

/** A permanent move of a source's URL, as reported by its host. */
export interface SourceMove {
  /** The URL in the config when the host reported the move. The move applies to no other URL. */
  from: string;
  url: string;
  /** When the host first reported the move, Unix ms. */
  sinceMs: number;
  /** When the new URL was adopted, Unix ms. Null until the host has reported the move for long enough. */
  adoptedAtMs: number | null;
}

/** A part that was missing from the last successful fetch of a source. */
export interface PartialFailure {
  /** The missing part, as it is shown to the operator: a URL, a page or a file. */
  part: string;
  reason: string;
  /** The time since which every fetch has missed the part, Unix ms. */
  sinceMs: number;
}

/** The stored state of a source. All times are in Unix ms. */
export interface SourceState {
  id: string;
  /** Makes the next fetch conditional. Opaque to the store. */
  cursor: string | null;
  identityRule: IdentityRule;
  /** The previous rules, latest first. Publications known under them are not new. */
  formerRules: IdentityRule[];
  /** The time zone that the last fetch assumed for dates that state none, or null before the first fetch. */
  timezone: string | null;
  /** The usual maximum number of new publications per fetch. */
  usualNew: number;
  /** Number of stored events, all versions included. */
  eventCount: number;
  /** Number of events that are quarantined as change spikes until the operator releases or discards them. */
  heldBack: number;
  firstSuccessAtMs: number | null;
  lastAttemptAtMs: number | null;
  lastSuccessAtMs: number | null;
  consecutiveFailures: number;
  /** Why the last fetch failed, or null after a success. */
  lastError: string | null;
  nextDueAtMs: number;
  /** The outcome of the last fetch, or null before the first. */
  outcome: FetchResult | null;
  /** The time since which every fetch has had this outcome. */
  outcomeSinceMs: number | null;
  cadence: PublicationCadence;
  moves: SourceMove[];
  partialFailures: PartialFailure[];
  /** When the source was last fetched with the relevance `ai`, or null after a complete fetch with `all`. */
  narrowUntilMs: number | null;
  /** When the latest pause of requests to the source's host ends, or null if there is none. */
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
    eventCount: 0,
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
