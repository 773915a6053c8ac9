// Replaces a store's lost key: discards the sealed data and disables all subscriptions.
import { Buffer } from "node:buffer";
import type { Act } from "../../domain/customer/audit.ts";
import { type Random, type Vault, VaultError, type VaultSource } from "../../domain/ports/ports.ts";
import type { DiscardedSecrets } from "../../domain/ports/store/engine.ts";
import { noteAct } from "./customers/audit.ts";
import type { Connection } from "./connection/connection.ts";
import { disableSubscription } from "./subscriptions/endpoints.ts";
import { openVault, readProof, secretField, writeProof } from "./sealed_secrets.ts";
import { sql } from "./connection/sql.ts";

const SECRET_BYTES = 32;

interface Replacing {
  by: Act;
  random: Random;
  newMailId: () => string;
}

export function requireKey(connection: Connection, vaultSource: VaultSource): void {
  if (readProof(connection) !== null) openVault(connection, vaultSource);
}

/**
 * Seals the store with another key, in one transaction. Replaces every secret with an unknown one, drops the values of
 * custom headers and the stored responses, and disables all subscriptions (`key-lost`), which their owners can enable
 * after rotating the secret, with the headers.
 * Throws if the key file still contains the old key.
 */
export function replaceKey(
  connection: Connection,
  vaultSource: VaultSource,
  replacing: Replacing,
): DiscardedSecrets {
  const vault = vaultSource({ mayMake: true });
  return connection.transaction("durable", () => {
    if (isOwnKey(connection, vault)) throw new Error("the key exists and belongs to this database");
    return discardSecrets(connection, vault, replacing);
  });
}

function isOwnKey(connection: Connection, vault: Vault): boolean {
  try {
    openVault(connection, () => vault);
    return true;
  } catch (error) {
    if (error instanceof VaultError) return false;
    throw error;
  }
}

function discardSecrets(
  connection: Connection,
  vault: Vault,
  { by, random, newMailId }: Replacing,
): DiscardedSecrets {
  const discarded: DiscardedSecrets = {};
  writeProof(connection, vault);
  for (const row of connection.all(sql`select id, customer_id, disabled_at, deleted_at from subscriptions`)) {
    const [id, customerId] = [String(row["id"]), String(row["customer_id"])];
    const unknown = Buffer.from(random.bytes(SECRET_BYTES)).toString("hex");
    connection.run(
      sql`update subscriptions
        set secret = ${vault.seal(unknown, secretField(id))}, previous_secret = null,
          previous_secret_until = null, headers = null where id = ${id}`,
    );
    if (row["deleted_at"] !== null) continue;
    if (row["disabled_at"] === null) {
      disableSubscription(connection, id, {
        by: "key-lost",
        nowMs: by.atMs,
        mailId: newMailId(),
        problem: null,
      });
    } else {
      connection.run(sql`update subscriptions set disabled_by = 'key-lost' where id = ${id}`);
    }
    (discarded[customerId] ??= []).push(id);
  }
  connection.run(sql`delete from stored_responses`);
  noteAct(connection, by, "store.new-key", null, { subscriptions: Object.values(discarded).flat().length });
  for (const [customerId, subscriptions] of Object.entries(discarded)) {
    noteAct(connection, by, "secrets.give-up", customerId, { subscriptions });
  }
  return discarded;
}
