// One run of the process. It may be killed at any step; work in progress is then lost.
import type { Store } from "../../src/domain/ports/store/store.ts";
import type { Chance } from "../support/chance.ts";

/** The probability of each fault at each step. */
export interface Troubles {
  /** The process is killed before or after a step. */
  death: number;
  /** The disk is full, and writes are refused. */
  fullDisk: number;
}

export class Life {
  #dead = false;
  readonly #died = Promise.withResolvers<"died">();
  /** Number of writes refused by the full disk. */
  refused = 0;

  constructor(readonly chance: Chance, readonly troubles: Troubles) {}

  get isDead(): boolean {
    return this.#dead;
  }

  get died(): Promise<"died"> {
    return this.#died.promise;
  }

  end(): void {
    this.#dead = true;
    this.#died.resolve("died");
  }

  /** Runs a step, before or after which the process may be killed. The promise of a killed process never settles. */
  async step<T>(work: () => Promise<T>): Promise<T> {
    this.#mayDie();
    if (this.#dead) return await NEVER;
    const done = await Promise.resolve(work()).then((value) => ({ value }), (error: unknown) => ({ error }));
    this.#mayDie();
    if (this.#dead) return await NEVER;
    if ("error" in done) throw done.error;
    return done.value;
  }

  #mayDie(): void {
    if (!this.#dead && this.chance.happens(this.troubles.death)) this.end();
  }
}

const NEVER = new Promise<never>(() => {});

/** Read-only calls, which also work on a full disk. */
const READS: ReadonlySet<string> = new Set<keyof Store>([
  "listSources",
  "isKnownSource",
  "previewPublications",
  "listEvents",
  "listByUrl",
  "findPosition",
  "listVersions",
  "findEvent",
  "findCustomer",
  "listCustomers",
  "findKey",
  "countedRequests",
  "usageOf",
  "findResponse",
  "listSubscriptions",
  "findSubscription",
  "ownsSubscription",
  "listDeliveries",
  "listAllDeliveries",
  "findOwner",
  "findDelivery",
  "findPayload",
  "listAttempts",
  "health",
  "findSession",
  "listSessions",
  "findSignInLink",
]);

/** Returns the store as this process uses it: each call is a step, and writes may be refused. */
export function storeOf(store: Store, life: Life): Store {
  return new Proxy(store, {
    get: (target, name: keyof Store & string) => (...given: unknown[]) =>
      life.step(() => {
        if (!READS.has(name) && life.chance.happens(life.troubles.fullDisk)) {
          life.refused++;
          return Promise.reject(new Error("database or disk is full"));
        }
        return (target[name] as (...given: unknown[]) => Promise<unknown>)(...given);
      }),
  });
}
