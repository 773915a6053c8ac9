// Who is connected over TLS: how many there may be, who has to leave for whom, and who was silent for too long.
import { networkOf } from "../domain/address.ts";

/** Connections at most, and of one address (IPv6: of one /64). */
const MAX_CONNECTIONS = 4_000;
const MAX_OF_ONE_NETWORK = 500;
/** How long a connection is safe from having to leave for a new one, counted from its last answer, ms. */
const SAFE_MS = 5_000;
/** Files that a connection takes: the client's, and both ends of that to the inner server. */
const FILES_EACH = 3;
/** Files that stay free for the database, sources, receivers and backups. */
const SPARE_FILES = 200;
/** For so many more connections at a time it is tried whether there are files; for so many there always are. */
const STEP = 50;
const LEAST_CONNECTIONS = 20;
/** Until it is tried again, once there were none, ms. */
const TRY_AGAIN_MS = 60_000;

/** How long clients may be silent. */
export interface Patience {
  /** Until the first byte of an answer; TLS's own hello is one. */
  firstMs: number;
  /** From one byte of an answer to the next, ms: what the client says meanwhile does not count. */
  idleMs: number;
}

/** A connection that is in. */
export interface Client {
  readonly address: Deno.NetAddr;
  /** Closes both its ends; called again it does nothing. */
  end(): void;
}

interface Entry extends Client {
  network: string;
  /** When it came, or when it last got a byte; ms of a clock that never goes back. */
  sinceMs: number;
}

/** What the clients need of the machine. */
export interface ClientsOptions {
  patience: Patience;
  /** Whether so many files can still be opened. */
  hasFiles(count: number): boolean;
  /** There are files for no more than so many; told at most once a minute. */
  onScarce(connections: number): void;
  nowMs(): number;
}

/**
 * The connections that are in. Both sets are in the order of `sinceMs`: whoever gets a byte goes to the end of `#known`,
 * so that who has waited for longest stands first.
 */
export class Clients {
  readonly #options: ClientsOptions;
  readonly #fresh = new Set<Entry>();
  readonly #known = new Set<Entry>();
  readonly #perNetwork = new Map<string, number>();
  #roomFor = LEAST_CONNECTIONS;
  #tryAgainAtMs = -Infinity;

  constructor(options: ClientsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#fresh.size + this.#known.size;
  }

  /**
   * Lets one in, for which another has to leave when there is no room: one that never got an answer, or got none for
   * longest. Null when everybody's last answer is too fresh for that.
   */
  enter(address: Deno.NetAddr, end: () => void): Client | null {
    const network = networkOf(address.hostname);
    const nowMs = this.#options.nowMs();
    if ((this.#perNetwork.get(network) ?? 0) >= MAX_OF_ONE_NETWORK) {
      if (!this.#makeRoom(nowMs, (entry) => entry.network === network)) return null;
    }
    if (!this.#hasRoom(nowMs) && !this.#makeRoom(nowMs, () => true)) return null;
    const entry: Entry = { address, end, network, sinceMs: nowMs };
    this.#fresh.add(entry);
    this.#perNetwork.set(network, (this.#perNetwork.get(network) ?? 0) + 1);
    return entry;
  }

  /** A byte of an answer went to it. */
  answered(client: Client): void {
    const entry = client as Entry;
    if (!this.#fresh.delete(entry) && !this.#known.delete(entry)) return; // it has left
    entry.sinceMs = this.#options.nowMs();
    this.#known.add(entry);
  }

  leave(client: Client): void {
    const entry = client as Entry;
    if (!this.#fresh.delete(entry) && !this.#known.delete(entry)) return;
    const left = (this.#perNetwork.get(entry.network) ?? 0) - 1;
    if (left > 0) this.#perNetwork.set(entry.network, left);
    else this.#perNetwork.delete(entry.network);
  }

  /** Ends those that were silent for too long. */
  sweep(): void {
    const nowMs = this.#options.nowMs();
    const { firstMs, idleMs } = this.#options.patience;
    for (const [set, ms] of [[this.#fresh, firstMs], [this.#known, idleMs]] as const) {
      for (const entry of set) {
        if (nowMs - entry.sinceMs < ms) break;
        this.#end(entry);
      }
    }
  }

  /** Ends all. */
  endAll(): void {
    for (const entry of [...this.#fresh, ...this.#known]) this.#end(entry);
  }

  #hasRoom(nowMs: number): boolean {
    if (this.size >= MAX_CONNECTIONS) return false;
    if (this.size < this.#roomFor) return true;
    if (nowMs < this.#tryAgainAtMs) return false;
    if (this.#options.hasFiles(STEP * FILES_EACH + SPARE_FILES)) {
      this.#roomFor = this.size + STEP;
      return true;
    }
    this.#tryAgainAtMs = nowMs + TRY_AGAIN_MS;
    this.#options.onScarce(this.size);
    return false;
  }

  #makeRoom(nowMs: number, mayGo: (entry: Entry) => boolean): boolean {
    for (const set of [this.#fresh, this.#known]) {
      for (const entry of set) {
        if (nowMs - entry.sinceMs < SAFE_MS) break;
        if (!mayGo(entry)) continue;
        this.#end(entry);
        return true;
      }
    }
    return false;
  }

  /** It leaves at once; the files are free as soon as whoever carries its bytes has noticed. */
  #end(entry: Entry): void {
    this.leave(entry);
    entry.end();
  }
}
