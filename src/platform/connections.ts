// Connections to somewhere else: made to addresses that were checked, kept for the next request, bounded.
import { NetworkError } from "../domain/ports.ts";
import { HttpConnection, type Target, type Trust } from "./http_connection.ts";

/** How many connections are kept while nobody uses them; beyond it, the one of the least recently used target goes. */
export const MAX_IDLE_CONNECTIONS = 256;
/** How long a connection is kept for the next request, ms. */
const KEEP_ALIVE_MS = 10_000;
/** The same where the other side offers longer, ms. */
const MAX_KEEP_ALIVE_MS = 60_000;
/** So much earlier than the other side a connection is ended here: no request must meet its end, ms. */
const EARLIER_MS = 2_000;
/** How often it is looked whether some have been kept for long enough, ms. */
const SWEEP_MS = 1_000;

/** The connections of a client. */
export interface Connections {
  /** A kept connection to the target, or a new one. It belongs to the caller until it is given back or dropped. */
  take(target: Target): HttpConnection;
  /** Keeps it for the next request to the same target. */
  giveBack(target: Target, connection: HttpConnection): void;
  /** Ends it. */
  drop(connection: HttpConnection): void;
  /** Ends all, in use or not. */
  close(): Promise<void>;
}

const CLOSED = new NetworkError("the connection was closed here");

/** No connections yet. */
export function createConnections(trust: Trust): Connections {
  return new KeptConnections(trust);
}

interface Idle {
  connection: HttpConnection;
  /** By the clock that nobody sets, ms. */
  untilMs: number;
}

/** The kept connections to one target, the longest unused first. */
interface Kept {
  idle: Idle[];
  /** Grows with each use of any. */
  usedAt: number;
}

class KeptConnections implements Connections {
  readonly #kept = new Map<string, Kept>();
  #idleCount = 0;
  #uses = 0;
  readonly #inUse = new Set<HttpConnection>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly trust: Trust) {}

  take(target: Target): HttpConnection {
    const key = keyOf(target);
    const kept = this.#kept.get(key);
    const nowMs = performance.now();
    for (let idle = kept?.idle.pop(); idle !== undefined; idle = kept?.idle.pop()) {
      this.#idleCount--;
      if (!idle.connection.isClosed && nowMs < idle.untilMs) {
        this.#inUse.add(idle.connection);
        return idle.connection;
      }
      idle.connection.destroy(CLOSED);
    }
    const made = new HttpConnection(target, this.trust, () => this.#forget(key, made));
    this.#inUse.add(made);
    return made;
  }

  giveBack(target: Target, connection: HttpConnection): void {
    this.#inUse.delete(connection);
    const keepMs = connection.keepAliveMs === null
      ? KEEP_ALIVE_MS
      : Math.min(connection.keepAliveMs - EARLIER_MS, MAX_KEEP_ALIVE_MS);
    if (keepMs <= 0 || connection.isClosed) {
      connection.destroy(CLOSED);
      return;
    }
    const key = keyOf(target);
    const idle = { connection, untilMs: performance.now() + keepMs };
    const kept = this.#kept.get(key);
    if (kept === undefined) this.#kept.set(key, { idle: [idle], usedAt: this.#uses++ });
    else {
      kept.idle.push(idle);
      kept.usedAt = this.#uses++;
    }
    this.#idleCount++;
    this.#timer ??= setTimeout(() => this.#sweep(), SWEEP_MS);
    if (this.#idleCount > MAX_IDLE_CONNECTIONS) this.#endOldest();
  }

  drop(connection: HttpConnection): void {
    this.#inUse.delete(connection);
    connection.destroy(CLOSED);
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const idle = [...this.#kept.values()].flatMap((kept) => kept.idle);
    const all = [...this.#inUse, ...idle.map(({ connection }) => connection)];
    this.#inUse.clear();
    this.#kept.clear();
    this.#idleCount = 0;
    await Promise.all(all.map((connection) => connection.destroy(CLOSED)));
  }

  /** Ends a connection of the target that was not used for longest. */
  #endOldest(): void {
    let oldest: Kept | null = null;
    for (const kept of this.#kept.values()) {
      if (kept.idle.length > 0 && kept.usedAt < (oldest?.usedAt ?? Infinity)) oldest = kept;
    }
    const idle = oldest?.idle.shift();
    if (idle === undefined) return;
    this.#idleCount--;
    idle.connection.destroy(CLOSED);
  }

  /** A connection that the other side closed while it was idle is of no use any more. */
  #forget(key: string, connection: HttpConnection): void {
    const kept = this.#kept.get(key);
    if (kept !== undefined) this.#retain(key, kept, (idle) => idle.connection !== connection);
  }

  #retain(key: string, kept: Kept, stays: (idle: Idle) => boolean): void {
    const rest = kept.idle.filter(stays);
    this.#idleCount -= kept.idle.length - rest.length;
    kept.idle = rest;
    if (rest.length === 0) this.#kept.delete(key);
  }

  /** Ends what has been kept for long enough; one timer for all. */
  #sweep(): void {
    const nowMs = performance.now();
    for (const [key, kept] of this.#kept) {
      for (const { connection, untilMs } of kept.idle) {
        if (nowMs >= untilMs) connection.destroy(CLOSED);
      }
      this.#retain(key, kept, ({ untilMs }) => nowMs < untilMs);
    }
    this.#timer = this.#idleCount > 0 ? setTimeout(() => this.#sweep(), SWEEP_MS) : undefined;
  }
}

function keyOf({ url, addresses, authorities }: Target): string {
  const known = addresses === undefined || addresses.length < 2 ? addresses : addresses.toSorted();
  return `${url.protocol}//${url.host} ${known?.join(" ") ?? ""} ${authorities ?? ""}`;
}
