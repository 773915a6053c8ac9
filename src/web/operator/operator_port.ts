// What the operator's pages need: the store, and the use cases of the operator, which the app passes in.
import type { OperatorActs } from "../../domain/operator/operator_acts.ts";
import type { Store } from "../../domain/ports/store/store.ts";

export interface OperatorPagesOptions {
  store: Store;
  acts: OperatorActs;
  clock: { within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> };
}
