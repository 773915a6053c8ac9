// Small stand-ins of the ports that the delivery room uses: a clock, a network, a log, a store in memory.
import type { ClaimedDelivery, FinishedAttempt } from "../../src/domain/delivery/delivery.ts";
import type { RegEvent } from "../../src/domain/event/event.ts";
import { type DailyGrant, grantDaily } from "../../src/domain/customer/daily_limit.ts";
import { createIds, type NewId } from "../../src/domain/event/ids.ts";
import {
  type Clock,
  DeadlineError,
  type HttpClient,
  type IncomingResponse,
  type Log,
  type LogFields,
  NetworkError,
  type OutgoingRequest,
  type Random,
  type Resolver,
} from "../../src/domain/ports/ports.ts";
import type { UnmatchedEvent } from "../../src/domain/ports/store/deliveries.ts";
import type { Store } from "../../src/domain/ports/store/store.ts";
import type { Subscription } from "../../src/domain/delivery/subscription.ts";
import { DEFAULT_LIMITS } from "../../src/domain/customer/tier.ts";
import type { DeliveryDeps } from "../../src/delivery/loop.ts";

/** Sunday, 1 March 2026, 12:00 UTC. */
export const START_MS = Date.UTC(2026, 2, 1, 12);

/** A clock that moves only when it is told to; everything that slept until then wakes in order. */
export class FakeClock implements Clock {
  #nowMs = START_MS;
  #sleepers: { atMs: number; wake: () => void }[] = [];

  readonly turn = () => Promise.resolve();

  nowMs(): number {
    return this.#nowMs;
  }

  get sleeping(): number {
    return this.#sleepers.length;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms <= 0 || signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const sleeper = { atMs: this.#nowMs + ms, wake: resolve };
      this.#sleepers.push(sleeper);
      signal?.addEventListener("abort", () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        resolve();
      });
    });
  }

  async within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>, stop?: AbortSignal): Promise<T> {
    stop?.throwIfAborted();
    const [controller, done] = [new AbortController(), new AbortController()];
    const aborted = Promise.withResolvers<never>();
    const abort = (reason: unknown): void => {
      controller.abort(reason);
      aborted.reject(reason);
    };
    const stopped = (): void => abort(stop?.reason);
    stop?.addEventListener("abort", stopped);
    this.sleep(ms, done.signal).then(() => done.signal.aborted || abort(new DeadlineError(ms)));
    try {
      return await Promise.race([work(controller.signal), aborted.promise]);
    } finally {
      stop?.removeEventListener("abort", stopped);
      done.abort();
    }
  }

  /** Moves time, then lets everything that follows at once happen. */
  async advance(ms: number): Promise<void> {
    this.#nowMs += ms;
    const due = this.#sleepers.filter((sleeper) => sleeper.atMs <= this.#nowMs);
    this.#sleepers = this.#sleepers.filter((sleeper) => sleeper.atMs > this.#nowMs);
    for (const sleeper of due.sort((a, b) => a.atMs - b.atMs)) sleeper.wake();
    await settle();
  }
}

/** Lets promises that need no time come to rest. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
}

/** An answer with nothing in it. */
export function answer(status: number, headers: Record<string, string> = {}): IncomingResponse {
  return { status, headers, body: new Uint8Array(), truncated: false };
}

/** A body that was sent, as text. */
export function textOf(body: string | Uint8Array | undefined): string {
  return typeof body === "string" ? body : new TextDecoder().decode(body);
}

/** A promise that settles only when the signal aborts. */
export function hang(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
}

/** Endpoints by host name; keeps every request. A host without one refuses the connection. */
export class FakeNetwork implements HttpClient, Resolver {
  readonly requests: OutgoingRequest[] = [];
  readonly lookups: string[] = [];
  readonly endpoints = new Map<
    string,
    (request: OutgoingRequest) => IncomingResponse | Promise<IncomingResponse>
  >();
  readonly addresses = new Map<string, string[]>();

  async request(request: OutgoingRequest): Promise<IncomingResponse> {
    this.requests.push(request);
    const endpoint = this.endpoints.get(request.url.hostname);
    if (endpoint === undefined) throw new NetworkError("connection refused");
    return await endpoint(request);
  }

  resolve(host: string): Promise<string[]> {
    this.lookups.push(host);
    return Promise.resolve(this.addresses.get(host) ?? ["93.184.215.14"]);
  }
}

/** A log that keeps its lines. */
export class FakeLog implements Log {
  readonly lines: { level: string; message: string; fields: LogFields }[] = [];
  #write(level: string): (message: string, fields?: LogFields) => void {
    return (message, fields = {}) => void this.lines.push({ level, message, fields });
  }
  debug = this.#write("debug");
  info = this.#write("info");
  warn = this.#write("warn");
  error = this.#write("error");
}

/** Randomness without chance: jitter is nothing. */
export const fixedRandom: Random = {
  bytes: (count) => new Uint8Array(count),
  fraction: () => 0.5,
};

/** An event of the guidance kind. */
export function anEvent(change: Partial<RegEvent> = {}): RegEvent {
  return {
    id: "evt_01JNQ2B3C4D5E6F7G8H9JKMNPQ",
    source_id: "eu-office",
    external_id: "guideline-7",
    version: 1,
    supersedes: null,
    event_type: "guidance",
    topics: ["gpai"],
    severity: "medium",
    title_en: "Guideline on models",
    summary_en: "What providers of models document.",
    url_official: "https://office.example/guideline-7",
    ai_act_articles: ["Art. 53(1)(a)"],
    published_at: START_MS - 60_000,
    published_at_estimated: false,
    ingested_at: START_MS,
    language: "en",
    language_versions: ["en"],
    translations: { en: { title: "Guideline on models", summary: "What providers of models document." } },
    ...change,
  };
}

/** A subscription that takes everything. */
export function aSubscription(change: Partial<Subscription> = {}): Subscription {
  return {
    id: "sub_01JNQ2B3C4D5E6F7G8H9JKMNPQ",
    customerId: "cus_01JNQ2B3C4D5E6F7G8H9JKMNPQ",
    webhookUrl: "https://hooks.receiver.example/in",
    webhookSecret: "0123456789abcdef".repeat(4),
    previousSecret: null,
    disabledBy: null,
    topics: [],
    sourceFilter: [],
    severityMin: "info",
    language: "en",
    createdAtMs: START_MS,
    disabledAtMs: null,
    deletedAtMs: null,
    catchUp: null,
    ...change,
  };
}

interface Queued {
  claimed: ClaimedDelivery;
  nextAttemptAtMs: number;
  status: "pending" | "delivered" | "failed" | "gone";
}

/** The store's part in deliveries, in memory. A method named in `failing` throws what stands there. */
export class FakeStore {
  readonly subscriptions: Subscription[] = [];
  readonly waiting: UnmatchedEvent[] = [];
  readonly queue: Queued[] = [];
  readonly batches: (readonly FinishedAttempt[])[] = [];
  readonly failing = new Map<string, () => Error | null>();
  releases: number[] = [];
  heals: number[] = [];
  removals: Parameters<Store["removeOldDeliveries"]>[0][] = [];
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

  catchUp = (): Promise<number> => Promise.resolve(0);

  countDaily(
    ...[, request]: Parameters<Store["countDaily"]>
  ): Promise<DailyGrant> {
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

  judgeEndpoints(): Promise<number> {
    return Promise.resolve(0);
  }

  fitSubscriptions(): Promise<number> {
    return Promise.resolve(0);
  }

  adjustForClockRollback(nowMs: number): Promise<number> {
    this.heals.push(nowMs);
    return Promise.resolve(0);
  }

  closeSubscriptions = (): Promise<number> => Promise.resolve(0);

  removeOldDeliveries(remove: Parameters<Store["removeOldDeliveries"]>[0]): Promise<number> {
    this.removals.push(remove);
    return Promise.resolve(0);
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
      queued.claimed = {
        ...queued.claimed,
        attempt: queued.claimed.attempt + 1,
        tries: queued.claimed.tries + 1,
      };
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

/** Everything that a delivery room needs, and the stand-ins behind it. */
export function aWorld(
  change: Partial<DeliveryDeps> = {},
): { deps: DeliveryDeps; clock: FakeClock; network: FakeNetwork; store: FakeStore; log: FakeLog } {
  const clock = new FakeClock();
  const network = new FakeNetwork();
  const store = new FakeStore();
  const log = new FakeLog();
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
    concurrency: 64,
    concurrencyPerSubscription: 4,
    ...change,
  };
  return { deps, clock, network, store, log };
}
