// The parts that the engine's store consists of.
import type { Store } from "../../domain/ports/store/store.ts";

/** Methods of the port. SQLite is synchronous: they return values, of which the store makes promises. */
export type Part<Name extends keyof Store> = {
  [Method in Name]: (...given: Parameters<Store[Method]>) => Awaited<ReturnType<Store[Method]>>;
};
