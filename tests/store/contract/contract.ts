// The cases of the Store port's contract.
import type { Store } from "../../../src/domain/ports/store/store.ts";

/** A sentence that begins with the method's name, and its check on an empty store; `open` opens further ones. */
export interface Case {
  name: string;
  check(store: Store, open: () => Store): Promise<void>;
}

export const CASES: Case[] = [];

export function test(name: string, check: Case["check"]): void {
  CASES.push({ name, check });
}
