// The sealed data of the store, and the proof that identifies its key.
import { LOST_KEY_ADVICE, type Vault, VaultError, type VaultSource } from "../../domain/ports/ports.ts";
import type { Connection } from "./connection/connection.ts";
import { sql } from "./connection/sql.ts";

const PROOF = "this database is sealed with this key";

/** Where the secrets of subscriptions are sealed. */
export function secretField(subscriptionId: string): { table: string; id: string } {
  return { table: "subscriptions", id: subscriptionId };
}

/** Where stored responses are sealed. */
export function responseField(customerId: string, key: string): { table: string; id: string } {
  return { table: "stored_responses", id: `${customerId} ${key}` };
}

const PROOF_FIELD = { table: "vault", id: "1" };

/** The vault of the store's key. Throws {@link VaultError}, with nothing written, when it is missing or the wrong one. */
export function openVault(connection: Connection, source: VaultSource): Vault {
  const vault = source({ mayMake: readProof(connection) === null });
  proveKey(connection, vault);
  return vault;
}

/** The same, opened on first use: until then its key may be missing or wrong. */
export function openVaultWhenUsed(connection: Connection, source: VaultSource): Vault {
  let opened: Vault | null = null;
  const vault = (): Vault => opened ??= openVault(connection, source);
  return {
    seal: (text, field) => vault().seal(text, field),
    open: (sealed, field) => vault().open(sealed, field),
  };
}

/** Requires the store's proof to be sealed with this vault's key, if there is one. */
export function proveKey(connection: Connection, vault: Vault): void {
  const proof = readProof(connection);
  if (proof === null) return;
  try {
    vault.open(proof, PROOF_FIELD);
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    throw new VaultError(
      `the key file does not belong to this database, but to another one: ${LOST_KEY_ADVICE}`,
      { cause: error },
    );
  }
}

/** The proof of the store's key; null while nothing is sealed. */
export function readProof(connection: Connection): Uint8Array | null {
  if (connection.get(sql`select 1 from sqlite_master where name = 'vault'`) === undefined) return null;
  return connection.get(sql`select proof from vault where id = 1`)?.["proof"] as Uint8Array | undefined ??
    null;
}

export function writeProof(connection: Connection, vault: Vault): void {
  connection.run(sql`insert or replace into vault (id, proof) values (1, ${vault.seal(PROOF, PROOF_FIELD)})`);
}
