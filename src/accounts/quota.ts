// The daily request quota: exact counts in memory, written behind once a second.
import type { RequestAllowance } from "../domain/allowance.ts";
import { utcDay } from "../domain/calendar.ts";
import type { Clock } from "../domain/ports.ts";
import type { Store } from "../domain/store.ts";

const DAY_MS = 86_400_000;

/** Counts requests. */
export interface Quota {
  /** Counts one request of the customer against its daily limit. */
  take(customerId: string, limit: number): Promise<RequestAllowance>;
  /** Writes what was counted since the last call, after a call that is still at it. */
  flush(): Promise<void>;
}

interface DayCount {
  customerId: string;
  day: string;
  /** Requests counted, stored ones included. */
  used: number;
  /** Of these, not stored yet; negative after refunds. */
  unwritten: number;
}

/** A quota over the store's counts. One process counts; a crash loses what it counted since the last flush. */
export function createQuota(
  { store, clock }: { store: Pick<Store, "countedRequests" | "addRequests">; clock: Clock },
): Quota {
  const counts = new Map<string, DayCount>();
  const loading = new Map<string, Promise<DayCount>>();
  let flushing: Promise<void> = Promise.resolve();

  const load = async (key: string, customerId: string, day: string): Promise<DayCount> => {
    let pending = loading.get(key);
    if (pending === undefined) {
      // Requests that arrive together wait for one read, or each would count from the same stored number.
      pending = store.countedRequests(customerId, day)
        .then((used) => {
          const count = { customerId, day, used, unwritten: 0 };
          counts.set(key, count);
          return count;
        })
        .finally(() => loading.delete(key));
      loading.set(key, pending);
    }
    return await pending;
  };

  return {
    async take(customerId, limit) {
      const nowMs = clock.nowMs();
      const dayNumber = Math.floor(nowMs / DAY_MS);
      const key = `${dayNumber} ${customerId}`;
      const count = counts.get(key) ?? await load(key, customerId, utcDay(nowMs));
      const allowed = count.used < limit;
      if (allowed) add(count, 1);
      const resetMs = (dayNumber + 1) * DAY_MS;
      let counted = allowed;
      const allowance: RequestAllowance = {
        allowed,
        limit,
        remaining: Math.max(0, limit - count.used),
        resetMs,
        resetInSeconds: Math.ceil((resetMs - nowMs) / 1000),
        refund: () => {
          if (!counted) return;
          counted = false;
          allowance.remaining++;
          add(count, -1);
        },
      };
      return allowance;
    },

    flush: () => flushing = flushing.catch(() => {}).then(() => write(store, counts, clock.nowMs())),
  };
}

async function write(
  store: Pick<Store, "addRequests">,
  counts: Map<string, DayCount>,
  nowMs: number,
): Promise<void> {
  const batch = [...counts.values()].filter((count) => count.unwritten !== 0)
    .map((count) => ({ count, requests: count.unwritten }));
  if (batch.length > 0) {
    // Taken out before the write, so that what is counted meanwhile is written by the next flush, once.
    for (const { count } of batch) count.unwritten = 0;
    try {
      await store.addRequests(
        batch.map(({ count, requests }) => ({ customerId: count.customerId, day: count.day, requests })),
      );
    } catch (error) {
      for (const { count, requests } of batch) count.unwritten += requests;
      throw error;
    }
  }
  // Yesterday's stay: a request that began before midnight may still take its count back.
  const yesterday = utcDay(nowMs - DAY_MS);
  for (const [key, count] of counts) {
    if (count.day < yesterday && count.unwritten === 0) counts.delete(key);
  }
}

function add(count: DayCount, requests: number): void {
  count.used += requests;
  count.unwritten += requests;
}
