// A new key for a store whose own is gone for good: what was sealed is given up, and its owners get new secrets.
import { Buffer } from "node:buffer";
import type { Act } from "../../domain/audit.ts";
import { type Random, type Vault, VaultError, type VaultSource } from "../../domain/ports.ts";
import { noteAct } from "./audit.ts";
import { Connection } from "./connection.ts";
import { switchOff } from "./endpoints.ts";
import { SCHEMA_VERSION, schemaVersion } from "./migrate.ts";
import { openVault, readProof, secretPlace, writeProof } from "./seals.ts";

/** As many as a webhook secret has. */
const SECRET_BYTES = 32;

/** What came of giving up a key: how many subscriptions need a new secret now, by customer. */
export type GivenUp = Record<string, string[]>;

/** Who gives a key up, and what that needs. */
export interface GivingUp {
  by: Act;
  random: Random;
  newMailId: () => string;
}

/**
 * Makes sure that the file's key is there and its own, as opening the store does; false when nothing is sealed yet.
 * Throws {@link VaultError}. Nothing is written.
 */
export function requireKey(
  path: string,
  vaultSource: VaultSource,
  options: { readOnly?: boolean } = {},
): boolean {
  return withConnection(path, (connection) => {
    if (readProof(connection) === null) return false;
    openVault(connection, vaultSource);
    return true;
  }, options);
}

/**
 * Seals the store with another key, in one transaction. Every secret is given up: in its place stands one that nobody
 * knows, subscriptions are switched off (`key-lost`) until their owners rotate it, and remembered answers are dropped.
 * Throws when the old key is there, and when the database is not of this version's schema.
 */
export function giveUpKey(
  path: string,
  vaultSource: VaultSource,
  { by, random, newMailId }: GivingUp,
): GivenUp {
  return withConnection(path, (connection) => {
    const schema = schemaVersion(connection);
    if (schema !== SCHEMA_VERSION) {
      throw new Error(
        `the database has schema ${schema}, this version's is ${SCHEMA_VERSION}: run this with the version of Regfeed ` +
          "that last ran on it, and update after that",
      );
    }
    const vault = vaultSource({ mayMake: true });
    return connection.transaction("durable", () => {
      if (isOwnKey(connection, vault)) throw new Error("the key is there and belongs to this database");
      return giveUp(connection, vault, { by, random, newMailId });
    });
  });
}

function withConnection<T>(
  path: string,
  work: (connection: Connection) => T,
  options: { readOnly?: boolean } = {},
): T {
  const connection = new Connection(path, options);
  try {
    return work(connection);
  } finally {
    connection.close();
  }
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

function giveUp(
  connection: Connection,
  vault: Vault,
  { by, random, newMailId }: GivingUp,
): GivenUp {
  const given: GivenUp = {};
  writeProof(connection, vault);
  for (const row of connection.all("select id, customer_id, disabled_at, deleted_at from subscriptions")) {
    const [id, customerId] = [String(row["id"]), String(row["customer_id"])];
    const nobodys = Buffer.from(random.bytes(SECRET_BYTES)).toString("hex");
    connection.run(
      `update subscriptions set secret = ?, previous_secret = null, previous_secret_until = null where id = ?`,
      vault.seal(nobodys, secretPlace(id)),
      id,
    );
    if (row["deleted_at"] !== null) continue;
    if (row["disabled_at"] === null) {
      switchOff(connection, id, { by: "key-lost", nowMs: by.atMs, mailId: newMailId(), problem: null });
    } else {
      connection.run("update subscriptions set disabled_by = 'key-lost' where id = ?", id);
    }
    (given[customerId] ??= []).push(id);
  }
  connection.run("delete from remembered_answers");
  noteAct(connection, by, "store.new-key", null, { subscriptions: Object.values(given).flat().length });
  for (const [customerId, subscriptions] of Object.entries(given)) {
    noteAct(connection, by, "secrets.give-up", customerId, { subscriptions });
  }
  return given;
}
