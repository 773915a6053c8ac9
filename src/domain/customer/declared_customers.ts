// Customers that the config declares: their ids, and the result of declaring them.
import { createHash } from "node:crypto";
import type { Customer } from "./customer.ts";
import { idOfNumber } from "../event/ids.ts";

/** A customer as the config declares it. */
export interface DeclaredCustomer extends Pick<Customer, "id" | "email" | "tier" | "limits" | "language"> {
  /** The operator's name for it, kebab-case; {@link declaredCustomerId} derives the id from it. */
  name: string;
  /** SHA-256 of each of its keys, lower-case hexadecimal; at least one. */
  keyHashes: readonly string[];
}

/** The last four characters of a declared key, of which only the hash is known. */
export const UNKNOWN_LAST_FOUR = "????";

/** Why a declaration is refused: another customer has what it claims. */
export interface DeclarationConflict {
  /** The declared customer's name. */
  name: string;
  /**
   * `email`: a customer that is not declared has the address, by command or by payment, and is not kept out by the
   * operator. `key`: a customer that is not declared has the key. `erased`: the customer of this name was erased.
   */
  what: "email" | "key" | "erased";
  /** The customer that has it. */
  holderId: string;
  /** The position in `keyHashes`; only of `key`. */
  keyIndex?: number;
}

/** The result of declaring customers: all or none are applied. */
export type Declaration =
  /** The names of those that are new, that are changed (also back from being disabled); the ids of those that are gone. */
  | { kind: "applied"; added: string[]; changed: string[]; gone: string[] }
  | { kind: "refused"; conflicts: DeclarationConflict[] };

/**
 * The id of the customer that a name declares: the same for the same name wherever it is declared, so that one that
 * comes back is the one that left. Its time is 0, by which a declared customer's id is told from the others.
 */
export function declaredCustomerId(name: string): string {
  const digest = createHash("sha256").update(`regfeed customer ${name}`).digest();
  return idOfNumber("customer", digest.subarray(0, 10));
}
