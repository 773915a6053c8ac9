// The part of the Store port that reads event records.
import type { EventType } from "../../event/event.ts";
import type { Provenance } from "../../event/provenance.ts";
import type { Severity } from "../../event/severity.ts";

/** Which events to list; every filter narrows, each list is any-of. */
export interface EventQuery {
  limit: number;
  /** Unix ms: `published_at` at or after. */
  since?: number;
  /** Unix ms: `published_at` at or before. */
  until?: number;
  source?: string;
  severityMin?: Severity;
  /** Parents expanded already. */
  topics?: readonly string[];
  eventTypes?: readonly EventType[];
  /** Canonical references; one stands for those within it. */
  articles?: readonly string[];
  languages?: readonly string[];
  /** Words that title or summary contain, all of them. */
  search?: readonly string[];
  /** Only the newest version of each publication, of those up to `asOf`. */
  latest?: boolean;
  /** Only events stored up to this position, as the list was then. */
  asOf?: { seq: number };
  /** Only events after this one in the list, which is sorted newest first. */
  before?: EventPosition;
  /** Only events stored after this position, in the order of storing. */
  after?: { seq: number };
}

export interface EventPosition {
  id: string;
  publishedAtMs: number;
  /** In the order of storing. */
  seq: number;
}

/** An event in a list: its position, and its stored JSON. */
export interface ListedEvent {
  id: string;
  publishedAtMs: number;
  json: string;
}

/** An event found by its id: the stored JSON of the record ({@link RegEvent}) and of its {@link Provenance}. */
export interface FoundEvent {
  json: string;
  provenance: string;
  /** The languages that were added later, by their codes, as JSON text: [{@link LaterLanguage}]. */
  later: string;
}

/** A language that was added after its event was stored. */
export interface LaterLanguage {
  language: string;
  /** URL of the publication in that language. */
  url: string;
  /** Unix ms. */
  added_at: number;
  provenance: Provenance;
}

export interface EventStore {
  /** Newest first by (`published_at`, id); with `after` in the order of storing. */
  listEvents(query: EventQuery): Promise<ListedEvent[]>;
  /** The position of an event, null if there is none. */
  findPosition(id: string): Promise<EventPosition | null>;
  /** The position of the event that was stored last, null if there is none. */
  lastPosition(): Promise<EventPosition | null>;
  /**
   * Identifies the state of all records: while it is the same, every list and every record is the same. SQLite reads it
   * once per millisecond (`nowMs`, Unix ms) and after each write of this process. An engine on another machine replaces
   * the read by a notification with a bound on its delay.
   */
  recordsState(nowMs: number): Promise<string>;
  /**
   * The stored JSON of the versions of the event's publication, oldest first: all, or the `latest` ones, or those
   * before the version `beforeId`. Empty without such an event or version.
   */
  listVersions(id: string, options?: { latest?: number; beforeId?: string | null }): Promise<string[]>;
  /** One event with its provenance, null if there is none. */
  findEvent(id: string): Promise<FoundEvent | null>;
}
