// The cases of the Store port's contract.
import type { Store } from "../../../src/domain/ports/store/store.ts";

/** A case: a sentence that begins with a method's name, and a check on an empty store. `open` opens further stores. */
export interface Case {
  name: string;
  check(store: Store, open: () => Store): Promise<void>;
}

export const CASES: Case[] = [];

export function test(name: string, check: Case["check"]): void {
  CASES.push({ name, check });
}
