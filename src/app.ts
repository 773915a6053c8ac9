// Assembles the app from the features. No other file imports more than one feature.
import { createAccess } from "./accounts/access.ts";
import { createMailLoop } from "./accounts/mail/mail_loop.ts";
import { createPayments, type Payments } from "./accounts/payment/receive_payments.ts";
import { createOidc, OidcError, type OidcFault } from "./accounts/oidc.ts";
import { createSessions, type Sessions } from "./accounts/sessions.ts";
import { createSignIn, type SignIn } from "./accounts/sign_in.ts";
import { createQuota, type Quota } from "./accounts/quota.ts";
import { type AddressCounts, createAddressCounts } from "./http/ip_rate_limit.ts";
import { readRanges, type Remote } from "./http/client_address.ts";
import type { CallApi } from "./http/api_call.ts";
import type { PagesOptions } from "./web/pages.ts";
import type { Pages } from "./http/page_visit.ts";
import { createHealth } from "./api/health.ts";
import { createIdempotency, type Idempotency, REMEMBERED_FOR_MS } from "./api/idempotency.ts";
import { createRequestMetrics } from "./api/metrics/request_metrics.ts";
import { deliveryRoutes } from "./api/routes/deliveries.ts";
import { type DescribedRoutes, withDescription } from "./api/routes/description.ts";
import { eventRoutes } from "./api/routes/events.ts";
import type { RouteOptions } from "./api/routes/route_dependencies.ts";
import { paymentRoute } from "./api/routes/payments.ts";
import { serviceRoutes } from "./api/routes/health_sources_topics.ts";
import { subscriptionChangeRoutes } from "./api/routes/subscription_changes.ts";
import { subscriptionRoutes } from "./api/routes/subscriptions.ts";
import { usageRoute } from "./api/routes/usage.ts";
import { createCallApi } from "./api/call_api.ts";
import { createServer } from "./api/server.ts";
import { measureStore } from "./api/metrics/store_metrics.ts";
import { type Classifier, createClassifier } from "./classify/classify.ts";
import { createCoverageReview } from "./coverage/review.ts";
import { explainEvent } from "./classify/explain_event.ts";
import { type CountAttempt, createDeliveryMetrics } from "./delivery/delivery_metrics.ts";
import { type CountFetch, createIngestMetrics } from "./ingest/ingest_metrics.ts";
import { type Config, userAgentOf } from "./config/config.ts";
import { createDelivery, type Delivery } from "./delivery/loop.ts";
import { createReplay } from "./delivery/replay.ts";
import type { ConfigState } from "./domain/config_reload_state.ts";
import { limitsOf } from "./domain/customer/customer.ts";
import { createIds, type NewId } from "./domain/event/ids.ts";
import { type Metrics, NO_METRICS } from "./domain/ports/metrics.ts";
import type { RunningAttempt } from "./domain/plans/share_slots.ts";
import type { Platform } from "./domain/ports/ports.ts";
import { failureLevel } from "./domain/ports/store/storage_fault.ts";
import type { SourceSettings } from "./domain/source/source.ts";
import type { Store } from "./domain/ports/store/store.ts";
import { createIngest, type Ingest } from "./ingest/ingest.ts";
import { createParser } from "./ingest/parse/parse_worker_client.ts";
import type { ServerActs } from "./operate/operator_acts.ts";

/** Interval of the chores, ms. In a crash, the counts of the requests since the last run are lost. */
const CHORES_MS = 1_000;

const MAX_BLANKED = 100;

export interface App {
  /** Responds to an API request; never throws. */
  fetch(request: Request, remote?: Remote): Promise<Response>;
  /** Responds with 503 to an API request that arrives while the service is stopping. */
  refuse(request: Request): Response;
  /** Runs each loop once; resolves when all due work is finished. */
  tick(): Promise<void>;
  /** Registers the sources and reviews payments. Takes effect once; if it fails, the next call tries again. */
  prepare(): Promise<void>;
  /** Runs the loops until {@link App.stop} or {@link App.drain}. */
  start(): Promise<void>;
  /** Stops claiming work; resolves when the claimed work is finished. Requests still get responses. */
  drain(): Promise<void>;
  /** Stops the loops without waiting for slow work, and writes all request counts. */
  stop(): Promise<void>;
  ingest: Ingest;
}

interface AppOptions {
  config: Config;
  platform: Platform;
  store: Store;
  version: string;
  services?: ProcessServices;
  /** What the operator's pages can do only in the server process. */
  serverActs?: ServerActs | null;
}

/** The services of a process, which the apps before and after a reload share. */
interface ProcessServices {
  newId: NewId;
  /** Survives a reload, because counted requests may not be written yet. */
  quota: Quota;
  countRequest: ReturnType<typeof createRequestMetrics>;
  countFetch: CountFetch;
  countAttempt: CountAttempt;
  /** The ids of the enabled sources. Other sources have no metrics. */
  measured: { sources: ReadonlySet<string> };
  /** Whether the config that was read last is in force. */
  config: { state: ConfigState };
  /** The request counts of IP addresses. A reload does not reset them. */
  addressCounts: AddressCounts;
  /** The requests with an Idempotency-Key that are in progress. A reload must not allow one to run a second time. */
  idempotency: Idempotency;
  /** The attempts that occupy a delivery slot, including those of an app that is draining. */
  running: Set<RunningAttempt>;
  /** Aborted when the process ends, so that requests that wait for a webhook endpoint get a response. */
  abortPending: AbortController;
}

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
    countFetch: createIngestMetrics(metrics),
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

/** Creates an app. Nothing runs before {@link App.start} or {@link App.tick}. */
export function createApp(options: AppOptions): App {
  const { config, platform, store } = options;
  const { clock } = platform;
  const services = options.services ?? createProcessServices(options);
  const { quota } = services;
  services.measured.sources = new Set(enabledSources(config).map(({ id }) => id));
  const parts: Parts = { ...options, services, classifier: createClassifier(config.classification) };
  const ingest = ingestOf(parts);
  const delivery = deliveryOf(parts);
  const payments = paymentsOf(parts);
  const mailLoop = createMailLoop({
    ...platform,
    ...config.mail,
    store,
    log: platform.log("mail"),
    tiers: config.tiers,
    publicUrl: config.server.publicUrl,
  });
  const access = createAccess({ store, clock });
  const sessions = createSessions({ ...platform, ...services, store });
  const signIn = createSignIn({ store, clock, sessions, newId: services.newId });
  const { routes, describe } = routesOf(parts, delivery, payments);
  const callApi = createCallApi({
    ...services,
    routes,
    allowanceOf: (customer) => quota.look(customer.id, limitsOf(customer, config.tiers).apiRequestsPerDay),
  });
  const server = createServer({
    routes,
    pages: once(() => pagesOf(parts, { callApi, delivery, describe, sessions, signIn, ingest })),
    ...platform,
    ...services,
    log: platform.log("api"),
    count: services.countRequest,
    trustedProxies: readRanges(config.server.trustedProxies),
    limits: config.limits,
    keys: access,
    countRequest: (customer) => quota.take(customer.id, limitsOf(customer, config.tiers).apiRequestsPerDay),
  });
  const prepare = retriedUntilDone(async () => {
    await ingest.register();
    // The configured prices or the grace period may have changed since the payment events arrived.
    await payments?.reviewAll();
  });
  const reviewCoverage = createCoverageReview({
    store,
    clock,
    sources: enabledSources(config),
    newId: services.newId,
  });
  const endGraces = async () => await payments?.endGraces();
  /** Tasks that remove old data, keyed by the message logged on failure. */
  const removals: Record<string, () => Promise<void>> = {
    "ended sessions not deleted": () => store.removeOldSessions(clock.nowMs()),
    "old stored responses not deleted": () => store.removeResponses(clock.nowMs() - REMEMBERED_FOR_MS),
    "contents of old emails not deleted": async () => {
      await store.blankMails({ finishedUntilMs: clock.nowMs() - config.mail.keepMs, limit: MAX_BLANKED });
    },
  };
  const chores = {
    "request counts not written": () => quota.flush(),
    "uses of keys not written": () => access.flush(),
    "uses of sessions not written": () => sessions.flush(),
    "requested sign-in links not queued": () => signIn.queueRequested(),
    "access of non-paying customers not ended": endGraces,
    "coverage not reviewed": reviewCoverage,
    "storage faults not checked": async () => void await store.fault(),
    ...removals,
  };
  const running = new AbortController();
  const stopping = new AbortController();
  let loops: Promise<unknown> = Promise.resolve();
  const drain = async () => {
    running.abort();
    await loops;
  };

  return {
    fetch: (request, remote) => server.fetch(request, remote),
    refuse: (request) => server.refuse(request),
    ingest,
    prepare,
    drain,
    async tick() {
      await prepare();
      await ingest.ingest();
      await endGraces();
      await delivery.tick();
      await signIn.queueRequested();
      await mailLoop.tick();
      await reviewCoverage();
      await quota.flush();
      await access.flush();
      await sessions.flush();
      for (const remove of Object.values(removals)) await remove();
    },
    async start() {
      await prepare();
      loops = Promise.all([
        ingest.run(running.signal, stopping.signal),
        delivery.run(running.signal, stopping.signal),
        mailLoop.run(running.signal),
        ...Object.entries(chores).map(([failure, work]) =>
          regularly(failure, work, { platform, signal: running.signal })
        ),
      ]);
    },
    async stop() {
      stopping.abort();
      await drain();
      await quota.flush();
      await access.flush();
      await sessions.flush();
    },
  };
}

interface Parts extends AppOptions {
  services: ProcessServices;
  classifier: Classifier;
}

function enabledSources(config: Config): SourceSettings[] {
  return config.sources.filter((source) => source.enabled);
}

function ingestOf({ config, platform, store, version, classifier, services }: Parts): Ingest {
  const { newId } = services;
  return createIngest({
    ...platform,
    ...config.ingest,
    store,
    count: services.countFetch,
    newId,
    userAgent: userAgentOf(config, version),
    sources: enabledSources(config),
    log: platform.log("ingest"),
    holder: newId("process"),
    createParser: (limits) => createParser(platform.parseWorker, config.classification, limits),
    rulesVersion: classifier.rulesVersion,
  });
}

function deliveryOf({ config, platform, store, version, classifier, services }: Parts): Delivery {
  return createDelivery({
    ...platform,
    ...config.delivery,
    store,
    http: platform.endpoints,
    newId: services.newId,
    running: services.running,
    abortPending: services.abortPending.signal,
    count: services.countAttempt,
    userAgent: userAgentOf(config, version),
    topics: classifier.topics,
    tiers: config.tiers,
    policy: { ...config.delivery, ownUrl: config.server.publicUrl },
    keepMs: { bodies: config.delivery.keepDeliveredMs, deliveries: config.delivery.keepLogMs },
    log: platform.log("delivery"),
  });
}

function paymentsOf({ config, platform, store, services: { newId } }: Parts): Payments | null {
  if (config.payment === null) return null;
  const log = platform.log("payment");
  return createPayments({ ...platform, ...config.payment, store, newId, log, tiers: config.tiers });
}

function routesOf(
  { config, platform, store, version, classifier: { topics }, services }: Parts,
  delivery: Delivery,
  payments: Payments | null,
): DescribedRoutes {
  const { tiers, server: { publicUrl } } = config;
  const configured = new Set(config.sources.map((source) => source.id));
  const sources = enabledSources(config);
  const configState = () => services.config.state;
  const options: RouteOptions = {
    ...platform,
    store,
    newId: services.newId,
    publicUrl,
    sources,
    topics,
    languages: config.languages,
    tiers,
    limitsOf: (customer) => limitsOf(customer, tiers),
    isSource: async (id) => configured.has(id) || await store.isKnownSource(id),
    health: createHealth({ ...platform, store, sources, log: platform.log("health"), version, configState }),
    whyRefused: (url) => delivery.whyRefused(url),
    sendTest: (subscription, call) => delivery.test(subscription, call),
    replay: createReplay({ store, clock: platform.clock, newId: services.newId, topics, tiers }),
  };
  const routes = [
    ...serviceRoutes(options),
    ...eventRoutes(options),
    usageRoute(options),
    ...subscriptionRoutes(options),
    ...subscriptionChangeRoutes(options),
    ...deliveryRoutes(options),
    ...(payments === null ? [] : [paymentRoute(payments)]),
  ];
  return withDescription(routes, { version, publicUrl });
}

function oidcOf(
  { config: { console, server: { publicUrl } }, platform }: Pick<Parts, "config" | "platform">,
): PagesOptions["oidc"] {
  const { oidc: settings } = console;
  if (settings === null) return null;
  const { caFile } = settings;
  const oidc = createOidc({
    ...settings,
    authorities: caFile === null ? null : () => platform.files.readText(caFile),
  }, { ...platform, redirectUri: `${publicUrl}/sign-in/oidc/callback` });
  const log = platform.log("accounts");
  const explained = <T>(work: Promise<T>): Promise<T | { fault: OidcFault }> =>
    work.catch((error: unknown) => {
      if (!(error instanceof OidcError)) throw error;
      log.warn("single sign-on failed", { fault: error.fault, cause: error.message });
      return { fault: error.fault };
    });
  return {
    name: settings.name,
    begin: (returnTo) => explained(oidc.begin(returnTo)),
    finish: (callback, attempt) =>
      explained(
        oidc.finish(new URL(`${publicUrl}${callback}`), attempt).then((operator) => ({ operator })),
      ),
  };
}

/** Loads the pages, which the first request for one waits for, so that the service starts sooner. */
async function pagesOf(
  { config, platform, store, version, classifier, services, serverActs = null }: Parts,
  { callApi, delivery, describe, sessions, signIn, ingest }: Pick<DescribedRoutes, "describe"> & {
    callApi: CallApi;
    delivery: Delivery;
    sessions: Sessions;
    signIn: SignIn;
    ingest: Ingest;
  },
): Promise<Pages> {
  const [{ createPages }, { createOperatorActs }] = await Promise.all([
    import("./web/pages.ts"),
    import("./operate/operator_acts.ts"),
  ]);
  const operator = createOperatorActs({
    ...{ ...platform, config, store, classifier, ingest },
    log: platform.log("payment"),
    isConfigRefused: () => services.config.state === "refused",
    server: serverActs,
  });
  return createPages({
    ...platform,
    callApi,
    languages: config.languages,
    whyRefused: (url) => delivery.whyRefused(url),
    previousSecretUntil: async (customerId, id) =>
      (await store.findSubscription(customerId, id))?.previousSecret?.untilMs ?? null,
    userAgent: userAgentOf(config, version),
    support: config.mail.support,
    describe,
    sessions,
    signIn,
    oidc: oidcOf({ config, platform }),
    signInLog: platform.log("accounts"),
    operator,
    forms: store,
    feed: store,
    explain: (found) => {
      const source = config.sources.find(({ id }) => id === found.event.source_id);
      return explainEvent(found, classifier, source?.languages ?? []);
    },
    store,
    sources: enabledSources(config),
    newId: services.newId,
    publicUrl: config.server.publicUrl,
    status: config.console.status,
  });
}

/** Runs a short task repeatedly. A failure is logged, and the next run tries again. */
async function regularly(
  failure: string,
  work: () => Promise<void>,
  { platform, signal }: { platform: Platform; signal: AbortSignal },
): Promise<void> {
  const log = platform.log("store");
  while (!signal.aborted) {
    await platform.clock.sleep(CHORES_MS, signal);
    try {
      await work();
    } catch (error) {
      log[failureLevel(error)](failure, { cause: error instanceof Error ? error.message : String(error) });
    }
  }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Wraps work so that it runs once. If it fails, the next call runs it again. */
function retriedUntilDone(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return () =>
    done ??= work().catch((error) => {
      done = null;
      throw error;
    });
}
