// Limits requests per IP address: those without a key, and those with an invalid key or signature.
import { AppError } from "../domain/error_codes.ts";
import type { Clock } from "../domain/ports/ports.ts";

/** Maximum number of IP addresses counted for each limit. The least recently used is dropped first. */
const MAX_ADDRESSES = 20_000;
/** Above this multiple of MAX_ADDRESSES, the oldest are removed together, because finding a map's first key is slow. */
const MAX_OVERHANG = 1.1;
const MINUTE_MS = 60_000;

export type Limited = "public" | "failed_key";

/** Maximum number of requests per minute and IP address; null for no limit. */
export type LimitSettings = Readonly<Record<Limited, number | null>>;

export interface Refusal {
  limited: Limited;
  retryInSeconds: number;
}

export interface IpRateLimit {
  /** Counts a request. Returns a refusal if the request exceeds the limit. `address` is null if no limit applies. */
  take(limited: Limited, address: string | null): Refusal | null;
  /** Returns what {@link take} would return now, without counting. */
  look(limited: Limited, address: string | null): Refusal | null;
  /** Whether any IP address is counted for this limit. */
  hasCounts(limited: Limited): boolean;
}

export type AddressCounts = Readonly<Record<Limited, Map<string, Bucket>>>;

export function createAddressCounts(): AddressCounts {
  return { public: new Map(), failed_key: new Map() };
}

/** Creates limits with one token bucket per IP address. A bucket holds the requests of one minute. */
export function createAddressLimits(
  settings: LimitSettings,
  clock: Pick<Clock, "nowMs">,
  { counts: kept = createAddressCounts(), maxAddresses = MAX_ADDRESSES }: {
    counts?: AddressCounts;
    maxAddresses?: number;
  } = {},
): IpRateLimit {
  const measure = (limited: Limited, address: string | null, cost: 0 | 1): Refusal | null => {
    const perMinute = settings[limited];
    if (perMinute === null || address === null) return null;
    const buckets = kept[limited];
    const { bucket, waitMs } = drawFrom(buckets.get(address) ?? null, {
      perMinute,
      nowMs: clock.nowMs(),
      cost,
    });
    if (cost > 0) {
      buckets.delete(address); // moves it to the end, so that the map's first key is the least recently used
      buckets.set(address, bucket);
      if (buckets.size > maxAddresses * MAX_OVERHANG) removeOldest(buckets, maxAddresses);
    }
    return waitMs === 0 ? null : { limited, retryInSeconds: Math.ceil(waitMs / 1_000) };
  };
  return {
    take: (limited, address) => measure(limited, address, 1),
    look: (limited, address) => measure(limited, address, 0),
    hasCounts: (limited) => kept[limited].size > 0,
  };
}

function removeOldest(buckets: Map<string, Bucket>, left: number): void {
  for (const address of buckets.keys()) {
    if (buckets.size <= left) return;
    buckets.delete(address);
  }
}

interface Bucket {
  left: number;
  atMs: number;
}

/** Draws from a bucket. `waitMs` is 0 if the draw is allowed, otherwise the time until one is. Refusals cost nothing. */
export function drawFrom(
  before: Bucket | null,
  { perMinute, nowMs, cost }: { perMinute: number; nowMs: number; cost: 0 | 1 },
): { bucket: Bucket; waitMs: number } {
  // If the clock was set back, no time counts as passed.
  const passedMs = before === null ? 0 : Math.max(0, nowMs - before.atMs);
  const left = before === null
    ? perMinute
    : Math.min(perMinute, before.left + passedMs * perMinute / MINUTE_MS);
  if (left >= 1) return { bucket: { left: left - cost, atMs: nowMs }, waitMs: 0 };
  return { bucket: { left, atMs: nowMs }, waitMs: Math.ceil((1 - left) * MINUTE_MS / perMinute) };
}

export function refusalError({ limited, retryInSeconds }: Refusal): AppError {
  const why = limited === "public"
    ? "Too many requests without a key from your IP address."
    : "Too many requests with an invalid key or signature from your IP address.";
  return new AppError("too_many_requests", `${why} Try again in ${retryInSeconds} s.`, [], retryInSeconds);
}
