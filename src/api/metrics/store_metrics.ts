// Metrics that are read from the store: queues, failures and sources.
import type { Metrics } from "../../domain/ports/metrics.ts";
import type { Clock } from "../../domain/ports/ports.ts";
import { STORAGE_FAULTS } from "../../domain/ports/store/storage_fault.ts";
import type { Store } from "../../domain/ports/store/store.ts";

/** Maximum number of customers in a metric. Each customer is a time series. */
const LARGEST = 10;

interface MeasuredStore {
  store: Pick<
    Store,
    "health" | "accountHealth" | "countUndelivered" | "largestCustomers" | "listSources" | "fault"
  >;
  clock: Clock;
  /** Whether a source is enabled. Disabled sources have no metrics. */
  isMeasured(sourceId: string): boolean;
}

/** Adds the gauges. Their values are read from the store at each request for the metrics. */
export function measureStore(metrics: Metrics, { store, clock, isMeasured }: MeasuredStore): void {
  const gauge = (name: string, help: string, read: () => Promise<number>) =>
    metrics.gauge({ name, help }, async () => [{ value: await read() }]);
  const ageOf = (ms: number | null) => ms === null ? 0 : Math.max(0, clock.nowMs() - ms) / 1_000;

  gauge(
    "regfeed_deliveries_pending",
    "Deliveries waiting for an attempt.",
    async () => (await store.health()).pendingDeliveries,
  );
  gauge(
    "regfeed_deliveries_oldest_pending_age_seconds",
    "Age of the oldest delivery that is waiting for an attempt; 0 if there is none.",
    async () => ageOf((await store.health()).oldestPendingAtMs),
  );
  const undelivered = {
    regfeed_deliveries_held: [
      "held",
      "Deliveries held because a monthly quota is used up, or a subscription or customer is disabled.",
    ],
    regfeed_deliveries_failed: ["failed", "Failed deliveries in the log."],
    regfeed_subscriptions_held_full: [
      "heldFull",
      "Subscriptions for which no deliveries are created, because their customer's limit on held deliveries was reached.",
    ],
  } as const;
  for (const [name, [count, help]] of Object.entries(undelivered)) {
    gauge(name, help, async () => (await store.countUndelivered())[count]);
  }
  metrics.gauge({
    name: "regfeed_customer_stored_bytes",
    help: `Approximate size of the data stored for each of the ${LARGEST} largest customers.`,
    labels: ["customer"],
  }, async () => {
    const largest = await store.largestCustomers(LARGEST);
    return largest.map(({ customerId, bytes }) => ({ labels: [customerId], value: bytes }));
  });
  gauge("regfeed_mails_queued", "Unsent emails.", async () => (await store.accountHealth()).queuedMails);
  gauge(
    "regfeed_mails_oldest_queued_age_seconds",
    "Age of the oldest unsent email; 0 if there is none.",
    async () => ageOf((await store.accountHealth()).oldestQueuedMailAtMs),
  );
  gauge("regfeed_mails_failed", "Failed emails.", async () => (await store.accountHealth()).failedMails);
  metrics.gauge({
    name: "regfeed_storage_fault",
    help: "1 for the current storage fault, 0 for the others.",
    labels: ["fault"],
  }, async () => {
    const now = (await store.fault())?.fault;
    return STORAGE_FAULTS.map((fault) => ({ labels: [fault], value: Number(fault === now) }));
  });
  measureSources(metrics, { store, isMeasured });
}

function measureSources(metrics: Metrics, { store, isMeasured }: Omit<MeasuredStore, "clock">): void {
  const perSource = (
    name: string,
    help: string,
    valueOf: (state: Awaited<ReturnType<Store["listSources"]>>[number]) => number | null,
  ) =>
    metrics.gauge(
      { name, help, labels: ["source"] },
      async () =>
        (await store.listSources()).filter(({ id }) => isMeasured(id)).flatMap((state) => {
          const value = valueOf(state);
          return value === null ? [] : [{ labels: [state.id], value }];
        }),
    );
  perSource(
    "regfeed_source_last_success_timestamp_seconds",
    "Time of the last successful fetch in Unix seconds; absent before the first one.",
    ({ lastSuccessAtMs }) => lastSuccessAtMs === null ? null : lastSuccessAtMs / 1_000,
  );
  perSource(
    "regfeed_source_consecutive_failures",
    "Consecutive failed fetches.",
    ({ consecutiveFailures }) => consecutiveFailures,
  );
  perSource(
    "regfeed_source_gaps",
    "Parts of the source (URLs, pages, files) that its last successful fetch lacked.",
    ({ partialFailures }) => partialFailures.length,
  );
  perSource(
    "regfeed_source_held_back_events",
    "Events held by a change spike until `source release`.",
    ({ heldBack }) => heldBack,
  );
}
