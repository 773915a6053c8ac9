// The type of the parts that make up the engine's store.
import type { Store } from "../../domain/ports/store/store.ts";

/** Methods of the port. Because SQLite is synchronous, they return values, which the store turns into promises. */
export type Part<Name extends keyof Store> = {
  [Method in Name]: (...given: Parameters<Store[Method]>) => Awaited<ReturnType<Store[Method]>>;
};
