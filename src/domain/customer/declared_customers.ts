// Customers that the config declares: their ids, and the result of the declaration.
import { createHash } from "node:crypto";
import type { Customer } from "./customer.ts";
import { idOfNumber } from "../event/ids.ts";

export interface DeclaredCustomer extends Pick<Customer, "id" | "email" | "tier" | "limits" | "language"> {
  /** The name in kebab-case. {@link declaredCustomerId} derives the id from it. */
  name: string;
  /** SHA-256 of each key, lower-case hexadecimal; at least one. */
  keyHashes: readonly string[];
}

/** Stands for the last four characters of a declared key, which are unknown because only its hash is declared. */
export const UNKNOWN_LAST_FOUR = "????";

/** A reason to refuse a declaration. */
export interface DeclarationConflict {
  name: string;
  /**
   * `email` or `key`: a customer that is not declared has the email address or the key. If the operator disabled that
   * customer, its email address is free. `erased`: the customer with this name was erased.
   */
  what: "email" | "key" | "erased";
  holderId: string;
  /** The index in `keyHashes`; only for `key`. */
  keyIndex?: number;
}

/** The result of declaring customers: either all declarations are applied or none. */
export type Declaration =
  /** `added` and `changed` contain names; `gone` contains ids. `changed` includes customers enabled again. */
  | { kind: "applied"; added: string[]; changed: string[]; gone: string[] }
  | { kind: "refused"; conflicts: DeclarationConflict[] };

/**
 * Derives a customer's id from its name, so that a customer that is declared again keeps its id. The id's time is 0,
 * which distinguishes declared customers from all others.
 */
export function declaredCustomerId(name: string): string {
  const digest = createHash("sha256").update(`regfeed customer ${name}`).digest();
  return idOfNumber("customer", digest.subarray(0, 10));
}
