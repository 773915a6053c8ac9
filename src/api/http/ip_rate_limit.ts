// How often one address may ask without a key, and how often with a wrong one: a guess costs who guesses.
import { AppError } from "../../domain/errors.ts";
import type { Clock } from "../../domain/ports/ports.ts";

/** Addresses of which is remembered how much they asked; the one that was quiet for longest is forgotten first. */
const MAX_ADDRESSES = 20_000;
/**
 * So much more may be remembered until the oldest are forgotten together: to find the first key of a map, the runtime
 * steps over all that were deleted before it.
 */
const MAX_OVERHANG = 1.1;
const MINUTE_MS = 60_000;

/** What is limited. */
export const LIMITED = ["public", "failed_key"] as const;

/** A kind of request that is limited. */
export type Limited = typeof LIMITED[number];

/** How many requests an address may make a minute; null: as many as it likes. */
export type LimitSettings = Readonly<Record<Limited, number | null>>;

/** A request that was refused for its address; the passage remembers it for the answer and for the metrics. */
export interface Refusal {
  limited: Limited;
  /** Whole seconds until one more is allowed. */
  retryInSeconds: number;
}

/** The limits of all addresses. */
export interface IpRateLimit {
  /** Counts one request of an address (null: of nobody who is limited); the refusal when it was one too many. */
  take(limited: Limited, address: string | null): Refusal | null;
  /** The same without counting: what {@link take} would say now. */
  look(limited: Limited, address: string | null): Refusal | null;
  /** Whether anybody is remembered who asked so: where nobody is, nobody is refused. */
  isAnybody(limited: Limited): boolean;
}

/** What addresses have asked so far, whatever the limits are: those of a later config go on from it. */
export type AddressCounts = Readonly<Record<Limited, Map<string, Bucket>>>;

/** Counts of nobody. */
export function createAddressCounts(): AddressCounts {
  return { public: new Map(), failed_key: new Map() };
}

/** Limits that let each address spend a minute's number at once, and then one after the other (a token bucket). */
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
      buckets.delete(address); // behind all others: the first of the map is the one that was quiet for longest
      buckets.set(address, bucket);
      if (buckets.size > maxAddresses * MAX_OVERHANG) forgetOldest(buckets, maxAddresses);
    }
    return waitMs === 0 ? null : { limited, retryInSeconds: Math.ceil(waitMs / 1_000) };
  };
  return {
    take: (limited, address) => measure(limited, address, 1),
    look: (limited, address) => measure(limited, address, 0),
    isAnybody: (limited) => kept[limited].size > 0,
  };
}

function forgetOldest(buckets: Map<string, Bucket>, left: number): void {
  for (const address of buckets.keys()) {
    if (buckets.size <= left) return;
    buckets.delete(address);
  }
}

/** What an address may still ask at a moment. */
export interface Bucket {
  left: number;
  atMs: number;
}

/**
 * A bucket after a draw, with the ms until one more may be drawn: 0 when this one was allowed. Refused draws cost
 * nothing: who goes on asking is let in as often as who waits.
 */
export function drawFrom(
  before: Bucket | null,
  { perMinute, nowMs, cost }: { perMinute: number; nowMs: number; cost: 0 | 1 },
): { bucket: Bucket; waitMs: number } {
  // A clock that was set back gives nothing and takes nothing.
  const passedMs = before === null ? 0 : Math.max(0, nowMs - before.atMs);
  const left = before === null
    ? perMinute
    : Math.min(perMinute, before.left + passedMs * perMinute / MINUTE_MS);
  if (left >= 1) return { bucket: { left: left - cost, atMs: nowMs }, waitMs: 0 };
  return { bucket: { left, atMs: nowMs }, waitMs: Math.ceil((1 - left) * MINUTE_MS / perMinute) };
}

/** The refusal as the client is told it. */
export function refusalError({ limited, retryInSeconds }: Refusal): AppError {
  const why = limited === "public"
    ? "Too many requests without a key from your IP address."
    : "Too many requests with an invalid key or signature from your IP address.";
  return new AppError("too_many_requests", `${why} Try again in ${retryInSeconds} s.`);
}
