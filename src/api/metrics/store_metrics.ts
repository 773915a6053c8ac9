// What the store says for the metrics: what waits, what failed, and when each source was last had.
import type { Metrics } from "../../domain/ports/metrics.ts";
import type { Clock } from "../../domain/ports/ports.ts";
import type { Store } from "../../domain/ports/store/store.ts";
import { STORAGE_FAULTS } from "../../domain/ports/store/storage_fault.ts";

/** Customers that are named: each is a time series. */
const LARGEST = 10;

/** What the gauges are read from. */
export interface MeasuredStore {
  store: Pick<
    Store,
    "health" | "accountHealth" | "countUndelivered" | "largestCustomers" | "listSources" | "fault"
  >;
  clock: Clock;
  /** Whether a source is in force: of others nothing is said. */
  isMeasured(sourceId: string): boolean;
}

/** Adds the gauges; each is read when the metrics are. */
export function measureStore(metrics: Metrics, { store, clock, isMeasured }: MeasuredStore): void {
  const gauge = (name: string, help: string, read: () => Promise<number>) =>
    metrics.gauge({ name, help }, async () => [{ value: await read() }]);
  const ageOf = (ms: number | null) => ms === null ? 0 : Math.max(0, clock.nowMs() - ms) / 1_000;

  gauge(
    "regfeed_deliveries_pending",
    "Deliveries that wait for an attempt.",
    async () => (await store.health()).pendingDeliveries,
  );
  gauge(
    "regfeed_deliveries_oldest_pending_age_seconds",
    "Age of the oldest delivery that waits; 0 without one.",
    async () => ageOf((await store.health()).oldestPendingAtMs),
  );
  gauge(
    "regfeed_deliveries_held",
    "Deliveries held while a month's quota is spent or a subscription is switched off.",
    async () => (await store.countUndelivered()).held,
  );
  gauge(
    "regfeed_deliveries_failed",
    "Deliveries given up after their last attempt, as long as the log keeps them.",
    async () => (await store.countUndelivered()).failed,
  );
  gauge(
    "regfeed_subscriptions_held_full",
    "Subscriptions that get no further deliveries stored, because their customer's limit of held ones was reached.",
    async () => (await store.countUndelivered()).heldFull,
  );
  metrics.gauge({
    name: "regfeed_customer_stored_bytes",
    help: `About how much is stored for each of the ${LARGEST} customers with the most.`,
    labels: ["customer"],
  }, async () => {
    const largest = await store.largestCustomers(LARGEST);
    return largest.map(({ customerId, bytes }) => ({ labels: [customerId], value: bytes }));
  });
  gauge("regfeed_mails_queued", "Mails that wait.", async () => (await store.accountHealth()).queuedMails);
  gauge(
    "regfeed_mails_oldest_queued_age_seconds",
    "Age of the oldest mail that waits; 0 without one.",
    async () => ageOf((await store.accountHealth()).oldestQueuedMailAtMs),
  );
  gauge("regfeed_mails_failed", "Mails given up.", async () => (await store.accountHealth()).failedMails);
  metrics.gauge({
    name: "regfeed_storage_fault",
    help: "1 for the fault that the database or its disk has, 0 for the others.",
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
    "When the source was last had, Unix seconds; missing until then.",
    ({ lastSuccessAtMs }) => lastSuccessAtMs === null ? null : lastSuccessAtMs / 1_000,
  );
  perSource(
    "regfeed_source_consecutive_failures",
    "Visits in a row that failed.",
    ({ consecutiveFailures }) => consecutiveFailures,
  );
  perSource(
    "regfeed_source_gaps",
    "Parts of the source (addresses, pages, files) that its last success was without.",
    ({ gaps }) => gaps.length,
  );
  perSource(
    "regfeed_source_held_back_events",
    "Events held by a change spike until `source release`.",
    ({ heldBack }) => heldBack,
  );
}
