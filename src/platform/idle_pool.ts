// Connections that nobody uses, kept for the next request to the same target: bounded, the least recently used go first.

/** How many are kept; beyond it, the one of the least recently used target goes. */
export const MAX_IDLE_CONNECTIONS = 256;

/** What can be kept. */
export interface Keepable {
  /** What stands for its target. */
  key: string;
}

/** The idle connections of a client. */
export class IdlePool<T extends Keepable> {
  /** By target; the least recently used target first. */
  readonly #idle = new Map<string, T[]>();
  #lastUsed = "";
  #count = 0;

  /** One to that target, the last that came back first. */
  take(key: string): T | undefined {
    const kept = this.#idle.get(key);
    const connection = kept?.pop();
    if (kept?.length === 0) this.#idle.delete(key);
    if (connection !== undefined) this.#count--;
    return connection;
  }

  /** Keeps it; gives the one that has to go for it, if any. */
  giveBack(connection: T): T | undefined {
    const { key } = connection;
    const kept = this.#idle.get(key);
    if (kept === undefined || this.#lastUsed !== key) {
      this.#idle.delete(key);
      this.#idle.set(key, kept ?? [connection]);
      this.#lastUsed = key;
    }
    kept?.push(connection);
    this.#count++;
    if (this.#count <= MAX_IDLE_CONNECTIONS) return undefined;
    const [oldest] = this.#idle.keys();
    return oldest === undefined ? undefined : this.take(oldest);
  }

  /** Keeps it no longer; false when it was not kept. */
  forget(connection: T): boolean {
    const { key } = connection;
    const kept = this.#idle.get(key) ?? [];
    const rest = kept.filter((other) => other !== connection);
    if (rest.length === kept.length) return false;
    this.#count--;
    if (rest.length === 0) this.#idle.delete(key);
    else this.#idle.set(key, rest);
    return true;
  }

  /** Every one that is kept. */
  all(): T[] {
    return [...this.#idle.values()].flat();
  }

  /** Keeps none. */
  clear(): void {
    this.#idle.clear();
    this.#count = 0;
  }
}
