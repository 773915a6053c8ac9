// Fakes for the tests of deliveries: a clock, a network, a log, and a store in memory.
import type { ClaimedDelivery, FinishedAttempt } from "../../src/domain/delivery/delivery.ts";
import type { RegEvent } from "../../src/domain/event/event.ts";
import { type DailyGrant, grantDaily } from "../../src/domain/customer/daily_limit.ts";
import { createIds, type NewId } from "../../src/domain/event/ids.ts";
import {
  type HttpClient,
  type IncomingResponse,
  type Log,
  type LogFields,
  NetworkError,
  type OutgoingRequest,
  type Random,
  type Resolver,
} from "../../src/domain/ports/ports.ts";
import { NO_TRACER } from "../../src/domain/ports/tracer.ts";
import type { UnmatchedEvent } from "../../src/domain/ports/store/deliveries.ts";
import type { Store } from "../../src/domain/ports/store/store.ts";
import type { Subscription } from "../../src/domain/delivery/subscription.ts";
import { DEFAULT_LIMITS } from "../../src/domain/customer/tier.ts";
import { createDelivery, type Delivery, type DeliveryDeps } from "../../src/delivery/loop.ts";
import { anEvent as storedEvent, aSubscription as storedSubscription } from "../store/contract/given.ts";
import { type FakeClock, fakeClock } from "../support/clock.ts";

export const START_MS = Date.UTC(2026, 2, 1, 12);

/** A clock that jumps: `advance()` sets the time before it wakes the sleepers that are due. */
export interface JumpingClock extends FakeClock {
  readonly sleeping: number;
}

export function jumpingClock(): JumpingClock {
  const clock = fakeClock(START_MS);
  let sleeping = 0;
  return {
    ...clock,
    get sleeping() {
      return sleeping;
    },
    sleep(ms, signal) {
      sleeping++;
      return clock.sleep(ms, signal).finally(() => sleeping--);
    },
    async advance(ms) {
      clock.set(clock.nowMs() + ms);
      await clock.advance(0);
      await settle();
    },
  };
}

/** A test call of a customer with a high daily limit. */
export const A_TEST = { type: "event.test", callsPerDay: 1_000 } as const;

export async function settle(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
}

export function respond(status: number, headers: Record<string, string> = {}): IncomingResponse {
  return { status, headers, body: new Uint8Array(), truncated: false };
}

export function textOf(body: string | Uint8Array | undefined): string {
  return typeof body === "string" ? body : new TextDecoder().decode(body);
}

/** Returns a promise that settles only when the signal aborts. */
export function hang(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
}

/** Endpoints by host name. Hosts without an endpoint refuse connections. */
export class FakeNetwork implements HttpClient, Resolver {
  readonly requests: OutgoingRequest[] = [];
  readonly endpoints = new Map<
    string,
    (request: OutgoingRequest) => IncomingResponse | Promise<IncomingResponse>
  >();
  readonly addresses = new Map<string, string[]>();

  async request(request: OutgoingRequest): Promise<IncomingResponse> {
    request.signal.throwIfAborted();
    this.requests.push(request);
    const endpoint = this.endpoints.get(request.url.hostname);
    if (endpoint === undefined) throw new NetworkError("connection refused");
    return await endpoint(request);
  }

  resolve(host: string): Promise<string[]> {
    return Promise.resolve(this.addresses.get(host) ?? ["93.184.215.14"]);
  }
}

export interface FakeLog extends Log {
  readonly lines: { level: string; message: string; fields: LogFields }[];
}

export function fakeLog(): FakeLog {
  const lines: FakeLog["lines"] = [];
  const write = (level: string) => (message: string, fields: LogFields = {}) =>
    void lines.push({ level, message, fields });
  return { lines, debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}

export const fixedRandom: Random = {
  bytes: (count) => new Uint8Array(count),
  fraction: () => 0.5,
};

export function anEvent(change: Partial<RegEvent> = {}): RegEvent {
  const texts = { title: "Guideline on models", summary: "What providers of models document." };
  return storedEvent("evt_01JNQ2B3C4D5E6F7G8H9JKMNPQ", {
    source_id: "eu-office",
    topics: ["gpai"],
    title_en: texts.title,
    summary_en: texts.summary,
    ingested_at: START_MS,
    translations: { en: texts },
    ...change,
  });
}

/** Returns a subscription without filters. */
export function aSubscription(change: Partial<Subscription> = {}): Subscription {
  return storedSubscription("sub_01JNQ2B3C4D5E6F7G8H9JKMNPQ", {
    customerId: "cus_01JNQ2B3C4D5E6F7G8H9JKMNPQ",
    webhookUrl: "https://hooks.receiver.example/in",
    webhookSecret: "0123456789abcdef".repeat(4),
    createdAtMs: START_MS,
    ...change,
  });
}

interface Queued {
  claimed: ClaimedDelivery;
  nextAttemptAtMs: number;
  status: "pending" | "delivered" | "failed" | "gone";
}

const nothing = (): Promise<number> => Promise.resolve(0);

/** A store of deliveries in memory. A method throws the error that its function in `failing` returns. */
export class FakeStore {
  readonly subscriptions: Subscription[] = [];
  readonly waiting: UnmatchedEvent[] = [];
  readonly queue: Queued[] = [];
  readonly batches: (readonly FinishedAttempt[])[] = [];
  readonly failing = new Map<string, () => Error | null>();
  releases: number[] = [];
  leasesMs: number[] = [];
  testCalls = 0;
  #sequence = 0;

  #fail(method: string): void {
    const error = this.failing.get(method)?.() ?? null;
    if (error !== null) throw error;
  }

  get finished(): FinishedAttempt[] {
    return this.batches.flat();
  }

  catchUp = nothing;
  judgeEndpoints = nothing;
  fitSubscriptions = nothing;
  adjustForClockRollback = nothing;
  closeSubscriptions = nothing;
  removeOldDeliveries = nothing;

  countDaily(...[, request]: Parameters<Store["countDaily"]>): Promise<DailyGrant> {
    const grant = grantDaily(this.testCalls, request);
    if (grant.granted) this.testCalls += request.count;
    return Promise.resolve(grant);
  }

  // deno-lint-ignore require-await
  async matchEvents(match: Parameters<Store["matchEvents"]>[0]): Promise<number> {
    this.#fail("matchEvents");
    const events = this.waiting.splice(0, match.limit);
    for (const unmatched of events) {
      for (const made of match.deliveriesFor(unmatched, this.subscriptions)) {
        this.enqueue(made.subscriptionId, {
          id: made.id,
          eventId: unmatched.event.id,
          body: new TextEncoder().encode(made.opening(++this.#sequence) + made.ending),
          createdAtMs: match.nowMs,
        });
      }
    }
    return events.length;
  }

  enqueue(subscriptionId: string, change: Partial<ClaimedDelivery> & { id: string }): void {
    const subscription = this.subscriptions.find((one) => one.id === subscriptionId);
    if (subscription === undefined) throw new Error(`no subscription ${subscriptionId}`);
    const { customerId, webhookUrl, webhookSecret } = subscription;
    const claimed = {
      customerId,
      subscriptionId,
      lane: "normal" as const,
      webhookUrl,
      webhookSecrets: [webhookSecret],
      headers: {},
      eventId: "evt_01JNQ2B3C4D5E6F7G8H9JKMNPQ",
      body: new TextEncoder().encode("{}"),
      attempt: 0,
      tries: 0,
      createdAtMs: START_MS,
      ...change,
    };
    this.queue.push({ claimed, nextAttemptAtMs: claimed.createdAtMs, status: "pending" });
  }

  // deno-lint-ignore require-await
  async releaseHeld(release: Parameters<Store["releaseHeld"]>[0]): Promise<number> {
    this.#fail("releaseHeld");
    this.releases.push(release.nowMs);
    return 0;
  }

  // deno-lint-ignore require-await
  async claimDeliveries(claim: Parameters<Store["claimDeliveries"]>[0]): Promise<ClaimedDelivery[]> {
    this.#fail("claimDeliveries");
    this.leasesMs.push(claim.leaseMs);
    const { slots } = claim;
    const claimed: ClaimedDelivery[] = [];
    for (const queued of this.queue) {
      const { customerId, subscriptionId: id, lane } = queued.claimed;
      const due = queued.status === "pending" && queued.nextAttemptAtMs <= claim.nowMs;
      if (!due || slots.heldBy(id) >= claim.perSubscription || slots.areTaken) continue;
      slots.take(customerId, { id, lane });
      queued.nextAttemptAtMs = claim.nowMs + claim.leaseMs;
      const { attempt, tries } = queued.claimed;
      queued.claimed = { ...queued.claimed, attempt: attempt + 1, tries: tries + 1 };
      claimed.push(queued.claimed);
    }
    return claimed;
  }

  // deno-lint-ignore require-await
  async endLeases(...[claimed, nowMs]: Parameters<Store["endLeases"]>): Promise<void> {
    this.#fail("endLeases");
    for (const { id, attempt } of claimed) {
      const queued = this.queue.find((one) => one.claimed.id === id);
      if (queued?.claimed.attempt === attempt) queued.nextAttemptAtMs = nowMs;
    }
  }

  // deno-lint-ignore require-await
  async finishAttempts(finished: readonly FinishedAttempt[], _nowMs: number): Promise<void> {
    this.#fail("finishAttempts");
    this.batches.push(finished);
    for (const { deliveryId, next } of finished) {
      const queued = this.queue.find((one) => one.claimed.id === deliveryId);
      if (queued === undefined) throw new Error(`no delivery ${deliveryId}`);
      if (next.kind === "retry") queued.nextAttemptAtMs = next.atMs;
      else queued.status = next.kind;
    }
  }
}

/** Returns the dependencies of a delivery loop, and the fakes among them. */
export function aWorld(
  change: Partial<DeliveryDeps> = {},
): { deps: DeliveryDeps; clock: JumpingClock; network: FakeNetwork; store: FakeStore; log: FakeLog } {
  const clock = jumpingClock();
  const network = new FakeNetwork();
  const store = new FakeStore();
  const log = fakeLog();
  const newId: NewId = createIds(() => clock.nowMs(), fixedRandom.bytes);
  const deps: DeliveryDeps = {
    store,
    clock,
    random: fixedRandom,
    http: network,
    resolver: network,
    log,
    newId,
    topics: [],
    tiers: DEFAULT_LIMITS,
    policy: { allowHttp: false, allowNetworks: [], allowPorts: [] },
    keepMs: { bodies: 30 * 86_400_000, deliveries: 400 * 86_400_000 },
    timeoutMs: 15_000,
    userAgent: "Regfeed/test",
    running: new Set(),
    count: () => {},
    tracer: NO_TRACER,
    eventLoop: { begin: () => {} },
    concurrency: 64,
    concurrencyPerSubscription: 4,
    ...change,
  };
  return { deps, clock, network, store, log };
}

export const HOST = "hooks.receiver.example";

/** Returns a world with one subscription, `count` due deliveries, and an endpoint that responds with 200. */
export function aQueue(count: number, change: Partial<DeliveryDeps> = {}): ReturnType<typeof aWorld> {
  const world = aWorld(change);
  const subscription = aSubscription();
  world.store.subscriptions.push(subscription);
  for (let at = 0; at < count; at++) world.store.enqueue(subscription.id, { id: `dlv_${at}` });
  world.network.endpoints.set(HOST, () => respond(200));
  return world;
}

export interface RunningLoop extends AsyncDisposable {
  delivery: Delivery;
  stop(): void;
  stopped: Promise<void>;
}

/** Runs the loop until the end of the scope. */
export async function runLoop(deps: DeliveryDeps): Promise<RunningLoop> {
  const stop = new AbortController();
  const delivery = createDelivery(deps);
  const stopped = delivery.run(stop.signal);
  await settle();
  return {
    delivery,
    stopped,
    stop: () => stop.abort(),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await stopped;
    },
  };
}
