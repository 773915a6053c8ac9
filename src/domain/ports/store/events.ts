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
  /** A language in which the event's words are held. */
  languages?: readonly string[];
  /** Words that title or summary hold, all of them. */
  search?: readonly string[];
  /** Only the newest version of each publication, of those that the list is about. */
  latest?: boolean;
  /** Only what was stored up to this place: the list as it was then. */
  asOf?: { seq: number };
  /** Only what stands behind this event in the list; its order is newest first. */
  before?: EventPosition;
  /** Only what was stored after this place, in the order of storing. */
  after?: { seq: number };
}

/** Where an event stands in both orders. */
export interface EventPosition {
  id: string;
  /** Unix ms. */
  publishedAtMs: number;
  /** In the order of storing. */
  seq: number;
}

/** An event as it is listed: its place in the order, and its stored JSON. */
export interface ListedEvent {
  id: string;
  publishedAtMs: number;
  json: string;
}

/** An event as it is found by its id: the stored JSON of the record ({@link RegEvent}) and of its {@link Provenance}. */
export interface FoundEvent {
  json: string;
  provenance: string;
  /** The languages that came after it, by their codes, as JSON text: [{@link LaterLanguage}]. */
  later: string;
}

/** A language that came after its event was stored. */
export interface LaterLanguage {
  language: string;
  /** Address of the publication in that language. */
  url: string;
  /** Unix ms. */
  added_at: number;
  provenance: Provenance;
}

/** Event records, as they are read. */
export interface EventStore {
  /** Newest first by (`published_at`, id); with `after` in the order of storing. */
  listEvents(query: EventQuery): Promise<ListedEvent[]>;
  /** Where an event stands, null when there is none of that id. */
  findPosition(id: string): Promise<EventPosition | null>;
  /** Where the event stands that was stored last, null without one. */
  lastPosition(): Promise<EventPosition | null>;
  /**
   * Names the state of all records: while it is the same, every list and every record is. It is read once in a
   * millisecond (`nowMs`, Unix ms), and anew after each write of this store: only what another process stores can be
   * missed, and no longer than that.
   */
  recordsState(nowMs: number): Promise<string>;
  /**
   * The stored JSON of the versions of the event's publication, oldest first: all, or the `latest` ones, or those before
   * the version `beforeId`. Empty without such an event or version.
   */
  listVersions(id: string, options?: { latest?: number; beforeId?: string | null }): Promise<string[]>;
  /** One event with what it was made from, null when there is none of that id. */
  findEvent(id: string): Promise<FoundEvent | null>;
}
