// The shape of one promise of the Store port.
import type { Store } from "../../../src/domain/ports/store/store.ts";

/** A sentence that begins with the method's name, and its proof on an empty store; `open` gives further ones. */
export interface StorePromise {
  name: string;
  check(store: Store, open: () => Store): Promise<void>;
}
