// The vault, which seals strings with AES-256-GCM. The key is in a separate file.
import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { LOST_KEY_ADVICE, type SealedField, type Vault, VaultError } from "../domain/ports/ports.ts";

export const KEY_BYTES = 32;
const VERSION = 1;
/** The length of a key id in bytes. A key id is the beginning of a hash of the key. */
const KEY_ID_BYTES = 4;
/** The length of a nonce (NIST SP 800-38D, section 8.2), in bytes. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + KEY_ID_BYTES + NONCE_BYTES;
/** Only the owner may read or write the key. */
const KEY_MODE = 0o600;
const OTHERS = 0o077;

/**
 * Creates a vault with a key of 32 bytes. The sealed format is: version (1 byte), key id (4), nonce (12), ciphertext,
 * tag (16). Nonces are random; the probability that two of a billion sealed strings share a nonce is below 2^-36.
 */
export function createVault(key: Uint8Array): Vault {
  if (key.length !== KEY_BYTES) throw new VaultError(`a key has ${KEY_BYTES} bytes, not ${key.length}`);
  const head = Buffer.concat([Buffer.of(VERSION), keyIdOf(key)]);
  return {
    seal(text, place) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      cipher.setAAD(associated(head, place));
      const sealed = [cipher.update(text, "utf8"), cipher.final()];
      return new Uint8Array(Buffer.concat([head, nonce, ...sealed, cipher.getAuthTag()]));
    },
    open(sealed, place) {
      const bytes = Buffer.from(sealed);
      if (bytes.length < HEAD_BYTES + TAG_BYTES || bytes[0] !== VERSION) {
        throw new VaultError(
          `a sealed value in ${place.table} is damaged, or was written by a newer version`,
        );
      }
      if (!bytes.subarray(0, head.length).equals(head)) {
        throw new VaultError(`a value in ${place.table} was sealed with another key`);
      }
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(head.length, HEAD_BYTES));
      decipher.setAAD(associated(head, place));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        const text = [decipher.update(bytes.subarray(HEAD_BYTES, -TAG_BYTES)), decipher.final()];
        return Buffer.concat(text).toString("utf8");
      } catch (error) {
        throw new VaultError(`a sealed value in ${place.table} was changed, or belongs to another row`, {
          cause: error,
        });
      }
    },
  };
}

function keyIdOf(key: Uint8Array): Uint8Array {
  return createHash("sha256").update("regfeed key id\0").update(key).digest().subarray(0, KEY_ID_BYTES);
}

/** Combines version, key id and field. The result is unambiguous, because tables and ids contain no NUL. */
function associated(head: Uint8Array, { table, id }: SealedField): Uint8Array {
  return Buffer.concat([head, Buffer.from(`\0${table}\0${id}`, "utf8")]);
}

/**
 * Opens the vault whose key is in the file. If `mayMake` is set, creates a missing key, but not its folder. Throws a
 * {@link VaultError} if the file is missing, is not a key, or is accessible to others.
 */
export function openVaultFile(path: string, { mayMake }: { mayMake: boolean }): Vault {
  let stat = statOrNull(path);
  if (stat === null) {
    if (!mayMake) throw new VaultError(isKeyLost(path));
    makeKeyFile(path);
    stat = Deno.statSync(path);
  }
  if (!stat.isFile) throw new VaultError(`the key file ${path} is not a file`);
  // The mode is null if the system has no file modes.
  if (stat.mode !== null && (stat.mode & OTHERS) !== 0) {
    throw new VaultError(
      `the key file ${path} is accessible to others (mode ${modeOf(stat.mode)}): ` +
        `run \`chmod 600 ${path}\`; if anyone may have read it, rotate the webhook secrets`,
    );
  }
  if (stat.size !== KEY_BYTES) {
    throw new VaultError(
      `the key file ${path} is not the key, because its size is ${stat.size} instead of ${KEY_BYTES} bytes: ` +
        `move it away, and ${LOST_KEY_ADVICE}`,
    );
  }
  return createVault(readKey(path));
}

function isKeyLost(path: string): string {
  return `the key file ${path} is missing, and webhooks cannot be signed without it: ${LOST_KEY_ADVICE}`;
}

function modeOf(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, "0");
}

function readKey(path: string): Uint8Array {
  try {
    return Deno.readFileSync(path);
  } catch (error) {
    throw new VaultError(`the key file ${path} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function statOrNull(path: string): Deno.FileInfo | null {
  try {
    return Deno.statSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw new VaultError(`the key file ${path} cannot be inspected: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Creates the file with its content in one step. Keeps the existing file if another process was faster. */
function makeKeyFile(path: string): void {
  const draft = join(dirname(path), `.${basename(path)}.${crypto.randomUUID()}`);
  try {
    {
      using file = Deno.openSync(draft, { write: true, createNew: true, mode: KEY_MODE });
      file.writeSync(randomBytes(KEY_BYTES));
      file.syncSync();
    }
    try {
      Deno.linkSync(draft, path);
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
  } catch (error) {
    throw new VaultError(`the key file ${path} cannot be created: ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    if (statOrNull(draft) !== null) Deno.removeSync(draft);
  }
}
