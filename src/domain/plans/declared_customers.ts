// Whether the config's customers can be declared, and which keys they get.
import type { Customer } from "../customer/customer.ts";
import type { DeclarationConflict, DeclaredCustomer } from "../customer/declared_customers.ts";

/** What is stored about a declared customer and what it claims. */
export interface DeclarationFacts {
  /** The customer of this id; null without one. */
  known: (Pick<Customer, "email" | "enabled"> & { isErased: boolean }) | null;
  /**
   * The oldest customer with this email address that is not declared and was not disabled by the operator, whom only
   * the operator enables again.
   */
  emailHolderId: string | null;
  /** For each of its keys, the customer that holds it without being declared. */
  keyHolderIds: readonly (string | null)[];
}

/** What contradicts a declaration. */
export function findConflicts(
  { id, name, email }: Pick<DeclaredCustomer, "id" | "name" | "email">,
  { known, emailHolderId, keyHolderIds }: DeclarationFacts,
): DeclarationConflict[] {
  if (known?.isErased) return [{ name, what: "erased", holderId: id }];
  const conflicts: DeclarationConflict[] = [];
  // A declaration that holds already stays valid: a later payer with this address must not prevent a start.
  const holds = known?.enabled === true && known.email.toLowerCase() === email.toLowerCase();
  if (!holds && emailHolderId !== null) conflicts.push({ name, what: "email", holderId: emailHolderId });
  for (const [keyIndex, holderId] of keyHolderIds.entries()) {
    if (holderId !== null) conflicts.push({ name, what: "key", holderId, keyIndex });
  }
  return conflicts;
}

/** A stored key that a declared customer claims or has. */
export interface StoredKey {
  hash: string;
  customerId: string;
  isDisabled: boolean;
}

/** The keys to add, to move to the customer or enable again, and to disable. */
export interface DeclaredKeys {
  added: string[];
  moved: string[];
  disabled: string[];
}

/** Gives the customer exactly the declared keys; `stored` are those of these hashes and those that it has. */
export function planKeys(
  { id, keyHashes }: Pick<DeclaredCustomer, "id" | "keyHashes">,
  stored: readonly StoredKey[],
): DeclaredKeys {
  const byHash = new Map(stored.map((key) => [key.hash, key]));
  const wanted = [...new Set(keyHashes)];
  return {
    added: wanted.filter((hash) => !byHash.has(hash)),
    moved: wanted.filter((hash) => {
      const key = byHash.get(hash);
      return key !== undefined && (key.customerId !== id || key.isDisabled);
    }),
    disabled: stored
      .filter(({ hash, customerId, isDisabled }) =>
        customerId === id && !isDisabled && !keyHashes.includes(hash)
      )
      .map(({ hash }) => hash),
  };
}
