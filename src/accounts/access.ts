// Who a request comes from: the key's holder, read at most once in a while.
import type { Customer } from "../domain/customer.ts";
import { AppError } from "../domain/errors.ts";
import type { Clock } from "../domain/ports.ts";
import { type Soon, whenThere } from "../domain/soon.ts";
import type { KeyHolder, Store } from "../domain/store.ts";
import { hashKey, keyFromHeader } from "./keys.ts";

/** How long a holder is believed without asking the store, ms: a disabled key is refused within a second. */
const BELIEVED_FOR_MS = 500;
/** Holders kept at most, and hashes of the keys that were sent lately. */
const MAX_KEPT = 10_000;

/** Finds the customer behind a request. */
export interface Access {
  /** The customer of the `Authorization` header. Throws `unauthenticated` without a good key of an enabled customer. */
  authenticate(authorization: string | null): Soon<Customer>;
  /** Whether the header's key was good when it was last seen, as far as is remembered; asks nobody. */
  isRemembered(authorization: string): boolean;
}

/** Only who holds a whole good key is told this: nobody guesses one. */
function whyOut({ disabledBy }: KeyHolder): string {
  return disabledBy === "payment"
    ? "This API key is good, but your access has ended: it is not paid for. It comes back, with the same key, when what " +
      "is due is paid, or where the subscription has ended, if you subscribe again with the same account."
    : "This API key is good, but the operator has switched your access off: a new key would not help. Write to the " +
      "operator.";
}

/** The hashes of headers that held a good key. */
interface RecentHashes {
  get(authorization: string, nowMs: number): string | undefined;
  put(authorization: string, hash: string): void;
}

/**
 * An empty memory that forgets all within {@link BELIEVED_FOR_MS}: who asks again and again has its key hashed once in
 * that time, for the hash costs a tenth of a request. A header is found by the runtime's own hash of it, which has
 * another seed in each process, and compared as a whole only where that is the same: time tells nothing of it.
 */
function createRecentHashes(): RecentHashes {
  const hashes = new Map<string, string>();
  let sinceMs = 0;
  return {
    get(authorization, nowMs) {
      if (nowMs < sinceMs || nowMs - sinceMs >= BELIEVED_FOR_MS) {
        hashes.clear();
        sinceMs = nowMs;
      }
      return hashes.get(authorization);
    },
    put(authorization, hash) {
      if (hashes.size < MAX_KEPT) hashes.set(authorization, hash);
    },
  };
}

function customerOf(holder: KeyHolder | null): Customer {
  if (holder === null) throw new AppError("unauthenticated", "This API key is not known.");
  if (holder.keyDisabled) {
    throw new AppError(
      "unauthenticated",
      "This API key is disabled: it was replaced, or taken back. Ask the operator if you have no newer one.",
    );
  }
  if (!holder.customer.enabled) throw new AppError("unauthenticated", whyOut(holder));
  return holder.customer;
}

/** Access by the keys of the store. */
export function createAccess({ store, clock }: { store: Pick<Store, "findKey">; clock: Clock }): Access {
  const kept = new Map<string, { holder: KeyHolder; readAtMs: number }>();
  const hashes = createRecentHashes();

  const find = (hash: string, nowMs: number): Soon<KeyHolder | null> => {
    const known = kept.get(hash);
    // A clock that was set back says nothing of how long ago it was: then the store is asked.
    const isRecent = known !== undefined && nowMs >= known.readAtMs &&
      nowMs - known.readAtMs < BELIEVED_FOR_MS;
    if (isRecent) return known.holder;
    return whenThere(store.findKey(hash), (holder) => {
      if (holder === null) {
        kept.delete(hash);
        return null;
      }
      if (kept.size >= MAX_KEPT) kept.clear();
      kept.set(hash, { holder, readAtMs: nowMs });
      return holder;
    });
  };

  return {
    authenticate(authorization) {
      if (authorization === null) {
        throw new AppError("unauthenticated", "Send your API key as `Authorization: Bearer rgf_…`.");
      }
      const nowMs = clock.nowMs();
      const recent = hashes.get(authorization, nowMs);
      if (recent !== undefined) return whenThere(find(recent, nowMs), customerOf);
      const key = keyFromHeader(authorization);
      if (key === null) {
        throw new AppError(
          "unauthenticated",
          "The Authorization header holds no API key: it must be `Bearer rgf_` and 64 hexadecimal characters.",
        );
      }
      const hash = hashKey(key);
      return whenThere(find(hash, nowMs), (holder) => {
        const customer = customerOf(holder);
        hashes.put(authorization, hash);
        return customer;
      });
    },
    isRemembered(authorization) {
      const key = keyFromHeader(authorization);
      const holder = key === null ? undefined : kept.get(hashKey(key))?.holder;
      return holder !== undefined && !holder.keyDisabled && holder.customer.enabled;
    },
  };
}
