// Authenticates requests by API key. Keys are cached briefly.
import { keyStateOf } from "../domain/customer/api_key.ts";
import type { Customer } from "../domain/customer/customer.ts";
import { AppError } from "../domain/error_codes.ts";
import type { Clock } from "../domain/ports/ports.ts";
import type { KeyHolder } from "../domain/ports/store/customers.ts";
import type { Store } from "../domain/ports/store/store.ts";
import { hashKey, keyFromHeader } from "./keys.ts";

/** How long a key's holder is cached, in ms. A disabled key must be rejected within a second. */
const CACHE_MS = 500;
const MAX_CACHED = 10_000;
/** How much later, in ms, a key must be used for its last use to be stored again. */
const USE_MS = 3_600_000;

export interface Access {
  /** Returns the customer whose valid key is in the header. Rejects with `unauthenticated` if there is none. */
  authenticate(authorization: string | null): Promise<Customer>;
  /** Whether the header's key was valid when it was last used, according to the cache. */
  isRemembered(authorization: string): boolean;
  /** Stores when keys were last used. */
  flush(): Promise<void>;
}

/** Returns why a customer has no access. Only holders of a valid key, which cannot be guessed, see the reason. */
function whyDisabled({ disabledBy }: KeyHolder): string {
  return disabledBy === "payment"
    ? "This API key is valid, but your access has ended because a payment is missing or your paid subscription has " +
      "ended. Access with the same key resumes when you pay or subscribe again with the same account."
    : "This API key is valid, but the operator has disabled your access. A new key would not help; contact the operator.";
}

/**
 * Returns the holder if its key is valid and its customer is enabled. Otherwise, throws `unauthenticated` or
 * `access_ended`.
 */
function checked(holder: KeyHolder | null, nowMs: number): KeyHolder {
  if (holder === null) throw new AppError("unauthenticated", "This API key is unknown.");
  if (keyStateOf(holder.key, nowMs) === "disabled") {
    throw new AppError(
      "unauthenticated",
      "This API key is disabled because it was replaced or revoked. Contact the operator if you have no newer key.",
    );
  }
  if (!holder.customer.enabled) throw new AppError("access_ended", whyDisabled(holder));
  return holder;
}

export function createAccess(
  { store, clock }: { store: Pick<Store, "findKey" | "noteKeyUses">; clock: Clock },
): Access {
  const cached = new Map<string, { holder: KeyHolder; readAtMs: number }>();
  /** When keys were used, Unix ms, by hash; not stored yet. */
  let uses = new Map<string, number>();

  const noteUse = (hash: string, { key: { lastUsedAtMs } }: KeyHolder, nowMs: number) => {
    if (lastUsedAtMs === null || Math.abs(nowMs - lastUsedAtMs) >= USE_MS) uses.set(hash, nowMs);
  };

  const find = async (hash: string): Promise<KeyHolder | null> => {
    const nowMs = clock.nowMs();
    const known = cached.get(hash);
    // Uses the absolute difference, so that holders are reread if the clock was set back.
    if (known !== undefined && Math.abs(nowMs - known.readAtMs) < CACHE_MS) return known.holder;
    const holder = await store.findKey(hash);
    if (holder === null) {
      cached.delete(hash);
      return null;
    }
    if (cached.size >= MAX_CACHED) cached.clear();
    cached.set(hash, { holder, readAtMs: nowMs });
    return holder;
  };

  return {
    async authenticate(authorization) {
      if (authorization === null) {
        throw new AppError("unauthenticated", "Send your API key as `Authorization: Bearer rgf_…`.");
      }
      const key = keyFromHeader(authorization);
      if (key === null) {
        throw new AppError(
          "unauthenticated",
          "The Authorization header has no valid API key: it must be `Bearer rgf_` and 64 hexadecimal digits.",
        );
      }
      const hash = hashKey(key);
      const found = await find(hash);
      const nowMs = clock.nowMs();
      const holder = checked(found, nowMs);
      noteUse(hash, holder, nowMs);
      return holder.customer;
    },
    isRemembered(authorization) {
      const key = keyFromHeader(authorization);
      const holder = key === null ? undefined : cached.get(hashKey(key))?.holder;
      return holder !== undefined && keyStateOf(holder.key, clock.nowMs()) !== "disabled" &&
        holder.customer.enabled;
    },
    async flush() {
      if (uses.size === 0) return;
      const noted = uses;
      uses = new Map();
      try {
        await store.noteKeyUses([...noted].map(([hash, atMs]) => ({ hash, atMs })));
      } catch (error) {
        for (const [hash, atMs] of noted) if (!uses.has(hash)) uses.set(hash, atMs);
        throw error;
      }
    },
  };
}
