// Customers that the config declares: their ids, and the result of declaring them.
import { createHash } from "node:crypto";
import type { Customer } from "./customer.ts";
import { idOfNumber } from "../event/ids.ts";

export interface DeclaredCustomer extends Pick<Customer, "id" | "email" | "tier" | "limits" | "language"> {
  /** Kebab-case; {@link declaredCustomerId} derives the id from it. */
  name: string;
  /** SHA-256 of each of its keys, lower-case hexadecimal; at least one. */
  keyHashes: readonly string[];
}

/** The last four characters of a declared key, of which only the hash is known. */
export const UNKNOWN_LAST_FOUR = "????";

/** Why a declaration is refused: another customer has what it claims. */
export interface DeclarationConflict {
  name: string;
  /**
   * `email`, `key`: a customer that is not declared has the address or the key. Addresses of customers that the operator
   * disabled do not count. `erased`: the customer of this name was erased.
   */
  what: "email" | "key" | "erased";
  holderId: string;
  /** The position in `keyHashes`; only for `key`. */
  keyIndex?: number;
}

/** The result of declaring customers: all or none are applied. */
export type Declaration =
  /** The names of new and changed (also enabled again) customers; the ids of those that are no longer declared. */
  | { kind: "applied"; added: string[]; changed: string[]; gone: string[] }
  | { kind: "refused"; conflicts: DeclarationConflict[] };

/**
 * The id of the customer with this name, the same wherever it is declared: a customer that is declared again is the same
 * one. Its time is 0, which distinguishes ids of declared customers.
 */
export function declaredCustomerId(name: string): string {
  const digest = createHash("sha256").update(`regfeed customer ${name}`).digest();
  return idOfNumber("customer", digest.subarray(0, 10));
}
