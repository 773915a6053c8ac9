// The app: connects the features. No other file imports several of them.
import { createAccess } from "./accounts/access.ts";
import { createMailLoop, type MailLoop } from "./accounts/mail/mail_loop.ts";
import { createPayments, type Payments } from "./accounts/payment/receive_payments.ts";
import { createQuota, type Quota } from "./accounts/quota.ts";
import { type AddressCounts, createAddressCounts } from "./api/http/ip_rate_limit.ts";
import { readRanges, type Remote } from "./api/http/client_address.ts";
import { createHealth } from "./api/health.ts";
import { createIdempotency, type Idempotency, REMEMBERED_FOR_MS } from "./api/http/idempotency.ts";
import { createRequestMetrics } from "./api/metrics/request_metrics.ts";
import type { Route } from "./api/route.ts";
import { deliveryRoutes } from "./api/routes/deliveries.ts";
import { descriptionRoutes } from "./api/routes/description.ts";
import { eventRoutes } from "./api/routes/events.ts";
import { paymentRoute } from "./api/routes/payments.ts";
import { serviceRoutes } from "./api/routes/service.ts";
import { subscriptionChangeRoutes } from "./api/routes/subscription_changes.ts";
import { subscriptionRoutes } from "./api/routes/subscriptions.ts";
import { usageRoute } from "./api/routes/usage.ts";
import { createServer } from "./api/server.ts";
import { measureStore } from "./api/metrics/store_metrics.ts";
import { type Classifier, createClassifier } from "./classify/classify.ts";
import { type CountAttempt, createDeliveryMetrics } from "./delivery/delivery_metrics.ts";
import { type CountFetch, createIngestMetrics } from "./ingest/ingest_metrics.ts";
import { type Config, userAgentOf } from "./config/config.ts";
import { createDelivery, type Delivery } from "./delivery/loop.ts";
import { createReplay } from "./delivery/replay.ts";
import type { ConfigState } from "./domain/config_state.ts";
import { type Customer, limitOf, limitsOf } from "./domain/customer/customer.ts";
import { createIds, type NewId } from "./domain/event/ids.ts";
import { type Metrics, NO_METRICS } from "./domain/ports/metrics.ts";
import type { RunningAttempt } from "./domain/plans/share_slots.ts";
import type { Log, Platform } from "./domain/ports/ports.ts";
import { failureLevel } from "./domain/ports/store/storage_fault.ts";
import type { Store } from "./domain/ports/store/store.ts";
import type { Subscription } from "./domain/delivery/subscription.ts";
import { createIngest, type Ingest } from "./ingest/ingest.ts";
import { createParser } from "./ingest/parse/parse_worker_client.ts";
import type { OpenApi } from "./wire/openapi.ts";

/** How often counted requests are written, ms: so many are lost at most by a crash. */
const FLUSH_MS = 1_000;

/** Old mails that are emptied a second. */
const BLANKED_AT_ONCE = 100;

/** The application with one config. */
export interface App {
  /** Responds to an API request; never throws. */
  fetch(request: Request, remote?: Remote): Promise<Response>;
  /** Responds to an API request that arrives while the service stops. */
  refuse(request: Request): Response;
  /** Runs each loop once; returns when everything that was due is finished. */
  tick(): Promise<void>;
  /** Registers the sources, once, before the loops run. If it fails, it can be called again. */
  prepare(): Promise<void>;
  /** Runs the loops until {@link App.stop} or {@link App.drain}. */
  start(): Promise<void>;
  /** The loops claim nothing more; resolves when what they have claimed is finished. Requests still get responses. */
  drain(): Promise<void>;
  /** Ends the loops: work in progress finishes within its own limits, and every count is written. */
  stop(): Promise<void>;
  ingest: Ingest;
}

/** What an app is made of. */
export interface AppOptions {
  config: Config;
  platform: Platform;
  store: Store;
  /** Regfeed's own version, for health and User-Agent. */
  version: string;
  /** Those of the process, when another app came before this one. */
  services?: ProcessServices;
}

/** What a process has once, whatever its config: shared by the apps before and after a reload. */
export interface ProcessServices {
  newId: NewId;
  /** Requests that are counted and not written yet must not be forgotten, nor read back before they are written. */
  quota: Quota;
  countRequest: ReturnType<typeof createRequestMetrics>;
  countVisit: CountFetch;
  countAttempt: CountAttempt;
  /** The sources of the config in force: of others the metrics say nothing. */
  measured: { sources: ReadonlySet<string> };
  /** What became of the config that was read last. */
  config: { state: ConfigState };
  /** How often addresses have asked without a good key: a reload lets nobody try more. */
  addressCounts: AddressCounts;
  /** Requests under way by the keys that they name: a reload lets none of them act twice. */
  idempotency: Idempotency;
  /** The attempts that hold a delivery slot, including those of an app that drains. */
  running: Set<RunningAttempt>;
  /** Aborts when requests that wait for a receiver must get a response now, because the process ends. */
  abortPending: AbortController;
}

/** Makes the services of a process over its store; without metrics nothing is counted. */
export function createProcessServices(
  { platform: { clock, random }, store, metrics = NO_METRICS }: Pick<AppOptions, "platform" | "store"> & {
    metrics?: Metrics;
  },
): ProcessServices {
  const measured: ProcessServices["measured"] = { sources: new Set() };
  measureStore(metrics, { store, clock, isMeasured: (source) => measured.sources.has(source) });
  return {
    measured,
    config: { state: "ok" },
    countVisit: createIngestMetrics(metrics),
    countAttempt: createDeliveryMetrics(metrics),
    newId: createIds(() => clock.nowMs(), (count) => random.bytes(count)),
    quota: createQuota({ store, clock }),
    countRequest: createRequestMetrics(metrics),
    addressCounts: createAddressCounts(),
    idempotency: createIdempotency({ store, clock }),
    running: new Set(),
    abortPending: new AbortController(),
  };
}

/** Makes an app; nothing runs before {@link App.start} or {@link App.tick}. */
export function createApp(
  { config, platform, store, version, services = createProcessServices({ platform, store }) }: AppOptions,
): App {
  const { newId, quota } = services;
  const classifier = createClassifier(config.classification);
  services.measured.sources = new Set(config.sources.filter(({ enabled }) => enabled).map(({ id }) => id));
  const made = { config, platform, store, version, newId, classifier };
  const ingest = createCollecting({ ...made, services });
  const delivery = createDelivering({ ...made, services });
  const payments = createPaying(made);
  const mailLoop = createWriting({ config, platform, store, version });
  const server = createServer({
    routes: createRoutes({ ...made, delivery, payments, services }),
    ...platform,
    ...services,
    log: platform.log("api"),
    count: services.countRequest,
    trustedProxies: readRanges(config.server.trustedProxies),
    limits: config.limits,
    keys: createAccess({ store, clock: platform.clock }),
    countRequest: (customer) => quota.take(customer.id, limitOf(customer, config.tiers, "apiRequestsPerDay")),
  });
  const register = once(async () => {
    await ingest.register();
    // Prices or the grace may have changed since the events came.
    await payments?.reviewAll();
  });
  const endGraces = async () => await payments?.endGraces();
  const forgetting = createForgetting({ config, platform, store });
  const chores = {
    "request counts not written": () => quota.flush(),
    "access of non-paying customers not ended": endGraces,
    "storage faults not checked": async () => void await store.fault(),
    ...forgetting,
  };
  const loops = createLoops((running, stopping) => [
    ingest.run(running, stopping),
    delivery.run(running, stopping),
    mailLoop.run(running),
    ...Object.entries(chores).map(([failure, work]) =>
      regularly(failure, work, { platform, signal: running })
    ),
  ]);

  return {
    fetch: (request, remote) => server.fetch(request, remote),
    refuse: (request) => server.refuse(request),
    ingest,
    prepare: register,
    drain: () => loops.end("drain"),
    async tick() {
      await register();
      await ingest.ingest();
      await endGraces();
      await delivery.tick();
      await mailLoop.tick();
      await quota.flush();
      for (const forget of Object.values(forgetting)) await forget();
    },
    async start() {
      await register();
      loops.start();
    },
    async stop() {
      await loops.end("stop");
      await quota.flush();
    },
  };
}

/** Loops that start together and end together: they take nothing more, and when stopping they also give up in time. */
function createLoops(
  run: (running: AbortSignal, stopping: AbortSignal) => Promise<unknown>[],
): { start(): void; end(how: "drain" | "stop"): Promise<void> } {
  const running = new AbortController();
  const stopping = new AbortController();
  let loops: Promise<unknown> = Promise.resolve();
  return {
    start: () => void (loops = Promise.all(run(running.signal, stopping.signal))),
    async end(how) {
      if (how === "stop") stopping.abort();
      running.abort();
      await loops;
    },
  };
}

/** What several parts of an appliance share. */
interface MadeOnce {
  newId: NewId;
  classifier: Classifier;
}

/** What is kept for a time only, by what is said when that fails. */
function createForgetting(
  { config, platform: { clock }, store }: Pick<AppOptions, "config" | "platform" | "store">,
): Record<string, () => Promise<void>> {
  return {
    "old stored responses not deleted": () => store.removeResponses(clock.nowMs() - REMEMBERED_FOR_MS),
    "contents of old mails not deleted": async () => {
      const finishedUntilMs = clock.nowMs() - config.mail.keepMs;
      await store.blankMails({ finishedUntilMs, limit: BLANKED_AT_ONCE });
    },
  };
}

interface HasServices {
  services: ProcessServices;
}

function createCollecting(
  { config, platform, store, version, newId, classifier, services }: AppOptions & MadeOnce & HasServices,
): Ingest {
  return createIngest({
    store,
    count: services.countVisit,
    ...platform,
    newId,
    userAgent: userAgentOf(config, version),
    sources: config.sources.filter((source) => source.enabled),
    log: platform.log("ingest"),
    timeoutMs: config.ingest.timeoutMs,
    maxDocumentBytes: config.ingest.maxDocumentBytes,
    allowPrivate: config.ingest.allowPrivate,
    holder: newId("process"),
    concurrency: config.ingest.concurrency,
    hostConcurrency: config.ingest.hostConcurrency,
    hostSpacingMs: config.ingest.hostSpacingMs,
    jitterMs: config.ingest.jitterMs,
    maxFreshMs: config.ingest.maxFreshMs,
    createParser: (limits) => createParser(platform.parseWorker, config.classification, limits),
    rulesVersion: classifier.rulesVersion,
  });
}

function createDelivering(
  { config, platform, store, version, newId, classifier, services }: AppOptions & MadeOnce & HasServices,
): Delivery {
  return createDelivery({
    store,
    ...platform,
    http: platform.endpoints,
    newId,
    running: services.running,
    abortPending: services.abortPending.signal,
    count: services.countAttempt,
    userAgent: userAgentOf(config, version),
    topics: classifier.topics,
    tiers: config.tiers,
    policy: { ...config.delivery, ownUrl: config.server.publicUrl },
    timeoutMs: config.delivery.timeoutMs,
    concurrency: config.delivery.concurrency,
    concurrencyPerSubscription: config.delivery.concurrencyPerSubscription,
    keepMs: { bodies: config.delivery.keepDeliveredMs, deliveries: config.delivery.keepLogMs },
    log: platform.log("delivery"),
  });
}

function createWriting({ config, platform, store }: AppOptions): MailLoop {
  return createMailLoop({
    ...platform,
    ...config.mail,
    store,
    log: platform.log("mail"),
    tiers: config.tiers,
    publicUrl: config.server.publicUrl,
  });
}

/** Payments, where the config takes them. */
function createPaying({ config, platform, store, newId }: AppOptions & MadeOnce): Payments | null {
  if (config.payment === null) return null;
  return createPayments({
    ...config.payment,
    store,
    clock: platform.clock,
    tracer: platform.tracer,
    newId,
    log: platform.log("payment"),
    tiers: config.tiers,
  });
}

function createRoutes(
  { config, platform, store, version, newId, classifier, delivery, payments, services }:
    & AppOptions
    & MadeOnce
    & HasServices
    & { delivery: Delivery; payments: Payments | null },
): Route[] {
  const { clock, random, eventLoop } = platform;
  const configState = () => services.config.state;
  const { topics } = classifier;
  const sources = config.sources.filter((source) => source.enabled);
  const configured = new Set(config.sources.map((source) => source.id));
  const isSource = async (id: string) => configured.has(id) || await store.isKnownSource(id);
  const log: Log = platform.log("health");
  const subscriptions = {
    store,
    clock,
    random,
    newId,
    topics,
    languages: config.languages,
    limitsOf: (customer: Customer) => limitsOf(customer, config.tiers),
    isSource,
    whyRefused: (url: string) => delivery.whyRefused(url),
    sendTest: (subscription: Subscription, callsPerDay: number) => delivery.test(subscription, callsPerDay),
  };
  const routes = [
    ...serviceRoutes({
      store,
      clock,
      sources,
      topics,
      health: createHealth({ store, sources, clock, log, version, eventLoop, configState }),
    }),
    ...eventRoutes({ store, publicUrl: config.server.publicUrl, topics, isSource }),
    usageRoute({ store, clock, limitsOf: (customer) => limitsOf(customer, config.tiers) }),
    ...subscriptionRoutes(subscriptions),
    ...subscriptionChangeRoutes({
      ...subscriptions,
      replay: createReplay({ store, clock, newId, topics, tiers: config.tiers }),
    }),
    ...deliveryRoutes({ ...subscriptions, tiers: config.tiers, publicUrl: config.server.publicUrl }),
    ...(payments === null ? [] : [paymentRoute(payments)]),
  ];
  const { publicUrl } = config.server;
  const renderDocs = async (description: OpenApi) => (await import("./web/docs.ts")).renderDocs(description);
  return [...routes, ...descriptionRoutes(routes, { version, publicUrl, renderDocs })];
}

/** Runs short work repeatedly; a failure is logged, and the next run tries again. */
async function regularly(
  failure: string,
  work: () => Promise<void>,
  { platform, signal }: { platform: Platform; signal: AbortSignal },
): Promise<void> {
  const log = platform.log("store");
  while (!signal.aborted) {
    await platform.clock.sleep(FLUSH_MS, signal);
    try {
      await work();
    } catch (error) {
      log[failureLevel(error)](failure, { cause: error instanceof Error ? error.message : String(error) });
    }
  }
}

/** Does a work the first time; one that fails is done again the next time. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return () =>
    done ??= work().catch((error) => {
      done = null;
      throw error;
    });
}
