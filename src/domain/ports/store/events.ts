// The part of the Store port that reads event records.
import type { EventFilter } from "../../event/event_filter.ts";
import type { Provenance } from "../../event/provenance.ts";

/** Which events to list. All filters must match. In `topics`, parents are already expanded to their children. */
export interface EventQuery extends Partial<Omit<EventFilter, "exclude">> {
  limit: number;
  /** Only events published at or after this time (`published_at`), Unix ms. */
  since?: number;
  /** Only events published at or before this time (`published_at`), Unix ms. */
  until?: number;
  /** Only the newest version of each publication, among the events up to `asOf`. */
  latest?: boolean;
  /** Only events stored up to this position, so that later events do not change the list. */
  asOf?: { seq: number };
  /** Only events that follow this one in the list, which is sorted newest first. */
  before?: EventPosition;
  /** Only events stored after this position, in the order in which they were stored. */
  after?: { seq: number };
}

export interface EventPosition {
  id: string;
  publishedAtMs: number;
  /** The position in the order in which events were stored. */
  seq: number;
}

export interface ListedEvent {
  id: string;
  publishedAtMs: number;
  json: string;
}

/** An event found by its id, with the stored JSON of the record ({@link RegEvent}) and of its {@link Provenance}. */
export interface FoundEvent {
  json: string;
  provenance: string;
  /** The languages that were added later, sorted by code, as a JSON array of {@link LaterLanguage}. */
  later: string;
}

export interface LaterLanguage {
  language: string;
  url: string;
  added_at: number;
  provenance: Provenance;
}

export interface EventStore {
  /** Lists events, newest first by (`published_at`, id); with `after`, in the order in which they were stored. */
  listEvents(query: EventQuery): Promise<ListedEvent[]>;
  /** Returns how many events match, at most `limit`. */
  countEvents(query: EventQuery): Promise<number>;
  /** Returns the newest version of each publication that has or had one of these URLs, in any language, newest first. */
  listByUrl(urls: readonly string[]): Promise<ListedEvent[]>;
  /** Returns the position of an event, or null if the event does not exist. */
  findPosition(id: string): Promise<EventPosition | null>;
  /** Returns the position of the event that was stored last, or null if there is none. */
  lastPosition(): Promise<EventPosition | null>;
  /**
   * Identifies the state of all records. While it is unchanged, so is every list and every record. SQLite reads the
   * state at most once per millisecond (`nowMs`, Unix ms), and again after each write of this process. An engine on
   * another machine may instead use notifications that arrive within a fixed time.
   */
  recordsState(nowMs: number): Promise<string>;
  /**
   * Returns the stored JSON of the versions of the event's publication, oldest first: all of them, only the `latest`
   * ones, or only those before the version `beforeId`. Returns an empty list if the event or version does not exist.
   */
  listVersions(id: string, options?: { latest?: number; beforeId?: string | null }): Promise<string[]>;
  /** Returns an event with its provenance, or null if the event does not exist. */
  findEvent(id: string): Promise<FoundEvent | null>;
}
