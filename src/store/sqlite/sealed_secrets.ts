// Opens the vault of the store's sealed data, and checks its key against a proof.
import type { CustomHeaders } from "../../domain/delivery/custom_headers.ts";
import { LOST_KEY_ADVICE, type Vault, VaultError, type VaultSource } from "../../domain/ports/ports.ts";
import type { Connection } from "./connection/connection.ts";
import { sql } from "./connection/sql.ts";

const PROOF = "this database is sealed with this key";

export function secretField(subscriptionId: string): { table: string; id: string } {
  return { table: "subscriptions", id: subscriptionId };
}

function headersField(subscriptionId: string): { table: string; id: string } {
  return { table: "subscriptions", id: `${subscriptionId} headers` };
}

export function sealHeaders(vault: Vault, subscriptionId: string, headers: CustomHeaders): Uint8Array | null {
  const isEmpty = Object.keys(headers).length === 0;
  return isEmpty ? null : vault.seal(JSON.stringify(headers), headersField(subscriptionId));
}

export function openHeaders(vault: Vault, subscriptionId: string, sealed: Uint8Array | null): CustomHeaders {
  return sealed === null ? {} : JSON.parse(vault.open(sealed, headersField(subscriptionId)));
}

export function responseField(customerId: string, key: string): { table: string; id: string } {
  return { table: "stored_responses", id: `${customerId} ${key}` };
}

const PROOF_FIELD = { table: "vault", id: "1" };

/** Opens the vault. Throws a {@link VaultError}, and writes nothing, if the key is missing or wrong. */
export function openVault(connection: Connection, source: VaultSource): Vault {
  const vault = source({ mayMake: readProof(connection) === null });
  proveKey(connection, vault);
  return vault;
}

/** Returns a vault that is opened on first use. Until then, its key may be missing or wrong. */
export function openVaultWhenUsed(connection: Connection, source: VaultSource): Vault {
  let opened: Vault | null = null;
  const vault = (): Vault => opened ??= openVault(connection, source);
  return {
    seal: (text, field) => vault().seal(text, field),
    open: (sealed, field) => vault().open(sealed, field),
  };
}

/** Throws a {@link VaultError} if the store has a proof that was sealed with another key. */
export function proveKey(connection: Connection, vault: Vault): void {
  const proof = readProof(connection);
  if (proof === null) return;
  try {
    vault.open(proof, PROOF_FIELD);
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    throw new VaultError(
      `the key file does not belong to this database: ${LOST_KEY_ADVICE}`,
      { cause: error },
    );
  }
}

/** Returns the proof of the store's key, or null if nothing has been sealed yet. */
export function readProof(connection: Connection): Uint8Array | null {
  if (connection.get(sql`select 1 from sqlite_master where name = 'vault'`) === undefined) return null;
  return connection.get(sql`select proof from vault where id = 1`)?.["proof"] as Uint8Array | undefined ??
    null;
}

export function writeProof(connection: Connection, vault: Vault): void {
  connection.run(sql`insert or replace into vault (id, proof) values (1, ${vault.seal(PROOF, PROOF_FIELD)})`);
}
