// The daily request quota: exact counts in memory, written to the store once per second.
import type { RequestAllowance } from "../domain/customer/remaining_requests.ts";
import type { Clock } from "../domain/ports/ports.ts";
import type { Store } from "../domain/ports/store/store.ts";
import { utcDay } from "../domain/utc_day.ts";

const DAY_MS = 86_400_000;

export interface Quota {
  take(customerId: string, limit: number): Promise<RequestAllowance>;
  /** Returns the quota without counting a request. */
  look(customerId: string, limit: number): Promise<Pick<RequestAllowance, "limit" | "remaining" | "resetMs">>;
  /** Stores the requests counted since the last flush. Waits for a flush in progress first. */
  flush(): Promise<void>;
}

interface Day {
  /** Days since the Unix epoch. */
  number: number;
  /** The UTC day, such as "2026-07-31". */
  name: string;
  counts: Map<string, DayCount>;
  /** Reads in progress by customer. Concurrent first requests share one read, so that they share one count. */
  loading: Map<string, Promise<DayCount>>;
}

interface DayCount {
  customerId: string;
  day: string;
  /** All requests counted on the day, whether stored yet or not. */
  used: number;
  /** Requests not stored yet; negative after refunds. */
  unwritten: number;
}

/** Creates the quota of a store. Only one process may count. In a crash, the counts since the last flush are lost. */
export function createQuota(
  { store, clock }: { store: Pick<Store, "countedRequests" | "addRequests">; clock: Clock },
): Quota {
  const days = new Map<number, Day>();
  let flushing: Promise<void> = Promise.resolve();

  const dayOf = (nowMs: number): Day => {
    const number = Math.floor(nowMs / DAY_MS);
    const known = days.get(number);
    if (known !== undefined) return known;
    const day = { number, name: utcDay(nowMs), counts: new Map(), loading: new Map() };
    days.set(number, day);
    return day;
  };
  const load = ({ name, counts, loading }: Day, customerId: string): Promise<DayCount> => {
    const pending = loading.get(customerId);
    if (pending !== undefined) return pending;
    const loaded = store.countedRequests(customerId, name).then((used) => {
      const count = { customerId, day: name, used, unwritten: 0 };
      counts.set(customerId, count);
      return count;
    }).finally(() => loading.delete(customerId));
    loading.set(customerId, loaded);
    return loaded;
  };

  return {
    async take(customerId, limit) {
      const nowMs = clock.nowMs();
      const day = dayOf(nowMs);
      const count = day.counts.get(customerId) ?? await load(day, customerId);
      return takeOne(count, { limit, resetMs: (day.number + 1) * DAY_MS, nowMs });
    },

    async look(customerId, limit) {
      const day = dayOf(clock.nowMs());
      const { used } = day.counts.get(customerId) ?? await load(day, customerId);
      return { limit, remaining: Math.max(0, limit - used), resetMs: (day.number + 1) * DAY_MS };
    },

    flush: () => flushing = flushing.catch(() => {}).then(() => write(store, days, clock.nowMs())),
  };
}

function takeOne(
  count: DayCount,
  { limit, resetMs, nowMs }: { limit: number; resetMs: number; nowMs: number },
): RequestAllowance {
  const allowed = count.used < limit;
  if (allowed) add(count, 1);
  let isCounted = allowed;
  const allowance = {
    allowed,
    limit,
    remaining: Math.max(0, limit - count.used),
    resetMs,
    resetInSeconds: Math.ceil((resetMs - nowMs) / 1_000),
    refund() {
      if (!isCounted) return;
      isCounted = false;
      allowance.remaining++;
      add(count, -1);
    },
  };
  return allowance;
}

async function write(
  store: Pick<Store, "addRequests">,
  days: Map<number, Day>,
  nowMs: number,
): Promise<void> {
  const batch = [...days.values()].flatMap(({ counts }) => [...counts.values()])
    .filter((count) => count.unwritten !== 0)
    .map((count) => ({ count, requests: count.unwritten }));
  if (batch.length > 0) {
    // The counts are reset before the write, so that the next flush stores the requests made during the write.
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
  // Yesterday's counts are kept, because a request from before midnight may still be refunded.
  const yesterday = Math.floor(nowMs / DAY_MS) - 1;
  for (const [number, { counts, loading }] of days) {
    if (number >= yesterday) continue;
    for (const [customerId, count] of counts) {
      if (count.unwritten === 0) counts.delete(customerId);
    }
    if (counts.size + loading.size === 0) days.delete(number);
  }
}

function add(count: DayCount, requests: number): void {
  count.used += requests;
  count.unwritten += requests;
}
