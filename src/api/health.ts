// Builds the health report.
import type { AccountHealth } from "../domain/ports/store/customers.ts";
import { StorageError } from "../domain/ports/store/storage_fault.ts";
import type { Store } from "../domain/ports/store/store.ts";
import type { StoreHealth } from "../domain/ports/store/deliveries.ts";
import type { ConfigState } from "../domain/config_reload_state.ts";
import { DISCLAIMER } from "../domain/event/disclaimer.ts";
import type { EventLoop } from "../domain/ports/event_loop.ts";
import type { Clock, Log } from "../domain/ports/ports.ts";
import type { SourceSettings, SourceState } from "../domain/source/source.ts";
import { type SourceCondition, sourceHealth } from "../domain/source/source_health.ts";
import type { HealthReport } from "../wire/health_sources_topics.ts";

/** Age in ms above which a pending delivery makes the service degraded. */
const OLD_DELIVERY_MS = 3_600_000;
/** Age in ms above which a queued email makes the service degraded. */
const OLD_MAIL_MS = 3_600_000;
/** How long a report is cached, in ms. Reports are public, and counting a long queue is expensive. */
const CACHED_MS = 1_000;

interface HealthOptions {
  store: Pick<Store, "listSources" | "health" | "accountHealth" | "fault">;
  sources: readonly SourceSettings[];
  clock: Clock;
  log: Log;
  version: string;
  configState(): ConfigState;
  eventLoop: Pick<EventLoop, "longestPauseMs">;
}

/** Returns a function that reports `down` if the store is unavailable, and `degraded` if a part needs attention. */
export function createHealth(options: HealthOptions): () => Promise<HealthReport> {
  let cached: HealthReport | null = null;
  return async () => {
    const nowMs = options.clock.nowMs();
    const isRecent = cached !== null && Math.abs(nowMs - cached.time) < CACHED_MS;
    return isRecent && cached !== null ? cached : cached = await report(options, nowMs);
  };
}

async function report(options: HealthOptions, nowMs: number): Promise<HealthReport> {
  const config = options.configState();
  const common = {
    version: options.version,
    time: nowMs,
    config,
    event_loop: { longest_pause_ms: options.eventLoop.longestPauseMs() },
    disclaimer: DISCLAIMER,
  };
  try {
    const ingestion = ingestionHealth(await options.store.listSources(), options, nowMs);
    const deliveries = deliveryHealth(await options.store.health(), nowMs);
    const accounts = await options.store.accountHealth();
    const { failing, blocked, silent, empty, partial, held_back } = ingestion;
    const fault = (await options.store.fault())?.fault ?? null;
    const isDegraded = fault !== null || config !== "ok" ||
      failing + blocked + silent + empty + partial + held_back > 0 ||
      (deliveries.oldest_pending_age_ms ?? 0) > OLD_DELIVERY_MS || accountsNeedAttention(accounts, nowMs);
    return {
      status: fault === "unavailable" ? "down" : isDegraded ? "degraded" : "ok",
      database: fault ?? "ok",
      ingestion,
      deliveries,
      mails: { queued: accounts.queuedMails, failed: accounts.failedMails },
      payments: { unknown_prices: accounts.unknownPrices },
      ...common,
    };
  } catch (error) {
    options.log.error("store not readable", {
      cause: error instanceof Error ? error.message : String(error),
    });
    return {
      status: "down",
      database: error instanceof StorageError ? error.fault : "unavailable",
      ingestion: ingestionHealth([], options, nowMs),
      deliveries: { pending: 0, oldest_pending_age_ms: null },
      mails: { queued: 0, failed: 0 },
      payments: { unknown_prices: 0 },
      ...common,
    };
  }
}

function accountsNeedAttention(accounts: AccountHealth, nowMs: number): boolean {
  const { failedMails, unknownPrices, oldestQueuedMailAtMs } = accounts;
  return failedMails > 0 || unknownPrices > 0 || nowMs - (oldestQueuedMailAtMs ?? nowMs) > OLD_MAIL_MS;
}

function ingestionHealth(
  states: readonly SourceState[],
  { sources }: HealthOptions,
  nowMs: number,
): HealthReport["ingestion"] {
  const known = new Map(states.map((state) => [state.id, state]));
  const conditions = sources.map((source) =>
    sourceHealth(source, known.get(source.id) ?? null, nowMs).condition
  );
  const count = (condition: SourceCondition): number => conditions.filter((one) => one === condition).length;
  const successes = states.map((state) => state.lastSuccessAtMs).filter((ms) => ms !== null);
  return {
    sources: sources.length,
    failing: count("failing"),
    blocked: count("blocked"),
    silent: count("silent"),
    empty: count("empty"),
    partial: count("partial"),
    new: count("new"),
    held_back: states.reduce((events, state) => events + state.heldBack, 0),
    last_success_at: successes.length === 0 ? null : Math.max(...successes),
  };
}

function deliveryHealth(health: StoreHealth, nowMs: number): HealthReport["deliveries"] {
  return {
    pending: health.pendingDeliveries,
    oldest_pending_age_ms: health.oldestPendingAtMs === null
      ? null
      : Math.max(0, nowMs - health.oldestPendingAtMs),
  };
}
