// Where events stand, by their ids: whose place is known is read there, without the way down the index of all ids.
import type { Connection, Row } from "./connection.ts";

/** Ids that are learned together: neighbours in the order of ids, which is nearly that of storing. */
const LEARNED_TOGETHER = 256;
/** For so many of them the index is asked before all are learned, which costs as much as to ask for some twenty. */
const ASKED_BEFORE = 4;
/** Blocks of ids that are learned at most: four million ids, two bytes each. */
const MAX_BLOCKS = 16_384;

/** Places whose marks lie in one piece of memory: a multiple of the ids that are learned together. */
const PIECE = 16 * LEARNED_TOGETHER;

/** A ULID's time, in characters behind the prefix `evt_`, and the characters at its end that make its mark. */
const PREFIX_LENGTH = 4;
const TIME_LENGTH = 10;
const MARK_LENGTH = 4;
/** By character code, the value in Crockford's base 32. */
const VALUES = new Uint8Array(128);
for (const [value, sign] of [..."0123456789ABCDEFGHJKMNPQRSTVWXYZ"].entries()) {
  VALUES[sign.charCodeAt(0)] = value;
}

/** What is read of an event: by its place, and by its id with the place beside it (`seq`). */
export interface EventSelection {
  readonly byPlace: string;
  readonly byId: string;
  /** Whether a row is that of the event of this id: to have SQL compare it would cost half of what the place saves. */
  isOf(row: Row, id: string): boolean;
}

/** A selection of columns from `events` and what is joined to it. */
export function selectionOf(
  { columns, from, isOf }: { columns: string; from: string } & Pick<EventSelection, "isOf">,
): EventSelection {
  return {
    byPlace: `select ${columns} ${from} where events.seq = ?`,
    byId: `select events.seq as seq, ${columns} ${from} where events.id = ?`,
    isOf,
  };
}

/**
 * Finds events by their ids; one for a connection. It knows a mark of 16 bits of each id that it has learned, by place,
 * and where the ids of a time begin. That is a hint: what stands at the place must have the id, or else the index is
 * asked. So nothing has to be known of ids that come out of order, share a mark, or are of a file that was replaced.
 */
export class EventPlaces {
  /** Marks of ids by place, 0 where none is known; in pieces that are made when they are first needed. */
  readonly #marks = new Map<number, Uint16Array>();
  /** The learned blocks in the order of their first ids: the time of that id, */
  readonly #times: number[] = [];
  /** and its place, which begins the block. */
  readonly #begins: number[] = [];
  /** How often the index was asked for an id of a block, by the place that begins it. */
  readonly #asked = new Map<number, number>();

  constructor(readonly connection: Connection) {}

  /** The row of the event of this id, if there is one. */
  find(selection: EventSelection, id: string): Row | undefined {
    const place = this.#guess(id);
    const there = place === 0 ? undefined : this.connection.get(selection.byPlace, place);
    if (there !== undefined && selection.isOf(there, id)) return there;
    const found = this.connection.get(selection.byId, id);
    if (found !== undefined) this.#note(Number(found["seq"]), id);
    return found;
  }

  /** Where the event of this id is likely to be; 0 when nothing is known of it. */
  #guess(id: string): number {
    const timeMs = timeOf(id);
    const at = this.#blocksUntil(timeMs) - 1;
    if (at < 0) return 0;
    const mark = markOf(id);
    const place = this.#placeIn(this.#begins[at] ?? 0, mark);
    // A block may begin amid the ids of one millisecond.
    return place === 0 && at > 0 && this.#times[at] === timeMs
      ? this.#placeIn(this.#begins[at - 1] ?? 0, mark)
      : place;
  }

  /** How many blocks begin at this time or before it. */
  #blocksUntil(timeMs: number): number {
    let low = 0;
    for (let high = this.#times.length; low < high;) {
      const middle = (low + high) >> 1;
      if ((this.#times[middle] ?? 0) <= timeMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #placeIn(begin: number, mark: number): number {
    const marks = this.#marks.get(Math.floor(begin / PIECE));
    if (marks === undefined) return 0;
    const first = begin % PIECE;
    for (let at = first; at < first + LEARNED_TOGETHER; at++) {
      if (marks[at] === mark) return begin - first + at;
    }
    return 0;
  }

  /** The index was asked for an id and told its place. */
  #note(place: number, id: string): void {
    const begin = place - place % LEARNED_TOGETHER;
    const asked = (this.#asked.get(begin) ?? 0) + 1;
    if (asked === 1 && this.#asked.size === MAX_BLOCKS) return;
    this.#asked.set(begin, asked);
    if (asked === ASKED_BEFORE) this.#learn(begin);
    // What came into a block after it was learned.
    else if (asked > ASKED_BEFORE) this.#keep(place, id);
  }

  #learn(begin: number): void {
    const rows = this.connection.all(
      "select seq, id from events where id >= (select id from events where seq = max(1, ?)) order by id limit ?",
      begin,
      LEARNED_TOGETHER,
    );
    const [first] = rows;
    if (first === undefined) return;
    for (const row of rows) this.#keep(Number(row["seq"]), String(row["id"]));
    const timeMs = timeOf(String(first["id"]));
    const at = this.#blocksUntil(timeMs);
    this.#times.splice(at, 0, timeMs);
    this.#begins.splice(at, 0, begin);
  }

  #keep(place: number, id: string): void {
    const piece = Math.floor(place / PIECE);
    let marks = this.#marks.get(piece);
    if (marks === undefined) this.#marks.set(piece, marks = new Uint16Array(PIECE));
    marks[place % PIECE] = markOf(id);
  }
}

function timeOf(id: string): number {
  return valueOf(id, PREFIX_LENGTH, PREFIX_LENGTH + TIME_LENGTH);
}

/** The last 16 bits of an id: ids of one millisecond are counted on from a random number, and all others random. */
function markOf(id: string): number {
  return valueOf(id, id.length - MARK_LENGTH, id.length) & 0xffff || 1;
}

function valueOf(id: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) value = value * 32 + (VALUES[id.charCodeAt(at)] ?? 0);
  return value;
}
