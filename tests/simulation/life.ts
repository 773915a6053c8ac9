// One life of the process: it ends at any step, and what was under way then is never heard of again.
import type { Store } from "../../src/domain/ports/store/store.ts";
import type { Chance } from "../support/chance.ts";

/** How likely what goes wrong is, at each step. */
export interface Troubles {
  /** The process dies before a step, or after it. */
  death: number;
  /** The disk is full: what would be written is refused. */
  fullDisk: number;
}

/** A process from its start to its death. */
export class Life {
  #dead = false;
  readonly #died = Promise.withResolvers<"died">();
  /** Writes that the full disk refused. */
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

  /** A step of the process: it may die before it or after it; what a dead process waits for never comes. */
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

/** What writes nothing works on a full disk too. */
const READS: ReadonlySet<string> = new Set<keyof Store>([
  "listSources",
  "isKnownSource",
  "previewPublications",
  "listEvents",
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
  "listAttempts",
  "health",
]);

/** The store as a life sees it: each call is a step, and a write may be refused. */
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
