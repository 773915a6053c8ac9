// Builders for the contract's tests: records, and calls with default values.
import type { TierAct } from "../../../src/domain/ports/store/customers.ts";
import type { Store } from "../../../src/domain/ports/store/store.ts";
import type {
  DeliveriesFor,
  NewDelivery,
  QuotaTerms,
  UnmatchedEvent,
} from "../../../src/domain/ports/store/deliveries.ts";
import type { PublicationKey, RecordDecision } from "../../../src/domain/ports/store/publications.ts";
import type { FetchEnd, RegisteredSource, SourceClaim } from "../../../src/domain/ports/store/sources.ts";
import type { ApiKey, Customer } from "../../../src/domain/customer/customer.ts";
import type {
  AttemptResult,
  ClaimedDelivery,
  FinishedAttempt,
  NextStep,
} from "../../../src/domain/delivery/delivery.ts";
import { NO_COUNTS } from "../../../src/domain/source/fetch_record.ts";
import type { RegEvent } from "../../../src/domain/event/event.ts";
import { EVERY_EVENT } from "../../../src/domain/event/event_filter.ts";
import { type RunningAttempt, Slots } from "../../../src/domain/plans/share_slots.ts";
import type { Provenance } from "../../../src/domain/event/provenance.ts";
import {
  type MatchedSubscription,
  NO_DELIVERIES,
  type Subscription,
} from "../../../src/domain/delivery/subscription.ts";
import { DEFAULT_LIMITS, type Tier, type TierLimits, TIERS } from "../../../src/domain/customer/tier.ts";

/** Monday, 20 July 2026, 12:00 UTC. */
export const T0 = Date.UTC(2026, 6, 20, 12);
/** The month of {@link T0}, and the next one. */
export const JULY = "2026-07";
export const AUGUST = "2026-08";
export const BY: TierAct = {
  actor: "cli:test",
  atMs: T0,
  tiers: DEFAULT_LIMITS,
  newMailId: () => newMailId(),
};
export const LEASE = 60_000;

/** More deliveries than any test creates, as a guard against endless loops. */
const MAX_RELEASED = 10_000;

/** Returns a source to register, without a host. Its next scheduled run is at {@link T0}. */
export function aSource(id: string, change: Partial<RegisteredSource> = {}): RegisteredSource {
  return { id, host: null, schedule: "0 * * * *", nextRunAtMs: T0, ...change };
}

/** Returns a claim for those of the sources that are due at {@link T0}. */
export function aClaim(ids: readonly string[], change: Partial<SourceClaim> = {}): SourceClaim {
  return {
    nowMs: T0,
    leaseMs: LEASE,
    holder: "prc_1",
    limit: 100,
    ids,
    due: "only",
    perHost: 1,
    spacingOf: () => 0,
    ...change,
  };
}

/** Returns the end of a successful fetch. The source is due again an hour later. */
export function aFetchEnd(sourceId: string, atMs: number, change: Partial<FetchEnd> = {}): FetchEnd {
  return {
    sourceId,
    holder: "prc_1",
    atMs,
    schedule: "0 * * * *",
    notBeforeMs: atMs,
    isItsFault: true,
    nextDueAtMs: atMs + 3_600_000,
    outcome: "ok",
    outcomeSinceMs: atMs,
    kept: { cursor: null, identityRule: "guid" },
    error: null,
    cadence: { lastAtMs: null, days: [], seen: "" },
    moves: [],
    partialFailures: [],
    record: { startedAtMs: atMs, cause: null, counts: NO_COUNTS, documentHash: null },
    narrowUntilMs: null,
    hosts: [],
    ...change,
  };
}

/** Returns the end of a failed fetch. The source is due again an hour later. */
export function aFailure(sourceId: string, atMs: number, change: Partial<FetchEnd> = {}): FetchEnd {
  const record = { startedAtMs: atMs, cause: "timeout", counts: NO_COUNTS, documentHash: null } as const;
  return aFetchEnd(sourceId, atMs, { outcome: "failing", kept: null, error: "timed out", record, ...change });
}

/** Returns an event. Each `id` gives a different publication. */
export function anEvent(id: string, change: Partial<RegEvent> = {}): RegEvent {
  return {
    id,
    source_id: "board",
    source: { id: "board", name: "Board" },
    external_id: `publication of ${id}`,
    version: 1,
    supersedes: null,
    event_type: "guidance",
    topics: ["transparency"],
    severity: "medium",
    title_en: `Guidelines ${id}`,
    summary_en: "How to label generated pictures.",
    url_official: `https://board.example/${id}`,
    ai_act_articles: ["Art. 50"],
    published_at: T0,
    published_at_precision: "time",
    published_on: new Date(T0).toISOString().slice(0, 10),
    published_at_estimated: false,
    ingested_at: T0,
    language: "en",
    language_versions: ["en"],
    translations: { en: { title: `Guidelines ${id}`, summary: "How to label generated pictures." } },
    status: null,
    ...change,
  };
}

export const PROVENANCE: Provenance = {
  rules_version: "1",
  categories: ["News"],
  stated_languages: ["en"],
  document: "https://board.example/feed",
  document_sha256: "5a".repeat(32),
  http_status: 200,
  fetched_at: T0,
  other_languages: null,
};

/** Returns the terms of a valid search. */
export function aPublication(key: string, contentHash: string): PublicationKey {
  return { key, contentHash };
}

export function recordIt(event: RegEvent, notify = true): () => RecordDecision {
  return () => ({ kind: "record", event, provenance: PROVENANCE, notify });
}

/** Records events in this order, each with its `external_id` as the key. If `notify` is false, nobody is notified. */
export async function publish(store: Store, events: readonly RegEvent[], notify = true): Promise<void> {
  const runs: RegEvent[][] = [];
  for (const event of events) {
    if (runs.at(-1)?.[0]?.source_id === event.source_id) runs.at(-1)?.push(event);
    else runs.push([event]);
  }
  for (const run of runs) {
    const publications = run.map((event) => ({ ...aPublication(event.external_id, event.title_en), event }));
    const decide = ({ event }: { event: RegEvent }) => recordIt(event, notify)();
    await store.recordPublications(run[0]?.source_id ?? "", publications, decide);
  }
}

/** Returns the ids from `evt_FIRST` to `evt_LAST`, with at least two digits each. */
export function eventIds(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, at) => `evt_${String(first + at).padStart(2, "0")}`);
}

/** Records `evt_FIRST` to `evt_LAST` in this order. */
export async function publishMany(store: Store, first: number, last: number): Promise<void> {
  await publish(store, eventIds(first, last).map((id) => anEvent(id)));
}

export function aCustomer(id: string, change: Partial<Customer> = {}): Customer {
  return {
    id,
    email: `${id}@firm.example`,
    tier: "team",
    enabled: true,
    limits: {},
    language: "en",
    declared: false,
    createdAtMs: T0,
    ...change,
  };
}

/** Returns a key whose hash repeats these hexadecimal digits. */
export function aKey(digits: string, change: Partial<ApiKey> = {}): ApiKey {
  return {
    hash: digits.repeat(64).slice(0, 64),
    label: "default",
    lastFour: digits.repeat(4).slice(0, 4),
    createdAtMs: T0,
    validUntilMs: null,
    disabledAtMs: null,
    lastUsedAtMs: null,
    ...change,
  };
}

/** Stores a customer `cus_DIGIT` with the key that {@link aKey} returns for the digit. */
export async function addCustomer(
  store: Store,
  digit = "1",
  change: Partial<Customer> = {},
): Promise<Customer> {
  const customer = aCustomer(`cus_${digit}`, change);
  await store.addCustomer(customer, aKey(digit), BY);
  return customer;
}

/** Returns a subscription of `cus_1` without filters, whose URL contains its id. */
export function aSubscription(id: string, change: Partial<Subscription> = {}): Subscription {
  return {
    id,
    customerId: "cus_1",
    name: null,
    note: null,
    webhookUrl: `https://${id.replace("_", "-")}.example/hook`,
    webhookSecret: "5ec2e7".repeat(11).slice(0, 64),
    previousSecret: null,
    headers: {},
    headerNames: [],
    disabledBy: null,
    ...EVERY_EVENT,
    language: "en",
    createdAtMs: T0,
    disabledAtMs: null,
    deletedAtMs: null,
    catchUp: null,
    health: NO_DELIVERIES,
    ...change,
  };
}

/** Stores a subscription. Throws unless it is created. */
export async function subscribe(
  store: Store,
  id: string,
  change: Partial<Subscription> = {},
): Promise<Subscription> {
  const subscription = aSubscription(id, change);
  const outcome = await store.addSubscription(subscription, 100);
  if (outcome !== "created") throw new Error(`${id}: ${outcome}`);
  return subscription;
}

/** Adds `cus_1` with `sub_1`. */
export async function addSubscriber(store: Store): Promise<void> {
  await addCustomer(store);
  await subscribe(store, "sub_1");
}

/** Returns the catch-up state of a subscription of `cus_1`. */
export const catchUpOf = async (store: Store, id = "sub_1"): Promise<Subscription["catchUp"] | undefined> =>
  (await store.findSubscription("cus_1", id))?.catchUp;

/** Returns the default limits, but with this monthly limit on deliveries in every tier. */
export function monthly(webhookDeliveriesPerMonth: number): Record<Tier, TierLimits> {
  const tiers = TIERS.map((tier) => [tier, { ...DEFAULT_LIMITS[tier], webhookDeliveriesPerMonth }]);
  return Object.fromEntries(tiers);
}

let mails = 0;

export function newMailId(): string {
  return `mail_${++mails}`;
}

export function deliveryId(eventId: string, subscriptionId: string): string {
  return `dlv ${eventId} to ${subscriptionId}`;
}

/** The time, month and limits that apply to deliveries. */
export const TERMS = { nowMs: T0, month: JULY, tiers: monthly(1_000), newMailId };

/** Creates a delivery of the event to each of the subscriptions. */
export const EVERYTHING: DeliveriesFor = (
  { event }: UnmatchedEvent,
  subscriptions: readonly MatchedSubscription[],
): NewDelivery[] =>
  subscriptions.map((subscription) => ({
    id: deliveryId(event.id, subscription.id),
    subscriptionId: subscription.id,
    opening: (sequence) => `${sequence}: `,
    ending: event.id,
  }));

/** Lets subscriptions catch up until none can continue. Returns the number of calls that made progress. */
export async function catchUpAll(
  store: Store,
  terms: Partial<QuotaTerms & { deliveriesFor: DeliveriesFor }> = {},
): Promise<number> {
  for (let calls = 0;; calls++) {
    if (await store.catchUp({ ...TERMS, deliveriesFor: EVERYTHING, ...terms }) === 0) return calls;
    if (calls > MAX_RELEASED) throw new Error("catching up does not end");
  }
}

/** Replays events to a subscription of `cus_1`, by default practically all of them. */
export async function replayAll(
  store: Store,
  change: Partial<Parameters<Store["replayEvents"]>[2]> = {},
  subscriptionId = "sub_1",
): ReturnType<Store["replayEvents"]> {
  return await store.replayEvents("cus_1", subscriptionId, {
    ...TERMS,
    afterId: "evt_",
    beforeId: "evt_Z",
    maxEvents: 1_000,
    maxDeliveries: 1_000,
    firstPosition: 0,
    replaysPerDay: 10_000,
    isDryRun: false,
    deliveriesFor: EVERYTHING,
    ...change,
  });
}

export async function publishMatched(
  store: Store,
  first: number,
  last: number,
  options: Parameters<typeof matchAll>[1] = {},
): Promise<void> {
  await publishMany(store, first, last);
  await matchAll(store, options);
}

/** Matches waiting events, by default up to 1,000, with every subscription. Returns the number of events. */
export async function matchAll(
  store: Store,
  options: {
    nowMs?: number;
    month?: string;
    limit?: number;
    tiers?: Record<Tier, TierLimits>;
    seen?: (unmatched: UnmatchedEvent, subscriptions: readonly MatchedSubscription[]) => void;
  } = {},
): Promise<number> {
  return await store.matchEvents({
    nowMs: options.nowMs ?? T0,
    month: options.month ?? JULY,
    limit: options.limit ?? 1_000,
    tiers: options.tiers ?? monthly(1_000),
    newMailId,
    deliveriesFor: (unmatched, subscriptions) => {
      options.seen?.(unmatched, subscriptions);
      return EVERYTHING(unmatched, subscriptions);
    },
  });
}

export type Claimed = Omit<ClaimedDelivery, "body"> & { body: string };

/** Claims the deliveries that are due at a time, by default practically without limits. */
export async function claimAll(
  store: Store,
  nowMs = T0,
  { slots = 10_000, limit = 1_000, running = [], perSubscription = 1_000, leaseMs = LEASE }: {
    slots?: number;
    limit?: number;
    running?: Iterable<RunningAttempt>;
    perSubscription?: number;
    leaseMs?: number;
  } = {},
): Promise<Claimed[]> {
  const free = new Slots({ slots, limit, running, nowMs });
  const claimed = await store.claimDeliveries({ nowMs, leaseMs, slots: free, perSubscription });
  return claimed.map((delivery) => ({ ...delivery, body: new TextDecoder().decode(delivery.body) }));
}

/** Returns attempts that started at {@link T0}. `counts` is their number for each subscription of `cus_1`. */
export function running(counts: Record<string, number>): RunningAttempt[] {
  const attempt = { customerId: "cus_1", lane: "normal", startedAtMs: T0 } as const;
  return Object.entries(counts).flatMap(([id, n]) => Array(n).fill({ ...attempt, subscriptionId: id }));
}

/** Claims due deliveries and returns their bodies, in the order in which they were claimed. */
export async function claimedBodies(store: Store, nowMs = T0): Promise<string[]> {
  return (await claimAll(store, nowMs)).map((delivery) => delivery.body);
}

export function finished(
  delivery: Pick<ClaimedDelivery, "id" | "subscriptionId" | "webhookUrl" | "attempt" | "tries">,
  next: NextStep,
  result: Partial<AttemptResult> = {},
): FinishedAttempt {
  return {
    deliveryId: delivery.id,
    subscriptionId: delivery.subscriptionId,
    webhookUrl: delivery.webhookUrl,
    attempt: delivery.attempt,
    tries: delivery.tries,
    result: {
      startedAtMs: T0,
      durationMs: 12,
      statusCode: 204,
      problem: null,
      retryAtMs: null,
      response: null,
      ...result,
    },
    next,
    mailId: next.kind === "gone" ? newMailId() : null,
  };
}

/** Claims all due deliveries and records the same outcome for each. Returns their number. */
export async function finishAllDue(store: Store, next: NextStep, nowMs = T0): Promise<number> {
  const claimed = await claimAll(store, nowMs);
  await store.finishAttempts(claimed.map((delivery) => finished(delivery, next)), nowMs);
  return claimed.length;
}

/** Releases held deliveries until no more can be released. Returns the number of released deliveries. */
export async function releaseAll(store: Store, options: Partial<QuotaTerms> = {}): Promise<number> {
  for (let released = 0;;) {
    const more = await store.releaseHeld({ ...TERMS, ...options });
    if (more === 0) return released;
    released += more;
    if (released > MAX_RELEASED) throw new Error("releasing does not end");
  }
}

/** Returns the first element of a list. Throws if the list is empty. */
export function first<T>(list: readonly T[]): T {
  const [value] = list;
  if (value === undefined) throw new Error("the list is empty");
  return value;
}
