// API keys: creation, hashing and parsing.
import { createHash } from "node:crypto";
import { DEFAULT_LABEL } from "../domain/customer/api_key.ts";
import type { ApiKey } from "../domain/customer/customer.ts";
import { makeSecret } from "../domain/delivery/secret.ts";

export const KEY_PREFIX = "rgf_";
const KEY_FORM = /^rgf_[0-9a-f]{64}$/;
const BEARER_FORM = /^[Bb][Ee][Aa][Rr][Ee][Rr] +(rgf_[0-9a-f]{64})$/;

/** Makes a new key (the prefix and 64 hexadecimal digits) and its stored form, which does not contain the key. */
export function makeKey(
  randomBytes: (count: number) => Uint8Array,
  nowMs: number,
  label: string = DEFAULT_LABEL,
): { key: string; stored: ApiKey } {
  const key = KEY_PREFIX + makeSecret(randomBytes);
  return {
    key,
    stored: {
      hash: hashKey(key),
      label,
      lastFour: key.slice(-4),
      createdAtMs: nowMs,
      validUntilMs: null,
      disabledAtMs: null,
      lastUsedAtMs: null,
    },
  };
}

export function isKey(text: string): boolean {
  return KEY_FORM.test(text);
}

/** Returns the SHA-256 hash of the whole key in lower-case hexadecimal. */
export function hashKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** Returns the key in an `Authorization: Bearer …` header (RFC 6750, with a case-insensitive scheme), or null. */
export function keyFromHeader(authorization: string | null): string | null {
  return authorization === null ? null : BEARER_FORM.exec(authorization)?.[1] ?? null;
}
