// `demo`: the whole loop on this machine, with no network and no account.
import { join } from "node:path";
import { type App, createApp } from "../../app.ts";
import { createMailLoop } from "../../accounts/mail/mail_loop.ts";
import { findAdditionProblems } from "../../classify/check_additions.ts";
import { type Config, parseConfig } from "../../config/config.ts";
import type { Platform } from "../../domain/ports/ports.ts";
import { isAtLeast, type Severity } from "../../domain/event/severity.ts";
import type { RegEvent } from "../../domain/event/event.ts";
import type { Store } from "../../domain/ports/store/store.ts";
import { createPlatform } from "../../platform/platform.ts";
import { listen, type RunningServer } from "../../platform/http/http_server.ts";
import { openVaultFile } from "../../platform/vault.ts";
import { VERSION } from "../../version.ts";
import type { Command } from "../command.ts";
import { type CommandCall, EXIT } from "../../server/command_call.ts";
import {
  checkoutCalls,
  configText,
  createReceiver,
  type Publisher,
  readWelcome,
  type Receiver,
  renderFeed,
  REVISION,
  samplePublishers,
  Story,
} from "./setup.ts";

/** Maximum time to wait for a step, ms. */
const PATIENCE_MS = 30_000;
const LOOK_AGAIN_MS = 50;
const MAX_ANSWER_BYTES = 1_048_576;
const DRAIN_MS = 1_000;

/** The demo's subscriptions. */
const SUBSCRIPTIONS: readonly { name: string; path: string; severity_min: Severity; language: string }[] = [
  { name: "everything", path: "/hooks/everything", severity_min: "info", language: "en" },
  { name: "high, in German", path: "/hooks/high", severity_min: "high", language: "de" },
];

/** The command. */
export const demoCommand: Command = {
  name: "demo",
  usage: "[--once]",
  summary: "runs the complete flow on this machine, without network or account",
  example: "regfeed demo --once",
  withoutConfig: true,
  options: {
    once: {
      kind: "flag",
      help: "exit at the end, with code 0 only if every delivery arrived and was verified",
    },
  },
  async run(call) {
    const folder = await call.host.makeTemporaryFolder("regfeed-demo-");
    const platform = createPlatform({
      log: { format: "text", level: "error" },
      mail: { smtp: null, outbox: join(folder, "outbox") },
    });
    let ending: Ending;
    try {
      ending = await runDemo(call, platform, folder);
    } finally {
      await call.host.removeFolder(folder);
      await platform.close();
    }
    if (ending.isStopped) call.host.out("\n The demo has ended, and its folder is removed.\n");
    return ending.exitCode;
  },
};

/** Everything that runs during the demo. */
interface Stage {
  platform: Platform;
  story: Story;
  publishers: Publisher[];
  feeds: RunningServer;
  receiver: Receiver;
  hooks: RunningServer;
  app: App;
  api: RunningServer;
  store: Store;
  key: string;
}

/** The result of a demo. */
interface Ending {
  exitCode: number;
  /** Whether a signal ended it. */
  isStopped: boolean;
}

async function runDemo(call: CommandCall, platform: Platform, folder: string): Promise<Ending> {
  const { host } = call;
  // From here on a signal ends the demo at any step, and the folder is removed.
  const stopped = host.stopSignal().then(() => "stopped" as const);
  const story = new Story((text) => host.out(text, { hasColours: true }), {
    hasColours: host.isTerminal,
    columns: host.isTerminal ? host.columns() : Infinity,
  });
  host.out("\n Regfeed demo: official feed in, signed delivery out; all of it on this machine.\n");
  const stage = await setStage(call, { platform, story, folder });
  try {
    const playing = play(stage);
    const isKept = await Promise.race([playing, stopped]);
    if (isKept === "stopped") {
      // Requests that now fail are not failures of the demo.
      playing.catch(() => {});
      return { exitCode: EXIT.failed, isStopped: true };
    }
    const exitCode = isKept ? EXIT.done : EXIT.failed;
    if (call.flags.has("once") || !isKept) return { exitCode, isStopped: false };
    printNextSteps(stage, (text) => host.out(text));
    await stopped;
    return { exitCode, isStopped: true };
  } finally {
    await stage.api.shutdown(DRAIN_MS);
    await stage.app.stop();
    await stage.store.close();
    await stage.hooks.shutdown(DRAIN_MS);
    await stage.feeds.shutdown(DRAIN_MS);
  }
}

async function setStage(
  { loadEngine }: CommandCall,
  { platform, story, folder }: { platform: Platform; story: Story; folder: string },
): Promise<Stage> {
  const publishers = samplePublishers();
  const todayMs = platform.clock.nowMs();
  const loopback = { hostname: "127.0.0.1", port: 0 };
  const feeds = await listen({
    ...loopback,
    handler: (request) => servePublisher(request, publishers, todayMs),
  });
  story.step("Three publishers open on loopback");
  for (const { nameEn, format, language, path } of publishers) {
    story.line(`${format.padEnd(10)} ${language}  ${feeds.address}${path.padEnd(24)} ${nameEn}`);
  }

  const receiver = createReceiver();
  const hooks = await listen({ ...loopback, handler: (request) => receiver.handle(request) });

  const config = await parseConfig(configText(publishers, feeds.address), {
    file: join(folder, "regfeed.toml"),
    folder,
    readSecret: { file: () => Promise.reject(new Error("the demo has no secrets")), env: () => undefined },
    findAdditionProblems,
  });
  const store = (await loadEngine()).open(
    config.store.path,
    (options) => openVaultFile(config.store.keyFile, options),
  );
  const app = createApp({ config, platform, store, version: VERSION });
  const api = await listen({ ...loopback, handler: (request) => app.fetch(request) });
  story.step("Regfeed starts");
  story.line(`API        ${api.address}`);
  story.line(`store      ${config.store.path}`);
  const key = await checkOut({ platform, store, config, api, story });
  return { platform, story, publishers, feeds, receiver, hooks, app, api, store, key };
}

/** Pays and reads the welcome mail; returns the key in it. */
async function checkOut(
  { platform, store, config, api, story }: Pick<Stage, "platform" | "store" | "api" | "story"> & {
    config: Config;
  },
): Promise<string> {
  story.step("A customer pays; the payment provider's events arrive, signed");
  for (const { type, body, signature } of checkoutCalls(platform.clock.nowMs())) {
    await askApi({ platform, api }, {
      method: "POST",
      path: "/v1/webhooks/payment",
      headers: { "stripe-signature": signature },
      body,
    });
    story.line(type, "✓");
  }
  const mailLoop = createMailLoop({
    ...platform,
    ...config.mail,
    store,
    log: platform.log("mail"),
    tiers: config.tiers,
    publicUrl: api.address,
  });
  await mailLoop.tick();
  story.step("The welcome mail contains the key; it is stored nowhere else");
  const [mail] = (await platform.files.list(config.mail.outbox)).files;
  const { headers, key } = readWelcome(
    await platform.files.readText(join(config.mail.outbox, mail?.name ?? "none")),
  );
  if (key === null) throw new Error("the welcome mail contains no key");
  for (const header of headers) story.line(header);
  story.line(`key        ${key}`);
  const { tier } = await askApi<{ tier: string }>({ platform, api, key }, {
    method: "GET",
    path: "/v1/usage",
  });
  story.line(`first call: GET /v1/usage, tier ${tier}`);
  return key;
}

/** Runs the steps; true if every expected delivery arrived and was verified. */
async function play(stage: Stage): Promise<boolean> {
  const { story, publishers, receiver } = stage;
  await subscribe(stage);

  story.step("Regfeed collects, classifies and stores");
  await stage.app.start();
  const items = publishers.reduce((sum, publisher) => sum + publisher.publications.length, 0);
  const told = { events: new Set<string>(), arrivals: 0 };
  const isStored = await until(stage, async () => {
    const events = await listEvents(stage);
    for (const event of events.reverse()) {
      if (!told.events.has(event.id)) story.stored(event);
      told.events.add(event.id);
    }
    return events.length >= items - IRRELEVANT;
  });
  story.line(`${items - told.events.size} of ${items} items skipped: not about AI regulation`);

  story.step("It delivers; ✓ is a signature that the standardwebhooks package accepts");
  const isFirstKept = await until(stage, async () => {
    told.arrivals = printArrivals(stage, told.arrivals);
    return isAllKept(stage, await listEvents(stage));
  });
  told.arrivals = printArrivals(stage, told.arrivals);

  story.step("A publisher revises one publication");
  revise(stage);
  const isRevisionKept = await until(stage, async () => {
    told.arrivals = printArrivals(stage, told.arrivals);
    const events = await listEvents(stage);
    return events.some((event) => event.version === 2) && isAllKept(stage, events);
  });
  // Deliveries that arrived since the last check.
  printArrivals(stage, told.arrivals);

  const promised = promisedDeliveries(await listEvents(stage));
  const arrived = promised.filter((promise) => hasArrived(stage, promise)).length;
  const isKept = isStored && isFirstKept && isRevisionKept && arrived === promised.length &&
    receiver.refused === 0;
  story.end(
    `${arrived} of ${promised.length} promised deliveries arrived and verified; ${receiver.refused} refused.`,
    isKept,
  );
  return isKept;
}

/** Writes the arrivals from an index on; returns the next index. */
function printArrivals({ story, receiver }: Stage, from: number): number {
  for (const { path, payload } of receiver.arrivals.slice(from)) {
    const name = SUBSCRIPTIONS.find((subscription) => subscription.path === path)?.name ?? path;
    story.arrived(name, payload);
  }
  return receiver.arrivals.length;
}

function revise({ story, publishers }: Stage): void {
  const publication = publishers.find(({ id }) => id === REVISION.publisher)?.publications
    .find(({ id }) => id === REVISION.publication);
  if (publication === undefined) throw new Error("the publication to revise is missing");
  publication.summary = REVISION.summary;
  story.line(`one more sentence in the summary of: ${publication.title}`);
}

/** Sample items that are not about AI regulation. */
const IRRELEVANT = 1;

async function subscribe(stage: Stage): Promise<void> {
  stage.story.step("A receiver subscribes");
  for (const { name, path, ...filter } of SUBSCRIPTIONS) {
    const body = JSON.stringify({ webhook_url: `${stage.hooks.address}${path}`, ...filter });
    const { subscription } = await askApi<{ subscription: { id: string; webhook_secret: string } }>(
      stage,
      { method: "POST", path: "/v1/subscriptions", body },
    );
    stage.receiver.expect(path, subscription.webhook_secret);
    stage.story.line(`${name.padEnd(16)} ${subscription.id}`);
  }
}

interface PromisedDelivery {
  path: string;
  eventId: string;
}

/** The deliveries that the events in the API's response should cause. */
function promisedDeliveries(events: readonly RegEvent[]): PromisedDelivery[] {
  return SUBSCRIPTIONS.flatMap(({ path, severity_min }) =>
    events.filter((event) => isAtLeast(event.severity, severity_min)).map(({ id }) => ({ path, eventId: id }))
  );
}

function hasArrived({ receiver }: Stage, { path, eventId }: PromisedDelivery): boolean {
  return receiver.arrivals.some((arrival) => arrival.path === path && arrival.payload.event.id === eventId);
}

function isAllKept(stage: Stage, events: readonly RegEvent[]): boolean {
  return promisedDeliveries(events).every((promise) => hasArrived(stage, promise));
}

/** Checks repeatedly until it is true; false after the maximum time. */
async function until({ platform: { clock } }: Stage, isTrue: () => Promise<boolean>): Promise<boolean> {
  const endMs = clock.nowMs() + PATIENCE_MS;
  while (clock.nowMs() < endMs) {
    if (await isTrue()) return true;
    await clock.sleep(LOOK_AGAIN_MS);
  }
  return false;
}

async function listEvents(stage: Stage): Promise<RegEvent[]> {
  return (await askApi<{ events: RegEvent[] }>(stage, { method: "GET", path: "/v1/events?limit=200" }))
    .events;
}

async function askApi<T>(
  { platform, api, key }: Pick<Stage, "platform" | "api"> & { key?: string },
  { method, path, headers, body }: {
    method: "GET" | "POST";
    path: string;
    headers?: Record<string, string>;
    body?: string;
  },
): Promise<T> {
  const response = await platform.clock.within(PATIENCE_MS, (signal) =>
    platform.http.request({
      method,
      url: new URL(path, api.address),
      headers: {
        ...headers,
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body }),
      maxBodyBytes: MAX_ANSWER_BYTES,
      signal,
    }));
  const text = new TextDecoder().decode(response.body);
  if (response.status >= 400) throw new Error(`${method} ${path} returned ${response.status}: ${text}`);
  return JSON.parse(text) as T;
}

function servePublisher(
  request: Request,
  publishers: readonly Publisher[],
  todayMs: number,
): Promise<Response> {
  const { pathname, origin } = new URL(request.url);
  const publisher = publishers.find(({ path }) => path === pathname);
  if (publisher === undefined) return Promise.resolve(new Response("no such feed", { status: 404 }));
  return Promise.resolve(new Response(renderFeed(publisher, origin, todayMs)));
}

/** Lines to paste into another terminal, at most 80 columns wide and never cut. */
function printNextSteps({ story, api, key }: Stage, write: (text: string) => void): void {
  story.step("The demo keeps running: try these in another terminal; Ctrl+C ends it");
  write(`
export KEY=${key}
export BASE=${api.address}

curl -s $BASE/v1/health
curl -s -H "Authorization: Bearer $KEY" "$BASE/v1/events?severity_min=high"
curl -s -H "Authorization: Bearer $KEY" "$BASE/v1/events?event_type=guidance"
`);
}
