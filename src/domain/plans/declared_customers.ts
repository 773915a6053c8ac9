// Finds conflicts between declared and stored customers, and plans the changes to the declared customers' keys.
import type { Customer } from "../customer/customer.ts";
import type { DeclarationConflict, DeclaredCustomer } from "../customer/declared_customers.ts";

export interface DeclarationFacts {
  /** The stored customer with the declared id, or null if there is none. */
  known: (Pick<Customer, "email" | "enabled"> & { isErased: boolean }) | null;
  /** The oldest undeclared customer that has this email address and was not disabled by the operator, or null. */
  emailHolderId: string | null;
  /** For each declared key, the undeclared customer that holds it, or null. */
  keyHolderIds: readonly (string | null)[];
}

export function findConflicts(
  { id, name, email }: Pick<DeclaredCustomer, "id" | "name" | "email">,
  { known, emailHolderId, keyHolderIds }: DeclarationFacts,
): DeclarationConflict[] {
  if (known?.isErased) return [{ name, what: "erased", holderId: id }];
  const conflicts: DeclarationConflict[] = [];
  // A payer who later uses the email address of an applied declaration must not prevent the server from starting.
  const holds = known?.enabled === true && known.email.toLowerCase() === email.toLowerCase();
  if (!holds && emailHolderId !== null) conflicts.push({ name, what: "email", holderId: emailHolderId });
  for (const [keyIndex, holderId] of keyHolderIds.entries()) {
    if (holderId !== null) conflicts.push({ name, what: "key", holderId, keyIndex });
  }
  return conflicts;
}

export interface StoredKey {
  hash: string;
  customerId: string;
  isDisabled: boolean;
}

/** The hashes of the keys to add, to disable, and to assign to the customer or enable again (`moved`). */
interface DeclaredKeys {
  added: string[];
  moved: string[];
  disabled: string[];
}

/**
 * Plans the changes that leave the customer with exactly the declared keys. `stored` contains all stored keys of the
 * customer, and the keys of other customers if their hashes are declared.
 */
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
